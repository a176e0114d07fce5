/**
 * Acknowledgements of mechanism B (spec, "Delivery rules" 2 and 3): an event is confirmed when some item of the reply has its hash and
 * `status: true`. One item confirms every event with that hash; unknown hashes and items of another shape are ignored one by one;
 * only boolean `true` confirms, whatever else the reply says of the same hash.
 */

/** Hashes that a reply confirms; undefined when the reply is no JSON array. */
export function confirmedHashes(reply: string): ReadonlySet<string> | undefined {
  const items = parse(reply);
  if (!Array.isArray(items)) return undefined;
  const confirmed = new Set<string>();
  for (const item of items as unknown[]) {
    if (isConfirmation(item)) confirmed.add(item.hash);
  }
  return confirmed;
}

/** Positions of the events that stay unconfirmed, in order. */
export function unconfirmed(hashes: readonly string[], confirmed: ReadonlySet<string>): number[] {
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

function isConfirmation(item: unknown): item is { hash: string; status: true } {
  return (
    typeof item === 'object' &&
    item !== null &&
    'hash' in item &&
    typeof item.hash === 'string' &&
    'status' in item &&
    item.status === true
  );
}
