import { SETTINGS_PAGE_PATH, OPERATIONS_ACCOUNT, publicIdOf } from '@mailhook/core';
import type { OperationsMessage } from '@mailhook/core';
import { operationsMessageId } from '@mailhook/delivery';
import type { BreakerScan, BreakerVerdict, ReadDestinations } from '@mailhook/insight';
import type { Verdict } from './debounce.ts';
import { PAGE } from './track.ts';
import type { Condition } from './track.ts';

/**
 * With undefined, the record ends without a message: the customer has switched the destination off, or a 410 has, and
 * the 410 has its message already.
 */
const VERDICTS: Readonly<Record<BreakerVerdict, Verdict | undefined>> = {
  failing: 'holds',
  closed: 'over',
  undecided: 'undecided',
  inactive: undefined,
};

/** The parked destinations of one mechanism and shard. */
export function failingDestinations(
  scan: BreakerScan,
  { keyPrefix, debounceMs, readDestinations }: FailingDeps,
): Condition {
  const accountOf = new Map<string, string>();
  return {
    key: `${keyPrefix}:failing:${scan.shard}:${scan.kind}`,
    beginAfterMs: debounceMs,
    endAfterMs: debounceMs,
    candidates: (cursor) => scan.parked(cursor, PAGE),
    async verdicts(ids) {
      const found = await scan.read(ids);
      accountOf.clear();
      const verdicts = new Map<string, Verdict>();
      for (const [id, { account, verdict }] of found) {
        accountOf.set(id, account);
        const result = VERDICTS[verdict];
        // No messages about the operations webhook itself.
        if (account !== OPERATIONS_ACCOUNT && result !== undefined) verdicts.set(id, result);
      }
      return verdicts;
    },
    async messageOf(id, change, { since }): Promise<OperationsMessage | undefined> {
      const account = accountOf.get(id) ?? '';
      const view = (await readDestinations(account, [{ id, kind: scan.kind }])).get(id);
      if (view === undefined) return undefined;
      const common = {
        time: new Date().toISOString(),
        account,
        destination: publicIdOf(account, id),
        kind: scan.kind,
        module: view.module,
        shape: view.shape,
        address: view.address,
        failingSince: new Date(since).toISOString(),
        waiting: view.undelivered,
        portalPath: SETTINGS_PAGE_PATH,
      } as const;
      if (change === 'ended') {
        const reason = 'A request succeeded again, and the destination has not been parked since.';
        return { id: operationsMessageId('recovered', id, since), type: 'destination.recovered', ...common, reason };
      }
      const { failures, lastError } = view;
      const reason =
        `${failures} attempts in a row ` +
        `failed${lastError === undefined ? '' : `, the last known error is: ${String(lastError)}`}`;
      return {
        id: operationsMessageId('failing', id, since),
        type: 'destination.failing',
        ...common,
        failures,
        reason,
      };
    },
  };
}

export interface FailingDeps {
  readonly keyPrefix: string;
  readonly debounceMs: number;
  readonly readDestinations: ReadDestinations;
}
