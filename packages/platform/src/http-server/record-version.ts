import { createHash } from 'node:crypto';
import type { IfVersion } from '@mailhook/core';

/**
 * The version of a record: a digest of what its readers see. Forms carry it and answers have it as their ETag, so that
 * a change replaces only the state that it was made from (docs/decisions/0087).
 */
export const versionOf = (record: object): string =>
  createHash('sha256').update(JSON.stringify(record, withSortedKeys)).digest('base64url').slice(0, 22);

/** Stores keep keys in different orders. */
const withSortedKeys = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

export const etagOf = (version: string): string => `"${version}"`;

/**
 * Reads the header `If-Match`. Undefined without one. A proxy that compresses answers marks their ETags as weak, which
 * changes nothing here, because a version is that of the record and not of its bytes.
 */
export function ifMatch(header: string | undefined): IfVersion | undefined {
  if (header === undefined) return undefined;
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return (version) => tags.includes('*') || tags.includes(etagOf(version));
}
