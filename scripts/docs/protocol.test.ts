import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  acknowledgement,
  batchBody,
  batchOutcome,
  campaignBatch,
  campaignEvent,
  campaignFragment,
  connectionTest,
  connectionTestReply,
  derivedHash,
  identityText,
  nextStep,
  notification,
  notificationFragment,
  notificationOutcome,
  objectOf,
  validateEvent,
  version2Fragment,
} from '@mailhook/core';
import type { CampaignEvent, CampaignInput, Notification, Outcome } from '@mailhook/core';
import { deliveryHeaders } from '@mailhook/delivery';

/** The examples and tables of the protocol page describe what the code does. */
const page = readFileSync('docs/protocol.md', 'utf8');
const SCHEMAS = { notification, campaignBatch, acknowledgement, connectionTest, connectionTestReply };
type Kind = keyof typeof SCHEMAS;

const allExamples = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(
  ([, text = '']) => JSON.parse(text) as unknown,
);
/** The objects of version 2, alone and in arrays. */
const version2 = allExamples
  .flatMap((example) => example as Readonly<Record<string, unknown>>[])
  .filter((body) => body['version'] === 2);
/** The bodies of version 1 and the replies. */
const examples = allExamples.filter((example) => ![example].flat().some((body) => version2.includes(body as never)));

const kindsOf = (example: unknown): Kind[] =>
  (Object.keys(SCHEMAS) as Kind[]).filter((kind) => SCHEMAS[kind].safeParse(example).success);
const examplesOf = (kind: Kind): unknown[] => examples.filter((example) => kindsOf(example).includes(kind));
// As they stand in the page, because parsing would change the order of the fields.
const notifications = examplesOf('notification') as Notification[];
const batches = examplesOf('campaignBatch') as CampaignEvent[][];

/** The rows of the table between two markers, as texts without backticks. */
function rowsOf(name: string): string[][] {
  const section = new RegExp(`<!-- ${name}: checked by a test -->([\\s\\S]*?)<!-- /${name} -->`).exec(page)?.[1] ?? '';
  const lines = section.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) => {
    const cells = line.slice(1, -1).split('|');
    return cells.map((cell) => cell.trim().replace(/^`|`$/g, ''));
  });
}

const reply = (status: number, body?: string) =>
  ({ type: 'reply', status, statusText: '', retryAfter: undefined, body }) as const;

test.each(examples)('%j is one of the bodies of the protocol', (example) => {
  expect(kindsOf(example)).toHaveLength(1);
});

test('there is an example of each body, notification type and campaign event', () => {
  expect([...new Set(examples.flatMap(kindsOf))].sort()).toEqual(Object.keys(SCHEMAS).sort());
  const names = notification.options.map(({ shape }) => shape.name.value);
  expect(notifications.map(({ name }) => name)).toEqual(names);
  const events = campaignEvent.options.map(({ shape }) => shape.event.value);
  expect(batches.flat().map(({ event }) => event)).toEqual(events);
});

test('the notifications are written as they are sent', () => {
  const sent = notifications.map((body) => notificationFragment({ ...body, account: 'a' }));
  expect(sent).toEqual(notifications.map((body) => JSON.stringify(body)));
});

test('the objects of version 2 are written as they are sent', () => {
  const sent = version2.map(({ version: _version, event: name, ...fields }) => {
    const result = validateEvent({ account: 'a', name, ...fields });
    return 'value' in result ? objectOf(version2Fragment(result.value, () => 'unused')) : result;
  });
  expect(sent.length).toBeGreaterThan(2);
  expect(sent).toEqual(version2.map((body) => JSON.stringify(body)));
});

test('the batch is written as it is sent, with derived hashes, and its acknowledgement names each event', () => {
  const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');
  for (const batch of batches) {
    const fragments = batch.map(({ attempt: _attempt, ...event }) => {
      const input = { ...event, account: 'a', module: 'campaign' } as CampaignInput;
      expect(event.hash).toBe(derivedHash(identityText(input), sha256));
      return campaignFragment(input, event.hash);
    });
    expect(batchBody(fragments.join('\n'), 1)).toBe(JSON.stringify(batch));
    const hashes = batch.map(({ hash }) => hash);
    for (const example of examplesOf('acknowledgement'))
      expect(batchOutcome(reply(200, JSON.stringify(example)), hashes)).toMatchObject({
        name: 'delivered',
        unconfirmed: [],
      });
  }
});

test('the signature', () => {
  const lines = /<!-- signature example[\s\S]*?```text\n([\s\S]*?)```/.exec(page)?.[1]?.trim().split('\n') ?? [];
  const values = new Map(lines.map((line) => [line.slice(0, 20).trim(), line.slice(20)]));
  const value = (name: string): string => values.get(name) ?? '';
  expect(kindsOf(JSON.parse(value('body')))).toEqual(['connectionTest']);
  const identity = { webhookId: value('webhook-id'), attempt: 1, secrets: [value('secret')] };
  const headers = deliveryHeaders(identity, value('body'), Number(value('webhook-timestamp')) * 1000);
  expect(headers['webhook-signature']).toBe(value('webhook-signature'));
});

describe('answers to a batch of two events', () => {
  const ACKNOWLEDGED: Partial<Record<string, Pick<Outcome, 'name' | 'unconfirmed'>>> = {
    all: { name: 'delivered', unconfirmed: [] },
    'only the 1st': { name: 'delivered', unconfirmed: [1] },
    'only the 2nd': { name: 'delivered', unconfirmed: [0] },
    none: { name: 'rejected', unconfirmed: 'all' },
    'none, invalid': { name: 'invalid-reply', unconfirmed: 'all' },
  };
  const rows = rowsOf('acknowledgements');

  test('are in the table', () => expect(rows.length).toBeGreaterThan(5));
  test.each(rows)('%s %s acknowledges: %s', (status, body, acknowledged) => {
    const expected = ACKNOWLEDGED[acknowledged];
    expect(expected).toBeDefined();
    expect(batchOutcome(reply(Number(status), body), ['aaaaaaaaaa', 'bbbbbbbbbb'])).toMatchObject({ ...expected });
  });
});

describe('statuses', () => {
  const acknowledged = JSON.stringify([{ hash: 'aaaaaaaaaa', status: true }]);
  const policy = { scheduleMs: [1], jitter: 0 };
  const fateOf = (outcome: Outcome): string => {
    if (outcome.name === 'delivered') return 'delivered';
    return nextStep(outcome, 0, policy, 0, 0).type === 'dead' ? 'dead letter' : 'resend';
  };
  const rows = rowsOf('answers').flatMap(([statuses = '', ...cells]) =>
    [...statuses.matchAll(/\d{3}/g)].map(([status]) => ({ status: Number(status), cells })),
  );

  test('are in the table', () => expect(rows.length).toBeGreaterThan(20));
  test.each(rows)('$status: $cells', ({ status, cells }) => {
    const toNotification = notificationOutcome(reply(status));
    const toBatch = batchOutcome(reply(status, acknowledged), ['aaaaaaaaaa']);
    expect(cells.map((cell) => cell.replace(/,.*/, ''))).toEqual([toNotification, toBatch].map(fateOf));
  });
});
