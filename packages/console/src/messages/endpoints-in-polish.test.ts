import request from 'supertest';
import {
  coded,
  destinationHealth,
  eventType,
  HISTORY_RANGES,
  NO_DELIVERIES,
  rangeSpan,
  replyBucketOf,
} from '@mailhook/core';
import type { DestinationStatus, HistoryRange } from '@mailhook/core';
import { startReceiver } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import { PAGE, settingsPageRig, browserOf } from '../../../../services/api/src/settings-page-rig.suite.ts';
import type { Content } from '../html/markup.ts';
import { html } from '../html/markup.ts';
import { endpointState, troubleOf } from '../settings/shared/destination-state.ts';
import { stateNotice } from '../settings/endpoint/endpoint-notice.ts';
import { historyCharts } from '../settings/shared/history-charts.ts';
import { periodHeader } from '../settings/shared/period.ts';
import { aShownDestination } from '@mailhook/testing';
import { pageOf, questionOf } from '../settings/navigation.ts';
import { foreignWords, markMessages } from './foreign-words.suite.ts';
import { texts } from './texts.ts';

/** Names, words of protocols, types of events, and what the tests type. */
const ALLOWED = [
  'host',
  'Mailhook',
  'xx',
  'UTC',
  'Node',
  'js',
  'Python',
  'PHP',
  'HTTP',
  'https',
  'authorization',
  'ms',
  'http',
  'example',
  'com',
  'OK',
  'POST',
  // What fields of a filter may hold, and the name that is typed.
  'receipt',
  'aBcDeFgHiJ',
  'net',
  'order',
  'survey',
  'answered',
  'Warehouse',
  'k'.repeat(70),
  'x'.repeat(129),
  ...eventType.options,
];

/** A form with everything that a form for a new endpoint has. */
const EVERYTHING = {
  boxes: '1',
  name: 'Warehouse',
  ...Object.fromEntries(eventType.options.map((type) => [`types.${type}`, '1'])),
  version: '2',
  shape: 'single',
  maxEvents: '100',
  concurrency: '2',
  maxRequestsPerSecond: '9',
  'filter.tags': 'receipt',
  'filter.domains': '.example.net',
  'filter.metadata': 'order: 4711',
  'filter.labels': 'survey.answered',
  'filter.bounce': 'hard',
  'filter.machine': 'never',
  'filter.first': '1',
};

let restore: () => void;
beforeAll(() => (restore = markMessages()));
afterAll(() => restore());

