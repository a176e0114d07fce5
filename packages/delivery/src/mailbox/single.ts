import { BREAKER_CLOSED } from '@mailhook/core';
import type { AppendGroup } from './entry.ts';
import { eventsOf } from './entry.ts';
import type { DrainReply, Reply } from './replies.ts';
import { readFresh } from './replies.ts';

// Requests and replies of the short path (`lua/includes/single.lua`). Its claims and steps become the same replies that the long path gives.

/** A drain on the short path whose only batch was delivered. */
export interface SingleRequest {
  readonly destination: string;
  readonly account: string;
  readonly token: string;
  readonly batch: string;
  readonly attempt: number;
  /** The version and the credentials of the record that the attempt used. */
  readonly version: string;
  readonly credentials: string;
}

/** The id of a claim's only batch is the claim's token and this suffix. See `lua/includes/single.lua`. */
const SINGLE_BATCH = '_0_1';

/** The values of a claim on the short path that follow the destination or the number of its group (`lua/includes/single.lua`). */
type SingleClaim = [claim: number, address: string, version: string, credentials: string, proven: string];

/** A claim on the short path as a reply, the same that the long path gives. */
function singleReply(
  worker: string,
  [claim, address, version, credentials, proven]: SingleClaim,
  { destination, account, lane }: Pick<AppendGroup, 'destination' | 'account' | 'lane'>,
  entry: string,
): DrainReply {
  const token = `${worker}_${claim}`;
  return {
    destination,
    status: 'ok',
    token,
    breaker: BREAKER_CLOSED,
    target: { address, version, account, credentials, sizeLimit: undefined, isProven: proven === '1' },
    batches: [readFresh([token + SINGLE_BATCH, lane, 1, eventsOf(entry), [entry]])],
    isSingle: true,
  };
}

/** Reads the short-path claims of an append. Their entries are in the groups. */
export function readAppendedSingles(rows: Reply, worker: string, groups: readonly AppendGroup[]): DrainReply[] {
  const replies: DrainReply[] = [];
  for (let at = 0; at < rows.length; at += 6) {
    const group = groups[(rows[at] as number) - 1] as AppendGroup;
    replies.push(singleReply(worker, rows.slice(at + 1, at + 6) as SingleClaim, group, group.entries[0] ?? ''));
  }
  return replies;
}

/** Reads the short-path claims of a take. */
export function readTakenSingles(rows: Reply, worker: string): DrainReply[] {
  const replies: DrainReply[] = [];
  for (let at = 0; at < rows.length; at += 8) {
    const [account, entry] = rows.slice(at + 6, at + 8) as [account: string, entry: string];
    const from = { destination: rows[at] as string, account, lane: 'f' as const };
    replies.push(singleReply(worker, rows.slice(at + 1, at + 6) as SingleClaim, from, entry));
  }
  return replies;
}

/** Why the long path must go on: `next` must settle (unchanged), or only freeze (settled). */
export type LongPath = 'unchanged' | 'settled';

/** Reads the reply of a step on the short path: a number, or the next entry. `call` is the number of the call. */
export function readSingleStep(
  reply: number | string,
  { destination, token }: SingleRequest,
  call: string,
): DrainReply | LongPath {
  if (reply === 0) return 'unchanged';
  if (reply === 1) return 'settled';
  const breaker = BREAKER_CLOSED;
  if (typeof reply === 'number')
    return { destination, status: 'idle', token, breaker, target: undefined, batches: [], isSingle: false };
  const batches = [readFresh([`${token}_${call}_1`, 'f', 1, eventsOf(reply), [reply]])];
  return { destination, status: 'ok', token, breaker, target: undefined, batches, isSingle: true };
}
