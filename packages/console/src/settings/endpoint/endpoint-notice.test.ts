import type { DestinationStatus } from '@mailhook/core';
import { aShownDestination } from '@mailhook/testing';
import { stateNotice } from './endpoint-notice.ts';
import { pageOf } from '../navigation.ts';

const status = (resends: number): DestinationStatus => ({
  ...aShownDestination(),
  destination: 'd',
  kind: 'campaign',
  state: 'failing',
  waiting: 2000,
  resends,
  lastHour: { confirmed: 0, unconfirmed: 0, delivered: 0, failed: 3 },
  failures: 3,
  oldestWaitingAt: '2026-11-25T10:00:00.000Z',
  nextAttemptAt: '2026-11-25T12:00:00.000Z',
});
/** What else the page has read. */
const NOTHING = {
  deliveries: { value: { items: [] } },
  signing: undefined,
};

function textOf(resends: number): string {
  const statuses = { value: new Map([['d', status(resends)]]) };
  const deadLetters = { value: { items: [], total: 0 } };
  return String(stateNotice('d', { ...NOTHING, statuses, deadLetters, question: pageOf('endpoints', 'd') })).replaceAll(
    /<[^>]+>/g,
    '',
  );
}

test('figures that are read from a part of the resends are called estimates', () => {
  const [exact, estimated] = [textOf(100), textOf(101)];
  expect(exact).toContain('2,000 events are waiting');
  expect(exact).not.toMatch(/About|or earlier/);
  expect(estimated).toContain('About 2,000 events are waiting');
  expect(estimated.match(/ or earlier/g)).toHaveLength(2);
});
