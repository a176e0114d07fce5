import type { DestinationView } from '../contracts/overview.ts';
import { coded } from './coded-text.ts';
import type { CodedText } from './coded-text.ts';
import { groupFailing } from './failing-receivers.ts';

const NOW = Date.parse('2026-01-01T00:10:00.000Z');
const REFUSED = coded('status', { status: '500 Internal Server Error' });
const SILENT = coded('no-reply');

const view = (
  id: string,
  host: string,
  lastError: CodedText,
  more: Partial<DestinationView> = {},
): DestinationView => ({
  id,
  kind: 'transactional',
  module: 'transactional_email',
  shape: 'single',
  account: 'acc_1',
  address: `https://${host}/${id}`,
  state: 'parked',
  waiting: 5,
  undelivered: 5,
  resends: 1,
  inFlight: 0,
  failures: 3,
  lastHour: { delivered: 0, failed: 3, confirmed: 0, unconfirmed: 0 },
  health: 'parked',
  isTried: true,
  breaker: 'open',
  oldestWaitingAt: '2026-01-01T00:00:00.000Z',
  lastError,
  ...more,
});

test('failing destinations are grouped by host and cause, the largest group first', () => {
  const groups = groupFailing(
    [
      view('a', 'one.example.com', SILENT),
      view('b', 'two.example.com', REFUSED, { account: 'acc_2', oldestWaitingAt: '2026-01-01T00:09:30.000Z' }),
      view('c', 'two.example.com', REFUSED, { undelivered: 7 }),
      view('d', 'two.example.com', SILENT, { undelivered: 1, oldestWaitingAt: undefined }),
      view('e', '', SILENT, { undelivered: 2, address: '' }),
    ],
    NOW,
  );
  expect(groups.map(({ host, cause, events }) => [host, String(cause), events])).toEqual([
    ['two.example.com', String(REFUSED), 12],
    ['one.example.com', String(SILENT), 5],
    ['no address', String(SILENT), 2],
    ['two.example.com', String(SILENT), 1],
  ]);
  expect(groups[0]).toMatchObject({ accounts: ['acc_2', 'acc_1'], oldestAt: '2026-01-01T00:00:00.000Z', recent: 1 });
});

test('destinations that are paused, have no events or do not fail are in no group', () => {
  const views = [
    view('a', 'one.example.com', SILENT, { state: 'paused' }),
    view('b', 'one.example.com', SILENT, { undelivered: 0 }),
    view('c', 'one.example.com', SILENT, { failures: 0 }),
    view('d', 'one.example.com', SILENT, { state: 'inactive' }),
  ];
  expect(groupFailing(views, NOW)).toEqual([]);
});