describe('texts of endpoints are in the catalogs', () => {
  const rig = settingsPageRig();
  let receiver: FakeReceiver;
  let browser: Awaited<ReturnType<typeof browserOf>>;
  beforeEach(async () => {
    receiver = await startReceiver();
    browser = await browserOf(rig.api, rig.mine.token);
  });
  afterEach(() => receiver.close());

  const expectPolish = async (...paths: readonly string[]): Promise<void> => {
    for (const path of paths) {
      const { status, text } = await request(rig.api.baseUrl)
        .get(`${PAGE}${path}`)
        .set({ cookie: browser.cookie, 'accept-language': 'pl' });
      expect([path, status, foreignWords(text, ALLOWED)]).toEqual([path, 200, []]);
    }
  };
  /** Presses a button, whose outcome or dialog is then on the page. */
  const press = async (form: Record<string, string>, expected = 200): Promise<void> => {
    const { status, text } = await browser.send(form, { 'accept-language': 'pl' });
    expect([form, status, foreignWords(text, ALLOWED)]).toEqual([form, expected, []]);
    expect(/<div class="outcome".*?<dialog.*?<\/dialog>|<div class="outcome".*?<\/div>/s.exec(text)?.[0]).toContain(
      '⟦',
    );
  };

  it('in the first run, and at wrong fields', async () => {
    await expectPolish(
      '',
      '/endpoints',
      '/new-endpoint',
      '/alerts',
      '/endpoints/campaign',
      '/endpoints/campaign?tab=settings',
    );
    for (const address of ['', 'x', 'http://a b', 'http://[', 'http://a:b@c', 'http://x:0', 'http://169.254.169.254']) {
      for (const button of ['save-campaign', 'create-subscription']) {
        await press({ do: button, address, 'types.open': '1' }, 422);
      }
    }
    await press({ do: 'test-campaign', address: '' }, 422);
    const id = await rig.api.subscribe(rig.mine, 'open', receiver.url);
    for (const login of ['basic', 'bearer']) await press({ do: 'save-settings', destination: id, login }, 422);
    for (const field of ['maxRequestsPerSecond', 'concurrency', 'maxEvents'])
      for (const wrong of ['0', '2000', 'x', '1.5'])
        await press({ do: 'save-endpoint', id, address: '', [field]: wrong }, 422);
    const boxes = { do: 'save-endpoint', id, address: receiver.url, boxes: '1' };
    for (const wrong of [
      {},
      { 'types.sent': '1' },
      { 'types.*': '1', version: '1' },
      { 'types.*': '1', 'types.sent': '1', version: '2' },
      { 'types.open': '1', version: '1', shape: 'array' },
      { 'types.open': '1', version: '2', shape: 'array', concurrency: '9' },
      { 'types.open': '1', version: '9' },
      { 'types.open': '1', 'filter.campaigns': 'aBcDeFgHiJ' },
      { 'types.open': '1', 'filter.domains': 'a b' },
      { 'types.open': '1', 'filter.metadata': 'order' },
      { 'types.open': '1', 'filter.metadata': `${'k'.repeat(70)}: x` },
      { 'types.open': '1', 'filter.tags': Array.from({ length: 21 }, (_, i) => `t${i}`).join('\n') },
      { 'types.open': '1', 'filter.tags': 'x'.repeat(129) },
    ])
      await press({ ...boxes, ...wrong }, 422);
    await press(
      { do: 'create-subscription', address: receiver.url, boxes: '1', module: 'campaign', 'types.suppression': '1' },
      422,
    );
    await press(
      { do: 'create-subscription', address: receiver.url, boxes: '1', 'types.*': '1', 'types.open': '1' },
      422,
    );
    for (const headers of ['host: x', 'a b: x', 'x-a:', 'x-a: \u00e9', 'x-a']) {
      await press({ do: 'save-settings', destination: id, login: 'none', headers }, 422);
    }
    const twice = { login: 'bearer', password: 'x', headers: 'authorization: x' };
    await press({ do: 'save-settings', destination: id, ...twice }, 422);
    await press({ do: 'delete-secret', id: 'unknown' }, 404);
    await press({ do: 'delete-endpoint', id: 'unknown' }, 404);
    await press({ do: 'nothing' }, 404);
  });

  it('in tests and forms', async () => {
    const address = receiver.url;
    for (const button of ['test-batch', 'test-campaign', 'save-campaign']) await press({ do: button, address });
    await press({ do: 'test-new-endpoint', address, 'types.open': '1' });
    await press({ do: 'preview-endpoint', address, ...EVERYTHING });
    await press({ do: 'create-subscription', address, ...EVERYTHING });
    await press({ do: 'create-subscription', address, 'types.open': '1' });
    await press({ do: 'create-subscription', address, 'types.open': '1' }, 409);
    const call = rig.api.as(rig.mine.token);
    const [one] = (await call('get', '/v3/webhook/subscriptions')).body as { id: string }[];
    const id = one?.id ?? '';
    const all = (await call('get', '/v3/webhook/destinations')).body as { items: { id: string }[] };
    for (const { id: endpoint } of all.items) {
      await expectPolish(
        ...['overview', 'deliveries', 'testing', 'settings'].map((tab) => `/endpoints/${endpoint}?tab=${tab}`),
      );
    }
    await press({ do: 'save-endpoint', id, address, boxes: '1', 'types.click': '1' });
    await press({ do: 'save-endpoint', id, address, boxes: '1', 'types.click': '1', 'types.open': '1' }, 409);
    await press({ do: 'save-settings', destination: id, login: 'bearer', password: 'x' });
    await press({ do: 'save-endpoint', id, address: 'http://127.0.0.1:9/2', maxRequestsPerSecond: '5' });
    await press({ do: 'test-endpoint', id, type: 'click' });
    await press({ do: 'save-endpoint', id, address });
    receiver.setReply(() => ({ status: 500 }));
    await press({ do: 'test-endpoint', id, type: 'click' });
    await press({ do: 'test-campaign', address });
    for (const status of [500, 301, 200]) {
      receiver.setReply(() => ({ status, body: '<title>Shop</title>' }));
      await press({ do: 'check-campaign', address });
      await press({ do: 'check-endpoint', id });
      await press({ do: 'test-batch', address });
    }
    await expectPolish('/deliveries');
    await press({ do: 'create-secret', destination: id });
    await expectPolish('', '/endpoints', '/event-types', `/endpoints/${id}`);
  });

  it('in dialogs, and when deliveries stop and go on', async () => {
    const id = await rig.api.subscribe(rig.mine, 'open', receiver.url);
    await press({ do: 'save-campaign', address: receiver.url });
    for (const one of ['campaign', id]) {
      for (const ask of ['ask-pause', 'ask-off']) await press({ do: ask, destination: one, id: one });
    }
    for (const one of ['campaign', id]) await press({ do: 'ask-delete', destination: one });
    await press({ do: 'save-campaign', address: '' }, 422);
    await press({ do: 'pause', destination: id, minutes: '60' });
    await expectPolish('', `/endpoints/${id}`);
    await press({ do: 'resume', destination: id });
    await press({ do: 'send-now', destination: id, deadLetters: 'true' });
    await press({ do: 'switch-off', id });
    await expectPolish(`/endpoints/${id}`, `/endpoints/${id}?tab=settings`);
    await press({ do: 'switch-on', id });
    await press({ do: 'delete-endpoint', id });
    await press({ do: 'delete-endpoint', destination: 'campaign' });
  });
});

