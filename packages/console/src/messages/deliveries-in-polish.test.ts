import { coded, eventType } from '@mailhook/core';
import type { DeadLetterDetail, DeliveryAttemptDetail, EventTraces, RedriveProgress } from '@mailhook/core';
import { aShownDestination } from '@mailhook/testing';
import { deadLetterActions } from '../settings/dead-letters/actions.ts';
import { deadLettersContent, redriveAll } from '../settings/dead-letters/content.ts';
import { deliveriesList, liveState } from '../settings/deliveries/content.ts';
import { dialogArea } from '../page/dialog.ts';
import { eventSearch } from '../settings/events/content.ts';
import type { Press } from '../settings/family.ts';
import type { Outcome } from '../page/outcome.ts';
import { outcomeArea } from '../settings/shared/page-parts.ts';
import { pageOf } from '../settings/navigation.ts';
import { testTraffic } from '../settings/shared/request-reply.ts';
import type { Markup } from '../html/markup.ts';
import { foreignWords, markMessages } from './foreign-words.suite.ts';

/** Words of protocols, parts of addresses, and names of types of events. */
const ALLOWED = ['HTTP', 'UTC', 'ms', 'xx', 'https', 'example', 'com', ...eventType.options];
const TIME = '2026-01-05T10:00:00.000Z';
const ADDRESS = 'https://example.com/';
const ERROR = coded('status', { status: '500 Internal Server Error' });

const attempt = (id: string, more: Partial<DeliveryAttemptDetail> = {}): DeliveryAttemptDetail => ({
  id,
  time: TIME,
  kind: 'campaign',
  address: ADDRESS,
  events: 3,
  attempt: 1,
  status: 'failed',
  durationMs: 12,
  error: ERROR,
  ...more,
});
const delivered = { status: 'delivered', error: undefined, httpStatus: 200 } as const;
const request = { method: 'POST', headers: { 'content-type': 'a' }, signatures: 0, bytes: 900 } as const;
const reply = { status: 200, headers: {}, body: '', isBodyWhole: true };
const split = (id: string) => attempt(id, { attempt: 2, split: { id: 's', attempt: 2, requests: 2 } });
const held = (state: 'resend' | 'dead' | 'unknown') => ({ state, payloads: [{ hash: 'h' }] });
const long = JSON.stringify(Array.from({ length: 3000 }, (_, i) => ({ hash: `hash-number-${i}` })));

/** Attempts as one may open them, of each kind, with each form of a request, a reply and held events. */
const OPENED: readonly DeliveryAttemptDetail[] = [
  attempt('1', { wasSent: false, nextAttemptAt: '2026-01-05T11:00:00.000Z', held: held('resend') }),
  attempt('2', { wasSent: true, request, held: held('dead'), unconfirmed: 2, eventKeys: ['a', 'b'] }),
  attempt('3', { wasSent: true, request: { ...request, signatures: 2 }, held: held('unknown'), httpStatus: 500 }),
  attempt('4', { wasSent: true, request: { ...request, signatures: 1, body: '[]', isRepeated: true } }),
  attempt('5', {
    ...delivered,
    wasSent: true,
    request: { ...request, signatures: 1, headers: { 'webhook-signature': 'v1', 'x-a': '(not shown)' }, body: long },
    reply: { ...reply, status: 302, headers: { location: '/new' } },
  }),
  attempt('6', { ...delivered, kind: 'transactional', destination: 'gone', wasSent: true, request, eventKeys: ['m'] }),
  attempt('7', { ...delivered, kind: 'transactional', destination: 's', types: ['click'], wasSent: true, request }),
  attempt('8', { ...delivered, kind: 'transactional' }),
  attempt('9', { ...delivered, kind: 'test', wasSent: true, request, reply: { ...reply, body: '{"status":"ok"}' } }),
  attempt('10', { kind: 'test', error: undefined, reply: { ...reply, isBodyWhole: false, body: 'a' } }),
  attempt('11', { reply: { ...reply, isBodyWhole: false } }),
  attempt('12', { reply: { ...reply, status: 400, isBodyWhole: false } }),
  attempt('13', { reply: { ...reply, isBodyWhole: false, headers: { 'content-encoding': 'gzip' } } }),
  attempt('14', { wasSent: true, batchAttempts: [attempt('14'), attempt('15', { ...delivered, attempt: 2 })] }),
  attempt('16', { batchAttempts: [attempt('16'), split('17'), split('18')], events: 30, status: 'dead' }),
];

