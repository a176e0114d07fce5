import path from 'node:path';

/** The repository's root. The bench itself runs from its sources; what it measures, its own children included, is compiled. */
export const ROOT = path.resolve(import.meta.dirname, '../..');
export const BENCH_DIST = path.join(ROOT, 'bench/dist');
