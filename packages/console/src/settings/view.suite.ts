import type { DestinationHealth, DestinationStatus, HistoryBar, ShownDestination } from '@mailhook/core';
import { coded, rangeSpan } from '@mailhook/core';
import { aShownDestination } from '@mailhook/testing';
import type { Frame } from './family.ts';
import { pageOf } from './navigation.ts';
import type { WithHistory } from './parts.ts';

/** When the oldest event was accepted that still waits. */
export const SINCE = '2026-01-05T10:00:00.000Z';

/** A destination with a state. */
export interface Given extends Partial<ShownDestination> {
  readonly state: DestinationHealth;
  readonly waiting?: number;
  readonly failures?: number;
  readonly lastHour?: DestinationStatus['lastHour'];
}

const HALF_CONFIRMED = { confirmed: 5, unconfirmed: 5, delivered: 0, failed: 0 };

const statusOf = (
  { state, waiting = 0, failures = 3, lastHour = HALF_CONFIRMED }: Given,
  settings: ShownDestination,
): DestinationStatus => ({
  ...aShownDestination(settings),
  destination: settings.id,
  kind: 'transactional',
  state,
  waiting,
  resends: 0,
  failures,
  lastHour,
  oldestWaitingAt: SINCE,
  lastError: coded('status', { status: '500 Internal Server Error' }),
});

/** A view of an account with these destinations, d0, d1 and so on, and these attempts of all of them. */
export function viewOf(given: readonly Given[], bars: readonly HistoryBar[] = []): Frame & WithHistory {
  const all = given.map(({ state: _state, waiting: _waiting, failures: _failures, lastHour: _lastHour, ...more }, i) =>
    aShownDestination({ id: `d${i}`, ...more }),
  );
  return {
    nowMs: Date.parse(SINCE) + 60_000,
    question: pageOf('overview'),
    destinations: { value: all },
    statuses: { value: new Map(all.map((one, i) => [one.id, statusOf(given[i] ?? { state: 'healthy' }, one)])) },
    deadLetters: { value: { items: [], total: 7 } },
    isLogOn: false,
    history: { value: new Map() },
    chart: { value: bars },
    unrouted: {},
    span: rangeSpan('24h', Date.parse(SINCE)),
    deadlineMs: 5000,
  };
}
