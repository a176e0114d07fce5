import path from 'node:path';

/**
 * The repository's root. The bench runs from its sources. The processes that it measures, its own children included,
 * are compiled.
 */
export const ROOT = path.resolve(import.meta.dirname, '../..');
export const BENCH_DIST = path.join(ROOT, 'bench/dist');