const progress = (more: Partial<RedriveProgress>): RedriveProgress => ({
  state: 'ended',
  left: 0,
  startedAt: TIME,
  waiting: 1,
  delivered: 2,
  failed: 1,
  returned: 1,
  ...more,
});
const letter: DeadLetterDetail = {
  id: '1-2',
  time: TIME,
  kind: 'campaign',
  module: 'campaign',
  shape: 'batch',
  destination: 'campaign',
  address: ADDRESS,
  events: 2,
  attempts: 3,
  error: ERROR,
  payloads: Array.from({ length: 21 }, () => ({ hash: 'h' })),
  history: [attempt('1')],
};
const letters = [letter, { ...letter, id: '1-3', kind: 'transactional', destination: 'gone' } as const];
const groupIds = ['g', 'h', 'i'];
const groups = groupIds.map((id, i) => ({
  id,
  cause: id,
  destination: i === 0 ? 'campaign' : 'gone',
  error: ERROR,
  deadLetters: 2,
  events: 3,
  oldest: new Date(Date.parse(TIME) - i * 3 * 86_400_000).toISOString(),
}));

type View = Parameters<typeof deliveriesList>[0] &
  Parameters<typeof deadLettersContent>[0] &
  Parameters<typeof eventSearch>[0];

const view = (page: Parameters<typeof pageOf>[0], more: Partial<View>, asked: object = {}): View =>
  ({
    nowMs: Date.parse(TIME),
    question: { ...pageOf(page), ...asked },
    destinations: {
      value: [
        aShownDestination({ id: 'campaign', module: 'campaign', address: ADDRESS }),
        aShownDestination({ id: 's', types: ['click'], address: ADDRESS }),
      ],
    },
    deliveries: { value: { items: OPENED, deliveredSince: '2026-01-01T00:00:00.000Z' } },
    deadLetters: { value: { items: letters, total: 2, nextCursor: 'c' } },
    statuses: { value: new Map() },
    groups: { value: { items: groups, isComplete: false } },
    kept: {
      delivered: 10_000,
      attempts: 10_000,
      megabytes: 5,
      days: 7,
      perSecond: 200,
      perSecondOfAll: 1000,
      waiting: 10_000,
      resends: 100,
      deadLetters: 5000,
    },
    signing: { secrets: { value: [] }, ownSecrets: { value: new Map() } },
    ...more,
  }) as Partial<View> as View;

