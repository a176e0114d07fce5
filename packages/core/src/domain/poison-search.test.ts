import { after, batch, confirmedAllBut, failed, ok, refused } from './follow-up.suite.ts';
import { partToSend } from './follow-up.ts';
import type { SentBatch } from './sent-batch.ts';

const timeout = failed({ name: 'timeout', httpStatus: undefined });
const inSearch = (count: number, search: string, more: Partial<SentBatch> = {}) => batch(count, { search, ...more });

describe('the search for poison events', () => {
  test('starts where the schedule ends, with one half of the batch', () => {
    const sent = batch(4, { step: 2 });
    for (const [random, part, at] of [
      [0.2, 'e0\ne1', 0],
      [0.7, 'e2\ne3', 1],
    ] as const) {
      const { delivered, followUps } = after(sent, refused, {}, random);
      expect(delivered).toBe(0);
      expect(followUps).toEqual([
        {
          type: 'send-now',
          identity: 'batch',
          isTried: true,
          fragments: sent.fragments,
          events: 4,
          step: 0,
          search: `refusal 0 256 ${at} 2,2`,
          waitMs: 0,
        },
      ]);
      expect(partToSend({ ...sent, ...followUps[0] }).fragments).toBe(part);
    }
  });
  test.each([
    ['a single event', batch(1, { step: 2 }), refused, {}],
    ['POISON_SPLIT=false', batch(4, { step: 2 }), refused, { poisonSplit: false }],
    ['a last failure that says nothing about the events', batch(4, { step: 2 }), failed({ httpStatus: 503 }), {}],
  ])('does not start with %s', (_what, sent, outcome, own) => {
    expect(after(sent, outcome, own).followUps.map(({ type }) => type)).toEqual(['dead']);
  });

  describe('while nothing is accepted', () => {
    test('goes down to one event, then tries the other parts from the smallest up', () => {
      const searches = ['refusal 0 256 0 4,4'];
      for (const _request of ['4', '2', '1', '1', '2']) {
        const [next] = after(inSearch(8, searches.at(-1)!), refused, {}, 0.2).followUps;
        expect(next).toMatchObject({ type: 'send-now', identity: 'batch', isTried: true, events: 8 });
        searches.push(next!.search);
      }
      expect(searches.slice(1)).toEqual([
        'refusal 0 255 0 2,2,4',
        'refusal 0 254 0 1,1,2,4',
        'refusal 0 253 1 -1,1,2,4',
        'refusal 0 252 2 -1,-1,2,4',
        'refusal 0 251 3 -1,-1,-2,4',
      ]);
    });
    test('splits the refused parts too, until 22 requests are made', () => {
      expect(after(inSearch(8, 'refusal 0 251 3 -1,-1,-2,4'), refused, {}, 0.2).followUps).toMatchObject([
        { type: 'send-now', search: 'refusal 0 250 2 -1,-1,1,1,-4' },
      ]);
    });
    test('after 22 requests, or when every event was refused, all events become one dead letter', () => {
      for (const search of ['refusal 0 235 3 -1,-1,-2,4', 'refusal 0 250 1 -1,7', 'refusal 0 255 1 -1,1']) {
        const count = search.endsWith('4') || search.endsWith('7') ? 8 : 2;
        expect(after(inSearch(count, search), refused).followUps.length).toBe(1);
      }
      expect(after(inSearch(8, 'refusal 0 235 3 -1,-1,-2,4'), refused).followUps).toMatchObject([
        { type: 'dead', identity: 'batch', isTried: true, events: 8, search: '' },
      ]);
      expect(after(inSearch(2, 'refusal 0 255 1 -1,1'), refused).followUps).toMatchObject([
        { type: 'dead', events: 2 },
      ]);
    });
    test('after a failure that says nothing about the events, the same part is resent after the last wait, once per wait of the schedule', () => {
      const search = 'refusal 0 255 0 2,2';
      for (const step of [0, 1]) {
        expect(after(inSearch(4, search, { step }), timeout)).toEqual({
          delivered: 0,
          followUps: [
            {
              type: 'resend',
              identity: 'batch',
              isTried: true,
              fragments: batch(4).fragments,
              events: 4,
              step: step + 1,
              search,
              waitMs: 200,
            },
          ],
        });
      }
      expect(after(inSearch(4, search, { step: 2 }), timeout).followUps).toMatchObject([{ type: 'dead', events: 4 }]);
    });
  });

  test('once a part is accepted, the others become a new batch, and events that were refused alone become dead letters', () => {
    expect(after(inSearch(8, 'error 0 253 1 -1,1,2,4', { step: 1 }), ok)).toEqual({
      delivered: 1,
      followUps: [
        {
          type: 'dead',
          identity: 'new',
          isTried: false,
          fragments: 'e0',
          events: 1,
          step: 0,
          search: '',
          waitMs: 0,
          reason: 'the receiver refuses this event, also alone',
        },
        {
          type: 'send-now',
          identity: 'new',
          isTried: false,
          fragments: 'e2\ne3\ne4\ne5\ne6\ne7',
          events: 6,
          step: 1,
          search: 'error 1 252 1 2,4',
          waitMs: 0,
        },
      ],
    });
    expect(after(inSearch(2, 'refusal 0 255 1 -1,1'), ok)).toMatchObject({
      delivered: 1,
      followUps: [{ type: 'dead', fragments: 'e0' }],
    });
  });

  describe('after something was accepted', () => {
    test('tries the largest untried part, then splits the smallest refused one', () => {
      expect(after(inSearch(7, 'refusal 1 200 2 1,2,4'), refused, {}, 0.2).followUps).toMatchObject([
        { identity: 'batch', search: 'refusal 1 199 1 1,2,-4' },
      ]);
      expect(after(inSearch(6, 'refusal 1 199 0 2,-4'), refused, {}, 0.7).followUps).toMatchObject([
        { identity: 'batch', search: 'refusal 1 198 1 1,1,-4' },
      ]);
    });
    test('an event that is refused alone becomes a dead letter, and the search goes on', () => {
      expect(after(inSearch(6, 'refusal 1 198 1 1,1,-4'), refused).followUps).toMatchObject([
        { type: 'dead', identity: 'request', isTried: true, fragments: 'e1' },
        { type: 'send-now', identity: 'new', isTried: false, events: 5, search: 'refusal 1 197 0 1,-4' },
      ]);
      const [alone] = after(inSearch(1, 'refusal 1 9 0 1'), refused).followUps;
      expect(alone).toMatchObject({ type: 'dead', identity: 'batch', fragments: 'e0' });
      // The reply to this attempt shows the reason.
      expect(alone).not.toHaveProperty('reason');
    });
    test('after the last request of the search, the other events become one dead letter', () => {
      expect(after(inSearch(6, 'refusal 1 1 0 2,-4'), refused).followUps).toMatchObject([
        { type: 'dead', identity: 'batch', events: 6, reason: expect.stringContaining('256 requests') as string },
      ]);
      expect(after(inSearch(6, 'refusal 1 0 0 2,-4'), ok)).toMatchObject({
        delivered: 2,
        followUps: [
          {
            type: 'dead',
            identity: 'new',
            isTried: false,
            events: 4,
            reason: expect.stringContaining('256 requests') as string,
          },
        ],
      });
    });
    test('a failure that says nothing about the events delays only its part, which is resent unchanged', () => {
      const sent = inSearch(7, 'refusal 1 200 2 1,2,4');
      expect(after(sent, timeout)).toMatchObject({
        delivered: 0,
        followUps: [
          {
            type: 'resend',
            identity: 'request',
            isTried: true,
            fragments: 'e3\ne4\ne5\ne6',
            step: 1,
            waitMs: 200,
            search: 'refusal 1 114 0 4',
          },
          {
            type: 'send-now',
            identity: 'new',
            isTried: false,
            fragments: 'e0\ne1\ne2',
            step: 0,
            search: 'refusal 1 86 1 1,2',
          },
        ],
      });
      expect(after({ ...sent, step: 2 }, timeout).followUps).toMatchObject([
        { type: 'dead', identity: 'request', events: 4, search: '' },
        { type: 'send-now', events: 3, step: 2 },
      ]);
      expect(after(inSearch(4, 'refusal 1 9 0 4'), timeout).followUps).toMatchObject([
        { type: 'resend', identity: 'batch', search: 'refusal 1 9 0 4' },
      ]);
    });
    test('the unconfirmed events of a partly confirmed part are resent, or with PARTIAL_ACK=batch the whole part', () => {
      const sent = inSearch(7, 'refusal 1 200 2 1,2,4');
      expect(after(sent, confirmedAllBut(1))).toMatchObject({
        delivered: 3,
        followUps: [
          { type: 'resend', identity: 'new', isTried: true, fragments: 'e4', step: 1, search: 'refusal 1 50 0 1' },
          { type: 'send-now', isTried: false, events: 3 },
        ],
      });
      expect(after(sent, confirmedAllBut(1), { partialAck: 'batch' })).toMatchObject({
        delivered: 0,
        followUps: [{ type: 'resend', identity: 'request', events: 4 }, { events: 3 }],
      });
      expect(after(sent, ok, { partialAck: 'batch' })).toMatchObject({ delivered: 4, followUps: [{ events: 3 }] });
      expect(after({ ...sent, step: 2 }, confirmedAllBut(1)).followUps).toMatchObject([
        { type: 'dead', identity: 'new', fragments: 'e4' },
        { events: 3 },
      ]);
    });
  });

  describe('replies that may be about the events (500, or an acknowledgement of no event)', () => {
    test.each([500, 200])('status %s begins a search in which the same status counts as a refusal', (httpStatus) => {
      const outcome = failed({ httpStatus });
      const [next] = after(batch(4, { step: 2 }), outcome, {}, 0.2).followUps;
      expect(next).toMatchObject({ type: 'send-now', search: 'error 0 256 0 2,2' });
      expect(after(inSearch(4, next!.search), outcome, {}, 0.2).followUps).toMatchObject([
        { type: 'send-now', search: 'error 0 255 0 1,1,2' },
      ]);
      expect(after(inSearch(4, next!.search), refused).followUps).toMatchObject([{ type: 'send-now' }]);
      expect(after(inSearch(4, next!.search), failed({ httpStatus: 503 })).followUps).toMatchObject([
        { type: 'resend' },
      ]);
    });
    test('in a search that a refusal began, a part with a 500 is resent, and counts as refused after the last wait', () => {
      const search = 'refusal 1 9 0 4';
      expect(after(inSearch(4, search), failed()).followUps).toMatchObject([{ type: 'resend', identity: 'batch' }]);
      expect(after(inSearch(4, search, { step: 2 }), failed(), {}, 0.2).followUps).toMatchObject([
        { type: 'send-now', search: 'refusal 1 8 0 2,2' },
      ]);
    });
  });
});
