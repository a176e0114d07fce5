import { isDeepStrictEqual } from 'node:util';
import type { Manifest } from './schemas.ts';

/** Labels and annotations that one of the tools adds, and names that it changes. */
const ADDED = /^(app\.kubernetes\.io\/(part-of|instance|managed-by)|helm\.sh\/chart|checksum\/config)$/;
const CONFIG_MAP_HASH = /^(mailhook(?:-backup-scripts)?)-[a-z0-9]{10}$/;

/**
 * The objects that both lists have by kind and name, and that differ in more than labels of the tools, hashes of config
 * maps and empty maps.
 */
export function differences(some: readonly Manifest[], others: readonly Manifest[]): string[] {
  const byName = new Map(others.map((one) => [nameOf(one), one]));
  return some.flatMap((one) => {
    const other = byName.get(nameOf(one));
    if (other === undefined) return [];
    const where = firstDifference(plain(one), plain(other), '');
    return where === undefined ? [] : [`${nameOf(one)} differs at ${where}`];
  });
}

/** Kind and name of an object, without the hash that kustomize adds to it. */
const nameOf = ({ kind, metadata }: Manifest): string =>
  `${kind} ${(metadata?.name ?? '').replace(CONFIG_MAP_HASH, '$1')}`;

function plain(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(CONFIG_MAP_HASH, '$1');
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([name]) => !ADDED.test(name))
    .map(([name, inner]): [string, unknown] => [name, plain(inner)])
    .filter(([, inner]) => !isDeepStrictEqual(inner, {}));
  return Object.fromEntries(entries);
}

function firstDifference(a: unknown, b: unknown, path: string): string | undefined {
  if (isDeepStrictEqual(a, b)) return undefined;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null)
    return `${path}: ${JSON.stringify(a)} and ${JSON.stringify(b)}`;
  const names = [...new Set([...Object.keys(a), ...Object.keys(b)])];
  for (const name of names) {
    const inner = firstDifference(
      (a as Record<string, unknown>)[name],
      (b as Record<string, unknown>)[name],
      `${path}.${name}`,
    );
    if (inner !== undefined) return inner;
  }
  return path;
}