describe('texts of deliveries, dead letters and the search for an event', () => {
  let restore: () => void;
  beforeAll(() => (restore = markMessages()));
  afterAll(() => restore());

  function expectPolish(what: unknown, part: Markup): void {
    const html = part.toString({ language: 'pl', timeZone: 'UTC', nowMs: Date.parse(TIME), deadlineMs: 5000 });
    expect(html).toContain('⟦');
    expect([what, foreignWords(html, ALLOWED)]).toEqual([what, []]);
  }

  it.each(OPENED.map((one) => [one.id, one] as const))('are in the catalogs: opened attempt %s', (id, one) => {
    expectPolish(id, deliveriesList(view('deliveries', { attempt: { value: one } }, { attempt: id })));
  });

  it('are in the catalogs: the list', () => {
    expectPolish('live', liveState);
    const none = { deliveries: { value: { items: [] } } };
    expectPolish('none', deliveriesList(view('deliveries', none)));
    expectPolish('filtered', deliveriesList(view('deliveries', none, { status: 'dead', cursor: 'c' })));
    const more = { deliveries: { value: { items: [], nextCursor: 'c' } } };
    expectPolish('so far', deliveriesList(view('deliveries', more, { destination: '77' })));
    expectPolish('of an endpoint', deliveriesList(view('endpoints', {}, { endpoint: 'campaign' })));
    const folded = { deliveries: { value: { items: [split('1'), attempt('2', { split: { id: 't', attempt: 1 } })] } } };
    expectPolish('folded', deliveriesList(view('deliveries', folded)));
    expectPolish('traffic', testTraffic({ address: ADDRESS, request: undefined, reply: undefined }));
    expectPolish('sent', testTraffic({ address: ADDRESS, request: { headers: {}, body: '[]' }, reply: undefined }));
  });

  it('are in the catalogs: dead letters', () => {
    expectPolish('actions', redriveAll(view('dead-letters', {})));
    for (const state of ['running', 'ended', 'stopped', 'interrupted'] as const) {
      const redriven = progress({ state, left: 2 });
      const deadLetters = { value: { items: letters, total: 2, redriven } };
      expectPolish(state, deadLettersContent(view('dead-letters', { deadLetters }, { cause: 'other', dead: 'c' })));
    }
    const none = { value: { items: [], total: 0 } };
    expectPolish('none', deadLettersContent(view('dead-letters', { deadLetters: none })));
    expectPolish('filtered', deadLettersContent(view('dead-letters', { deadLetters: none }, { cause: 'g' })));
    expectPolish('opened', deadLettersContent(view('dead-letters', { letter: { value: letter } })));
    const untried = { ...letter, destination: 'gone', attempts: 0, history: [] };
    const old = { value: { items: [{ ...untried, error: coded('too-old') }], total: 1 } };
    const page = deadLettersContent(view('dead-letters', { letter: { value: untried }, deadLetters: old }));
    expectPolish('untried', page);
    expect(String(page)).toContain('without an attempt, because the endpoint was switched off.');
  });

  it('are in the catalogs: questions about dead letters, and what became of them', async () => {
    const answers = {
      groups: { items: groups, isComplete: false },
      redrive: { redriven: 2, inactive: 1 },
      discard: { deadLetters: 1, events: 2 },
      stopRedrive: { total: 0, redriven: progress({ left: 3 }) },
    };
    const run = async (name: string, form: Record<string, string>, more: object = {}): Promise<Outcome> => {
      const found = { ...answers, ...more };
      const deadLetters = {
        ...Object.fromEntries(Object.entries(found).map(([key, answer]) => [key, () => Promise.resolve(answer)])),
        read: () => Promise.resolve(letter),
      };
      const api = {
        deadLetters,
        destinations: {
          settings: () => Promise.resolve([aShownDestination({ id: 'campaign', address: ADDRESS, active: true })]),
          of: () => Promise.resolve([]),
        },
      };
      const press = { api, account: 'a' } as unknown as Press;
      const said = await deadLetterActions[name]!.press({ ...press, form, onUnchanged: () => undefined });
      return { place: 'dead-letters', ...said };
    };
    const group = { 'group-g': '1' };
    for (const outcome of [
      await run('ask-redrive', {}),
      await run('ask-redrive', { id: '1-2' }),
      await run('ask-redrive', {}, { groups: { items: [], isComplete: true } }),
      await run('ask-redrive-selected', {}),
      await run('ask-discard', group),
      await run('redrive', {}),
      await run('redrive', {}, { redrive: { redriven: 1 } }),
      await run('redrive', {}, { redrive: { redriven: 0 } }),
      await run('redrive', {}, { redrive: { redriven: 0, inactive: 2 } }),
      await run('discard', group),
      await run('stop-redrive', {}),
      await run('stop-redrive', {}, { stopRedrive: { total: 0 } }),
    ]) {
      const { dialog } = outcome;
      if (dialog === undefined) expectPolish(outcome.text, outcomeArea(outcome));
      else expectPolish(dialog.title, dialogArea(dialog));
    }
  });

  it('are in the catalogs: the search for an event', () => {
    const find = (event: string, found: Partial<EventTraces>): Markup => {
      const by = event.includes('@') ? ('recipient' as const) : ('key' as const);
      const value = { by, items: [], attempts: [], searched: 'the log', isComplete: true, ...found };
      return eventSearch(view('events', { event: { value } }, { event }));
    };
    const states = ['waiting', 'in_flight', 'resend', 'dead', 'delivered', 'failed'] as const;
    const items = states.map((state) => ({ destination: state, state, attempts: 1, error: ERROR }));
    const times = { acceptedAt: TIME, nextAttemptAt: TIME };
    const attempts = [
      attempt('1'),
      attempt('2', { error: undefined }),
      attempt('3', { ...delivered, unconfirmed: 2 }),
      attempt('4', { ...delivered, httpStatus: undefined, events: 1 }),
    ];
    expectPolish('nothing', find('0', {}));
    expectPolish('nothing so far', find('0', { isComplete: false }));
    expectPolish('states', find('0', { items, isComplete: false }));
    const resend = { destination: 'campaign', state: 'resend', attempts: 2, ...times } as const;
    const dead = { destination: 'campaign', state: 'dead', attempts: 2, error: ERROR } as const;
    expectPolish('attempts', find('0', { items: [resend, dead], attempts }));
    for (const isComplete of [true, false]) {
      const known = items.map((item) => ({ ...item, hash: 'h', type: 'click', deadLetter: '1-2' }) as const);
      expectPolish('of a recipient', find('0@example.com', { items: [...known, ...items], attempts, isComplete }));
    }
  });
});
