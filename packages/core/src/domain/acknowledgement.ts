/**
 * Acknowledgements of campaign batches (docs/protocol.md). An item of the reply with `status: true` confirms every
 * event with its hash, even if another item has the same hash and another status. Unknown hashes and items of another
 * shape are ignored one by one.
 */

/** The hashes that the items of a reply confirm. */
export function acknowledgedHashes(items: readonly unknown[]): ReadonlySet<string> {
  const confirmed = new Set<string>();
  for (const item of items) {
    if (isAcknowledgement(item)) confirmed.add(item.hash);
  }
  return confirmed;
}

/** The positions of the unconfirmed events, in order. */
export function unacknowledged(hashes: readonly string[], confirmed: ReadonlySet<string>): number[] {
  const open: number[] = [];
  for (const [position, hash] of hashes.entries()) {
    if (!confirmed.has(hash)) open.push(position);
  }
  return open;
}

/** Undefined for anything but an object with this key. */
export const propertyOf = (item: unknown, key: string): unknown =>
  typeof item === 'object' && item !== null && Object.hasOwn(item, key) ? Reflect.get(item, key) : undefined;

function isAcknowledgement(item: unknown): item is { hash: string; status: true } {
  return (
    typeof item === 'object' &&
    item !== null &&
    'hash' in item &&
    typeof item.hash === 'string' &&
    'status' in item &&
    item.status === true
  );
}
