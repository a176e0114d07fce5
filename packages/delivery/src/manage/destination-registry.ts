import type { CodedText, Destination } from '@mailhook/core';
import { coded, formatCredentials, OPERATIONS_ACCOUNT, SHAPES } from '@mailhook/core';
import type { Installation } from '../mailbox/installation.ts';
import type { EngineKeys } from '../mailbox/keys.ts';
import { createDestinationCommands } from '../mailbox/commands/manage.ts';
import type { SavedRecord } from '../mailbox/commands/manage.ts';
import { readMailbox, readMailboxes, scanRecords } from '../mailbox/records.ts';

/** A record of a destination in Redis. */
export type FoundRecord = Pick<Destination, 'id' | 'kind' | 'account' | 'version'>;

/** The destinations as the workers see them. */
export interface DestinationRegistry {
  /**
   * Writes the record, unless a newer version is stored or the destination is deleted, and starts or stops sending as
   * needed. Then the next step of every worker sees the record. With `isBack`, a deleted destination comes back.
   */
  save(destination: Destination, isBack?: boolean): Promise<SavedRecord>;
  /**
   * Reads about `count` records of destinations that are not deleted. Begins with the cursor '', and `next` is '' after
   * the last ones. The record of the operations webhook is not in the store, so it is left out.
   */
  list(cursor: string, count: number): Promise<{ readonly records: readonly FoundRecord[]; readonly next: string }>;
  /**
   * Marks the destination as deleted. Its undelivered events are discarded and counted, also if it has no record yet.
   */
  remove(destination: Pick<Destination, 'id' | 'kind' | 'account'>): Promise<void>;
  /** Whether the engine has a record of the destination. It keeps that of a deleted one for a week. */
  hasRecord(account: string, id: string): Promise<boolean>;
  /**
   * How many destinations of the account were deleted since the count began, and when it begins again. It does so after
   * a week.
   */
  countDeleted(account: string): Promise<{ readonly count: number; readonly leftMs: number }>;
}

/** Lets the api write the records of destinations. Rejects while Redis is away. */
export function createDestinationRegistry(installation: Installation): DestinationRegistry {
  const { redis } = installation;
  const commandsOf = ({ account, kind }: Pick<Destination, 'account' | 'kind'>) =>
    createDestinationCommands(redis, installation.keysOf(account, kind));
  return {
    save(destination, isBack) {
      const { account, address, active, inactiveReason, version, shape, maxEvents, concurrency } = destination;
      // Without an address, nothing can be sent, even to an active destination.
      const isActive = active && address !== null;
      const reason = inactiveReason ?? reasonOfInactive(destination).packed;
      const record = {
        account,
        address: address ?? '',
        isActive,
        reason: isActive ? '' : reason,
        version,
        credentials: formatCredentials(destination),
        shape: SHAPES.indexOf(shape),
        maxEvents,
        concurrency,
      };
      return commandsOf(destination).saveDestination(destination.id, record, isBack);
    },
    async list(cursor, count) {
      const all = installation.allKeys();
      const records: FoundRecord[] = [];
      let [shard, next] = cursor === '' ? [0, '0'] : positionOf(cursor);
      do {
        const page = await listRecords(installation, all[shard], next, count);
        records.push(...page.records);
        next = page.next;
        if (next === '0') shard += 1;
      } while (next === '0' && shard < all.length && records.length < count);
      return { records, next: shard < all.length ? `${shard} ${next}` : '' };
    },
    async remove(destination) {
      await commandsOf(destination).removeDestination(destination.id, destination.account);
    },
    async hasRecord(account, id) {
      const mailboxes = await Promise.all(
        (['transactional', 'campaign'] as const).map((kind) =>
          readMailbox(redis, installation.keysOf(account, kind), id),
        ),
      );
      return mailboxes.some(({ record }) => record?.account === account);
    },
    async countDeleted(account) {
      const key = installation.keysOf(account, 'transactional').deletedOf(account);
      const [count, leftMs] = await Promise.all([redis.get(key), redis.pttl(key)]);
      return { count: Number(count ?? 0), leftMs: Math.max(0, leftMs) };
    },
  };
}

/** The place among all keys of the installation, and the cursor of its scan. */
function positionOf(cursor: string): [shard: number, next: string] {
  const [shard, next = '0'] = cursor.split(' ');
  return [Number(shard), next];
}

async function listRecords({ redis }: Installation, keys: EngineKeys | undefined, cursor: string, count: number) {
  if (keys === undefined) return { records: [], next: '0' };
  const { next, destinations } = await scanRecords(redis, keys, cursor, count);
  const mailboxes = await readMailboxes(redis, keys, destinations);
  const records = mailboxes.flatMap(({ destination: id, record }): FoundRecord[] =>
    record === undefined || record.account === OPERATIONS_ACCOUNT
      ? []
      : [{ id, kind: keys.kind, account: record.account, version: record.version }],
  );
  return { records, next };
}

/** Why a person's change made a destination inactive. Its waiting events become dead letters with this error. */
function reasonOfInactive({ kind, address }: Pick<Destination, 'kind' | 'address'>): CodedText {
  if (kind === 'transactional') return coded('subscription-off');
  return coded(address === null ? 'campaign-cleared' : 'campaign-off');
}
