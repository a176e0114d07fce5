/**
 * Acknowledgements of campaign batches (docs/protocol.md). An item of the reply with `status: true` confirms every event with its hash, even if another
 * item has the same hash and another status. Unknown hashes and items of another shape are ignored one by one.
 */

/** The hashes that a reply confirms, or undefined if the reply is not a JSON array. */
export function acknowledgedHashes(reply: string): ReadonlySet<string> | undefined {
  const items = parse(reply);
  if (!Array.isArray(items)) return undefined;
  const confirmed = new Set<string>();
  for (const item of items as unknown[]) {
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

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
