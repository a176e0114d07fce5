import { hash } from 'node:crypto';
import { hash32 } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { readBlocks, readBlocksShares } from '../mailbox/accounts.ts';
import { createRunner } from '../mailbox/functions.ts';
import type { EngineKeys } from '../mailbox/keys.ts';
import { keysIn } from '../record/attempt-row.ts';
import type { AttemptRow } from '../record/attempt-row.ts';
import { wantedIn } from '../record/attempt-search.ts';
import { repackRows, rowsIn } from '../record/row-blocks.ts';
import type { EventSearch } from '../record/attempt-search.ts';

const PAGE = 500;
const BLOCKS_PER_PAGE = 10;
/** Much longer than a worker takes to make a block of rows that it read before. */
const ERASED_KEPT_S = 3600;

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
export async function eraseAttempts(erased: ErasedAttempts): Promise<boolean> {
  const { redis, keys, account, wanted, signal } = erased;
  let isChanged = false;
  // Rows become blocks, so blocks come last.
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
        const erased = keys.attempts(account, 'erased');
        const change = redis.multi().linsert(key, 'BEFORE', row, rest).lrem(key, 1, row);
        await change.incr(erased).expire(erased, ERASED_KEPT_S).exec();
        isChanged = true;
      }
    }
  }
  return (await eraseInBlocks(erased)) || isChanged;
}

async function eraseInBlocks({ redis, keys, account, wanted, signal }: ErasedAttempts): Promise<boolean> {
  const run = createRunner(redis);
  const { own } = await readBlocksShares(redis, keys, account);
  let isChanged = false;
  for (let newest = own.following - 1; newest >= own.first; newest -= BLOCKS_PER_PAGE) {
    signal.throwIfAborted();
    for (const [number, block] of await readBlocks(redis, keys, account, { newest, count: BLOCKS_PER_PAGE })) {
      const rows = rowsIn(block);
      const rest = rows.map((row) => withoutNames(row, wanted) ?? row);
      if (rest.every((row, i) => row === rows[i])) continue;
      const place = [keys.attempts(account, 'packed'), number] as const;
      await run('replace-block', keys, ...place, hash('sha1', block), repackRows(block, rest));
      isChanged = true;
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
  const rest = JSON.stringify({ ...row, keys: keysIn(row), facts: { ...facts, eventKeys } });
  return rest === text ? undefined : rest;
}