describe('without an account', () => {
  const reader = { language: 'pl', timeZone: 'UTC', nowMs: 0, deadlineMs: 5000 } as const;
  const wordsOf = (content: Content): string[] =>
    foreignWords(`<html lang="pl">${html`${content}`.toString(reader)}</html>`, ALLOWED);
  const time = '2026-01-05T09:00:00.000Z';

  it.each(destinationHealth.options)('the state %s and its reasons are in the catalogs', (state) => {
    const lastHour = { confirmed: 5, unconfirmed: 2, delivered: 4, failed: 3 };
    for (const more of [
      {},
      { resends: 500, pausedBy: 'customer' },
      { lastHour: { ...lastHour, unconfirmed: 0 } },
    ] as const) {
      for (const times of [{}, { oldestWaitingAt: time, nextAttemptAt: time, parkedUntil: time, pausedUntil: time }]) {
        const address = 'https://example.com/';
        const counts = { waiting: 7, resends: 2, failures: 3, lastHour, lastError: coded('no-reply') };
        const base = { ...aShownDestination({ address }), destination: 'd', kind: 'campaign', state } as const;
        const status: DestinationStatus = { ...base, ...counts, ...times, ...more };
        const statuses = { value: new Map([['d', status]]) };
        const deadLetters = { value: { items: [], total: 0 } };
        const destinations = { value: [] };
        const read = { newest: { value: { items: [] } }, lastFailure: undefined, signing: undefined };
        const endpoint = { id: 'd', name: texts.endpoints.campaign, settings: base, status };
        expect(
          wordsOf(stateNotice('d', { ...read, statuses, deadLetters, question: pageOf('endpoints', 'd') })),
        ).toEqual([]);
        expect(wordsOf([endpointState(endpoint, { destinations, statuses }), troubleOf(status)?.text])).toEqual([]);
      }
    }
  });

  it.each(Object.keys(HISTORY_RANGES) as HistoryRange[])('the charts of %s are in the catalogs', (range) => {
    const replies = [...Array<number>(replyBucketOf(1500)).fill(0), 4];
    const bars = [{ ...NO_DELIVERIES, fromMs: Date.parse(time), events: 9, delivered: 3, failed: 1, replies }];
    const question = questionOf('overview', '', { range });
    const span = rangeSpan(range, Date.parse(time));
    const view = { chart: { value: bars }, question, span, nowMs: Date.parse(time), deadlineMs: 2500 };
    expect(wordsOf([periodHeader(view), historyCharts('all', view, 3)])).toEqual([]);
    expect(html`${historyCharts('all', view, 3)}`.toString(reader)).toContain('2,5 s');
  });
});
