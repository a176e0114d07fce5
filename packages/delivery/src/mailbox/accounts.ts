import type { Redis } from '@mailhook/platform/redis';
import type { EngineKeys } from './keys.ts';
import { readerOf, readFields, unset } from './fields.ts';
import { BLOCKS } from './layout.ts';
import type { Values } from './layout.ts';
import { readSums } from './sums.ts';
import type { AccountSums } from './sums.ts';

export async function readAccountSums(redis: Redis, keys: EngineKeys, account: string): Promise<AccountSums> {
  return readSums(await redis.hgetBuffer(keys.sums, account));
}

/** In the order of the accounts. */
export async function readSumsOf(
  redis: Redis,
  keys: EngineKeys,
  accounts: readonly string[],
): Promise<readonly (readonly [account: string, AccountSums])[]> {
  const sums = accounts.length === 0 ? [] : await redis.hmgetBuffer(keys.sums, ...accounts);
  return accounts.map((account, i) => [account, readSums(sums[i])]);
}

/** The accounts with more than 1 MB, those with the most first. */
export async function readHeavyAccounts(
  redis: Redis,
  keys: EngineKeys,
  most: number,
): Promise<readonly (readonly [account: string, AccountSums])[]> {
  return readSumsOf(redis, keys, await redis.zrevrange(keys.heavy, 0, most - 1));
}

/** What became of the redriven dead letters of an account, in events. */
export interface Redriven {
  readonly startedAtMs: number;
  /** Made resends. */
  readonly resent: number;
  readonly delivered: number;
  /** Dead letters again. */
  readonly failed: number;
  /** Returned to their mailboxes, because they were never sent. */
  readonly returned: number;
  /** Not redriven yet. */
  readonly left: number;
  /** The last step of a run that redrives. */
  readonly touchedMs: number;
  /** When a person stopped all runs that had begun. 0 if nobody did. */
  readonly stoppedMs: number;
}

/** Where a run of redrives is: when it began, and the events that it had left before its page of dead letters. */
export interface RedriveStep {
  readonly begunMs: number;
  readonly left: number;
}

/** The progress of an account's redriven dead letters (`lua/includes/redriven.lua`), a day after its last change. */
export async function readRedriven(redis: Redis, keys: EngineKeys, account: string): Promise<Redriven | undefined> {
  const counts = await redis.hgetall(keys.redriven(account));
  if (counts['at'] === undefined) return undefined;
  const of = (field: string): number => Number(counts[field] ?? 0);
  return {
    startedAtMs: of('at'),
    resent: of('events'),
    delivered: of('delivered'),
    failed: of('failed'),
    returned: of('returned'),
    left: Object.keys(counts)
      .filter((field) => field.startsWith('left:'))
      .reduce((sum, field) => sum + of(field), 0),
    touchedMs: of('touched'),
    stoppedMs: of('stop'),
  };
}

/** When a person last stopped the account's runs. 0 if nobody did. */
export const readStoppedMs = async (redis: Redis, keys: EngineKeys, account: string): Promise<number> =>
  Number(await redis.hget(keys.redriven(account), 'stop'));

/** What the blocks of an account's delivered attempts take. `layout.ts` says what each field means. */
type BlocksShare = Values<typeof BLOCKS>;
const NO_BLOCKS: BlocksShare = unset(BLOCKS);
const blocksReader = readerOf(BLOCKS);

/** Of an account, and of all accounts of its shard together. */
export async function readBlocksShares(redis: Redis, keys: EngineKeys, account = '') {
  const packed = await redis.hmgetBuffer(keys.blocks, account, '');
  const [own, all] = packed.map((bytes) => {
    const share = { ...NO_BLOCKS };
    if (bytes !== null) readFields(blocksReader, bytes, 0, share);
    return share;
  }) as [BlocksShare, BlocksShare];
  return { own, all };
}

/** Some blocks of an account, the newest first. Undefined: gone, or not there yet. */
export async function readBlocks(
  redis: Redis,
  keys: EngineKeys,
  account: string,
  { newest, count }: { readonly newest: number; readonly count: number },
): Promise<readonly (readonly [number: number, block: Buffer])[]> {
  const numbers = Array.from({ length: count }, (_, i) => newest - i).filter((number) => number >= 0);
  if (numbers.length === 0) return [];
  const blocks = await redis.hmgetBuffer(keys.attempts(account, 'packed'), ...numbers.map(String));
  return numbers.flatMap((number, i) => {
    const block = blocks[i];
    return block == null ? [] : [[number, block] as const];
  });
}
