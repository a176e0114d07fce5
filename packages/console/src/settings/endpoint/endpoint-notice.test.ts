import { coded } from '@mailhook/core';
import type { CodedText, DeliveryAttemptDetail, DestinationStatus } from '@mailhook/core';
import { aShownDestination } from '@mailhook/testing';
import { stateNotice } from './endpoint-notice.ts';
import { pageOf } from '../navigation.ts';
import type { TabName } from '../navigation.ts';

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
  newest: { value: { items: [] } },
  lastFailure: undefined,
  signing: undefined,
};

function textOf(resends: number, more: Partial<DestinationStatus> = {}, tab: TabName = 'overview'): string {
  const statuses = { value: new Map([['d', { ...status(resends), ...more }]]) };
  const deadLetters = { value: { items: [], total: 0 } };
  return String(
    stateNotice('d', { ...NOTHING, statuses, deadLetters, question: pageOf('endpoints', 'd', tab) }),
  ).replaceAll(/<[^>]+>/g, '');
}

test('figures that are read from a part of the resends are called estimates', () => {
  const [exact, estimated] = [textOf(100), textOf(101)];
  expect(exact).toContain('2,000 events are waiting');
  expect(exact).not.toMatch(/About|or earlier/);
  expect(estimated).toContain('About 2,000 events are waiting');
  expect(estimated.match(/ or earlier/g)).toHaveLength(2);
});

test('a receiver that works again while its resends wait is not said to fail', () => {
  const lastHour = { confirmed: 0, unconfirmed: 0, delivered: 1, failed: 200 };
  const text = textOf(3, { state: 'degraded', failures: 0, lastHour });
  expect(text).toMatch(/The last attempt was successful. 3 failed requests wait for another attempt, the next one at/);
  expect(text).toContain('In the last hour, 200 of 201 attempts failed.');
  expect(text).toContain('Send everything now');
  expect(text).not.toContain('%');
  // The same for a receiver with few failures, also on the tab of deliveries.
  for (const tab of ['overview', 'deliveries'] as const)
    expect(textOf(3, { state: 'healthy', failures: 0 }, tab)).toContain('Send everything now');
});

test('a receiver that leaves events out does not work again once they are given up', () => {
  const lastHour = { confirmed: 10, unconfirmed: 10, delivered: 0, failed: 2 };
  const text = textOf(0, { state: 'degraded', failures: 0, waiting: 0, lastHour });
  expect(text).toContain('Your server confirms 50 % of events');
  expect(text).toContain('Confirm every event that you stored');
  expect(text).not.toContain('No event waits');
});

const ATTEMPT: DeliveryAttemptDetail = {
  id: 'a',
  kind: 'transactional',
  time: '2026-11-25T10:00:00.000Z',
  address: 'https://example.com/',
  events: 1,
  attempt: 1,
  status: 'failed',
  durationMs: 1,
};

test.each([
  ['Error: the database is down\n    at save (app.js:9)', '“Error: the database is down”'],
  ['{\n  "error": "<db> is down"\n}', '“{ &quot;error&quot;: &quot;&lt;db&gt; is down&quot; }”'],
  ['<!DOCTYPE html>\n<title>Application error</title>', '“Application error”'],
])('an endpoint that fails quotes its reply %j', (body, quoted) => {
  const statuses = { value: new Map([['d', status(1)]]) };
  const reply = { status: 500, headers: {}, body, isBodyWhole: true };
  const lastFailure = { value: { ...ATTEMPT, reply } };
  const deadLetters = { value: { items: [], total: 0 } };
  const view = { ...NOTHING, lastFailure, statuses, deadLetters, question: pageOf('endpoints', 'd') };
  expect(String(stateNotice('d', view))).toContain(`Your server’s reply: <bdi>${quoted}</bdi>`);
});

test.each(['test', 'transactional'] as const)('a web page that answered the newest %s is a warning', (kind) => {
  const page = coded('test-page', { status: 200, fault: coded('titled-web-page', { quote: '“Log in”' }) });
  const noticeAfter = (...errors: readonly (CodedText | undefined)[]): string => {
    const items = errors.map((error) => ({
      ...ATTEMPT,
      kind,
      destination: 'd',
      ...(error && { error }),
    }));
    const statuses = { value: new Map([['d', { ...status(0), state: 'healthy' as const }]]) };
    const deadLetters = { value: { items: [], total: 0 } };
    const view = { ...NOTHING, newest: { value: { items } }, statuses, deadLetters };
    return String(stateNotice('d', { ...view, question: pageOf('endpoints', 'd') }));
  };
  expect(noticeAfter(page)).toContain('the reply is a web page: <bdi>“Log in”</bdi>');
  expect(noticeAfter(page)).toContain('Enter the address of your webhook handler');
  expect(noticeAfter(undefined, page)).not.toContain('web page');
});
