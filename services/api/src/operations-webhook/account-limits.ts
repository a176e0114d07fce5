import { SETTINGS_PAGE_PATH, OPERATIONS_ACCOUNT } from '@mailhook/core';
import type { OperationsMessage } from '@mailhook/core';
import { operationsMessageId } from '@mailhook/delivery';
import type { Publisher } from '@mailhook/delivery';
import type { AccountUsages } from '@mailhook/insight';
import { PAGE } from './track.ts';
import type { Condition } from './track.ts';

export interface AccountLimitsDeps {
  readonly keyPrefix: string;
  readonly debounceMs: number;
  readonly publisher: Pick<Publisher, 'overfullAccounts'>;
  readonly usages: Pick<AccountUsages, 'read'>;
  readonly limits: { readonly events: number; readonly bytes: number };
}

/** An account must be below its limits for this many times the debounce before the next message about it. */
const END_FACTOR = 10;

/** The accounts that are over their limits. Mailhook refuses their events, so the message is not delayed. */
export function accountLimits({ keyPrefix, debounceMs, publisher, usages, limits }: AccountLimitsDeps): Condition {
  const overfull = (): string[] => publisher.overfullAccounts().filter((account) => account !== OPERATIONS_ACCOUNT);
  return {
    key: `${keyPrefix}:limits`,
    beginAfterMs: 0,
    endAfterMs: END_FACTOR * debounceMs,
    candidates(cursor) {
      const [all, from] = [overfull(), Number(cursor)];
      const end = from + PAGE;
      return Promise.resolve({ cursor: end < all.length ? String(end) : '0', ids: all.slice(from, end) });
    },
    verdicts(ids) {
      const over = new Set(overfull());
      return Promise.resolve(new Map(ids.map((id) => [id, over.has(id) ? 'holds' : 'over'] as const)));
    },
    async messageOf(account, change, { since }): Promise<OperationsMessage | undefined> {
      if (change === 'ended') return undefined;
      const { events, bytes } = await usages.read(account);
      return {
        id: operationsMessageId('limit', account, since),
        type: 'account.limit_reached',
        time: new Date().toISOString(),
        account,
        events,
        eventsMax: limits.events,
        bytes,
        bytesMax: limits.bytes,
        reason: `New events of the account are refused: ${reasonOf(events, bytes, limits)}.`,
        portalPath: SETTINGS_PAGE_PATH,
      };
    },
  };
}

function reasonOf(events: number, bytes: number, limits: AccountLimitsDeps['limits']): string {
  if (events >= limits.events) return 'it has too many undelivered events (WAITING_MAX_EVENTS)';
  if (bytes >= limits.bytes) return 'its undelivered events and dead letters take too many bytes (WAITING_MAX_BYTES)';
  return 'its undelivered events and dead letters take more bytes than Redis has left';
}
