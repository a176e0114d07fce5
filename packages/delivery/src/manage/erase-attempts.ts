import { hash32 } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import type { EngineKeys } from '../mailbox/keys.ts';
import type { AttemptRow } from '../record/attempt-row.ts';
import { wantedIn } from '../record/attempt-search.ts';
import type { EventSearch } from '../record/attempt-search.ts';

const PAGE = 500;

interface ErasedAttempts {
  readonly redis: Redis;
  readonly keys: EngineKeys;
  readonly account: string;
  readonly wanted: Extract<EventSearch, { readonly email: string } | { readonly messageId: string }>;
  readonly signal: AbortSignal;
}

/**
 * Removes what is readable of wanted events from the account's log of attempts: the names of these events, and replies
 * to requests that carried one, which may quote it. The rows stay, with fingerprints. Resolves with whether it removed
 * something.
 */
export async function eraseAttempts({ redis, keys, account, wanted, signal }: ErasedAttempts): Promise<boolean> {
  let isChanged = false;
  for (const list of ['delivered', 'failed'] as const) {
    const key = keys.attempts(account, list);
    for (let from = 0, isMore = true; isMore; from += PAGE) {
      signal.throwIfAborted();
      const rows = await redis.lrange(key, from, from + PAGE - 1);
      isMore = rows.length === PAGE;
      for (const row of rows) {
        const rest = withoutNames(row, wanted);
        if (rest === undefined) continue;
        // If the row is gone, both do nothing.
        await redis.multi().linsert(key, 'BEFORE', row, rest).lrem(key, 1, row).exec();
        isChanged = true;
      }
    }
  }
  return isChanged;
}

/** The row as it stays. Undefined if it is the same. */
function withoutNames(text: string, wanted: ErasedAttempts['wanted']): string | undefined {
  const row = JSON.parse(text) as AttemptRow;
  const found = new Set(wantedIn(row, wanted).map(({ key }) => key));
  if (found.size === 0 || row.facts === undefined) return undefined;
  const { reply: _reply, ...facts } = row.facts;
  const eventKeys = facts.eventKeys.filter((key) => !found.has(hash32(key)));
  const rest = JSON.stringify({ ...row, facts: { ...facts, eventKeys } });
  return rest === text ? undefined : rest;
}
