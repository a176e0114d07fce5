import { acknowledgedHashes, unacknowledged } from '@mailhook/core';
import type { Fault } from './findings.ts';
import { readBody } from './reply-body.ts';

const WANTED = '[{"hash": "...", "status": true}, ...]';
const ONE_EACH = `Answer with a JSON array ${WANTED}, one item for every event.`;
const HASHES_SHOWN = 3;

/** Returns the items of a reply, or why it is not an acknowledgement (docs/protocol.md). A fault names the shape of the reply, never its content. */
function readItems(text: string): readonly unknown[] | Fault {
  const body = readBody(text);
  switch (body.shape) {
    case 'a JSON array':
      return body.items;
    case 'empty':
      return { detail: "The reply's body is empty.", mend: ONE_EACH };
    case 'no JSON':
      return {
        detail: "The reply's body is not JSON.",
        mend: `${ONE_EACH} Print nothing else: no HTML, no log lines.`,
      };
    case 'a single JSON value':
      return { detail: 'The reply is a single JSON value instead of an array.', mend: ONE_EACH };
    case 'a JSON object':
      return body.keys.includes('hash')
        ? {
            detail: 'The reply is one object instead of an array of objects.',
            mend: `Put the object into an array: ${WANTED}.`,
          }
        : {
            detail: 'The reply is a JSON object instead of an array.',
            mend: `${ONE_EACH} {"status": "ok"} is for the connection test only.`,
          };
  }
}

const isFault = (read: readonly unknown[] | Fault): read is Fault => 'detail' in read;

/** Why the reply leaves events unacknowledged, by the rules of real deliveries. Undefined if it acknowledges all of them. */
export function confirmationFault(body: string, hashes: readonly string[]): Fault | undefined {
  const items = readItems(body);
  if (isFault(items)) return items;
  const open = unacknowledged(hashes, acknowledgedHashes(body) ?? new Set());
  if (open.length === 0) return undefined;
  const missing = [...new Set(open.map((position) => hashes[position] ?? ''))];
  return (
    itemFault(items, new Set(missing)) ?? {
      detail: `${open.length} of ${hashes.length} events have no item in the acknowledgement: ${listed(missing)}.`,
      mend: 'Confirm every event that you have stored, also those that you do not use and those that you know already.',
    }
  );
}

/** The fault of the first item that has no usable hash, or that names a missing hash without `status: true`. */
function itemFault(items: readonly unknown[], missing: ReadonlySet<string>): Fault | undefined {
  if (items.length === 0) return { detail: 'The array is empty: it confirms no event.', mend: ONE_EACH };
  for (const item of items) {
    const hash: unknown = propertyOf(item, 'hash');
    if (typeof hash === 'string' && !missing.has(hash)) continue;
    const fault = typeof hash === 'string' ? statusFieldFault(item, hash) : hashFieldFault(item, hash);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function hashFieldFault(item: unknown, hash: unknown): Fault {
  if (typeof item === 'string') {
    return {
      detail: 'The items are texts instead of objects.',
      mend: `Answer with objects that hold the hash and status true: ${WANTED}.`,
    };
  }
  if (hash === undefined) {
    return { detail: 'An item has no "hash".', mend: `Send back each event's hash: ${WANTED}.` };
  }
  return { detail: 'The "hash" of an item is not a text.', mend: "Send back each event's hash unchanged, as a text." };
}

function statusFieldFault(item: unknown, hash: string): Fault | undefined {
  const status = propertyOf(item, 'status');
  if (status === true) return undefined;
  const place = `The "status" of ${hash}`;
  if (status === undefined) return { detail: `${place} is missing.`, mend: 'Give every item "status": true.' };
  if (status === false) {
    return { detail: `${place} is false.`, mend: 'Answer true for every event that you have received.' };
  }
  if (typeof status === 'string') {
    return {
      detail: `${place} is a text instead of the boolean true.`,
      mend: 'Write true without quotation marks: only the boolean confirms.',
    };
  }
  return { detail: `${place} is not a boolean.`, mend: 'Write true: only the boolean confirms.' };
}

/** How many items name a hash that was not sent. */
export function strangerCount(body: string, hashes: readonly string[]): number {
  const items = readItems(body);
  if (isFault(items)) return 0;
  const sent = new Set(hashes);
  return items.filter((item) => {
    const hash = propertyOf(item, 'hash');
    return typeof hash === 'string' && !sent.has(hash);
  }).length;
}

function propertyOf(item: unknown, key: string): unknown {
  return typeof item === 'object' && item !== null && Object.hasOwn(item, key) ? Reflect.get(item, key) : undefined;
}

function listed(hashes: readonly string[]): string {
  const more = hashes.length - HASHES_SHOWN;
  return `${hashes.slice(0, HASHES_SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
