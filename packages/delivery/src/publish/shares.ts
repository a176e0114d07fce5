import type { ChunkGroup, ChunkJob, LoggedChunkJob, LoggedSet } from '@mailhook/core';
import type { AccountShare } from '../mailbox/commands/publish.ts';
import { sizeOfChunkEntry } from '../mailbox/entry.ts';
import { destinationsOf } from './chunk.ts';

/** Bytes that an event adds to its own in a mailbox. */
const ENTRY_BYTES = 12;

/** What counts as queued until the chunk ends: deliveries per account, and the bytes that they take in mailboxes. */
export function sharesOf(chunk: Pick<ChunkJob, 'groups'> | Pick<LoggedChunkJob, 'sets'>): AccountShare[] {
  const shares = new Map<string, AccountShare>();
  for (const { account, events, bytes } of 'groups' in chunk
    ? chunk.groups.map(sizeOfGroup)
    : chunk.sets.map(sizeOfSet)) {
    const known = shares.get(account);
    shares.set(account, { account, events: events + (known?.events ?? 0), bytes: bytes + (known?.bytes ?? 0) });
  }
  return [...shares.values()].filter(({ events }) => events > 0);
}

function sizeOfGroup(group: ChunkGroup): AccountShare {
  const [, , account, , entries] = group;
  const copies = destinationsOf(group).length;
  let [events, bytes] = [0, 0];
  for (const entry of entries) {
    const size = sizeOfChunkEntry(entry);
    events += copies * size.events;
    bytes += copies * size.bytes;
  }
  return { account, events, bytes };
}

/** About: the entries are made later. */
function sizeOfSet({ account, to: { length: copies }, events }: LoggedSet): AccountShare {
  const bytes = events.reduce((sum, text) => sum + text.length + ENTRY_BYTES, 0);
  return { account, events: copies * events.length, bytes: copies * bytes };
}
