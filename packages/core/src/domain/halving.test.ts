import { coded } from './coded-text.ts';
import fc from 'fast-check';
import { after, batch, confirmedAllBut, failed, list, ok, refused } from './follow-up.suite.ts';
import { bodyBytes } from './fragment.ts';
import { cutBySize, partToSend, readOrigin, readSearch, searchText, splitOf, withOrigin } from './halving.ts';
import type { Search } from './halving.ts';
import type { Outcome } from './outcome.ts';
import type { SentBatch } from './sent-batch.ts';

const timeout = failed({ name: 'timeout', httpStatus: undefined });
const tooLarge = failed({ httpStatus: 413 });
const sizeOf = (count: number): number => bodyBytes(batch(count));
const textOf = (phase: Search['phase'], events: number, more: Partial<Search> = {}): string =>
  searchText({ phase, from: 0, events, requests: 0, suspects: 0, ...more });
const searched = (count: number, search: string, more: Partial<SentBatch> = {}) => batch(count, { search, ...more });

test('the state is read as it was written, and no text is no state', () => {
  const search: Search = { phase: 'halve', from: 0, events: 125, requests: 30, suspects: 250 };
  expect(readSearch(searchText(search))).toEqual(search);
  expect(readSearch('')).toBeUndefined();
  expect(partToSend(batch(2))).toEqual({ fragments: 'e0\ne1', events: 2, from: 0 });
  expect(partToSend(searched(4, textOf('sample', 1, { from: 2 })))).toEqual({ fragments: 'e2', events: 1, from: 2 });
});

test('a search keeps where it began, beside its state', () => {
  const search: Search = { phase: 'halve', from: 0, events: 125, requests: 30, suspects: 250 };
  const origin = { id: 'w1-1', attempt: 4 };
  const text = withOrigin(searchText(search), origin);
  expect([readOrigin(text), readSearch(text)]).toEqual([origin, { ...search, origin }]);
  expect([withOrigin('', origin), readOrigin('')]).toEqual(['', undefined]);
  const sized = withOrigin(textOf('size', 4), origin);
  expect([splitOf(text, 125), splitOf(sized, 8), splitOf(sized, 4), splitOf('', 4)]).toEqual([
    origin,
    origin,
    undefined,
    undefined,
  ]);
});

describe('the search for poison events', () => {
  const nothingAccepted = textOf('sample', 1, { from: 1, requests: 1, suspects: 4 });
  const halving = (events: number, more: Partial<Search> = {}) => textOf('halve', events, { requests: 5, ...more });

  test('starts where the schedule ends, with one event', () => {
    const sent = batch(4, { step: 2 });
    expect(after(sent, refused)).toEqual({
      delivered: 0,
      followUps: [
        {
          type: 'send-now',
          identity: 'batch',
          isTried: true,
          fragments: sent.fragments,
          events: 4,
          step: 0,
          search: textOf('sample', 1, { suspects: 4 }),
          waitMs: 0,
        },
      ],
    });
  });
  test.each([
    ['400', 400],
    ['413', 413],
    ['422', 422],
    ['500', 500],
    ['an acknowledgement of no event', 200],
  ])('starts after %s', (_what, httpStatus) => {
    // A batch that was halved for its size does not begin with this again.
    const sent = searched(4, httpStatus === 413 ? textOf('size', 4) : '', { step: 2 });
    expect(after(sent, failed({ httpStatus })).followUps).toMatchObject([
      { type: 'send-now', search: textOf('sample', 1, { suspects: 4 }) },
    ]);
  });
  test.each([
    ['a single event', batch(1, { step: 2 }), refused, {}],
    ['POISON_SPLIT=false', batch(4, { step: 2 }), refused, { poisonSplit: false }],
    ['a last failure that says nothing about the events', batch(4, { step: 2 }), failed({ httpStatus: 503 }), {}],
  ])('does not start with %s', (_what, sent, outcome, own) => {
    expect(after(sent, outcome, own).followUps.map(({ type }) => type)).toEqual(['dead']);
  });

  test('tries events alone all over the batch until one is accepted', () => {
    for (const [count, requests, random, from] of [
      [4, 0, 0.9, 1],
      [4, 2, 0.9, 3],
      [1000, 0, 0.5, 68],
      [1000, 20, 0.99, 999],
    ] as const) {
      const sent = searched(count, textOf('sample', 1, { requests, suspects: count }));
      const search = textOf('sample', 1, { from, requests: requests + 1, suspects: count });
      expect(after(sent, refused, {}, random).followUps).toMatchObject([
        { type: 'send-now', identity: 'batch', events: count, search },
      ]);
    }
  });
  test('after 22 refused events and no accepted one, or when all were refused, the batch is one dead letter', () => {
    for (const [count, requests] of [
      [1000, 21],
      [3, 2],
    ] as const) {
      const [dead, ...others] = after(searched(count, textOf('sample', 1, { requests })), refused).followUps;
      expect(dead).toMatchObject({ type: 'dead', identity: 'batch', isTried: true, events: count, search: '' });
      // The reply to this attempt shows the reason.
      expect(dead).not.toHaveProperty('reason');
      expect(others).toEqual([]);
    }
  });
  test('once an event is accepted, the others are halved, and all count as suspect', () => {
    expect(after(searched(4, nothingAccepted), ok)).toEqual({
      delivered: 1,
      followUps: [
        {
          type: 'send-now',
          identity: 'new',
          isTried: false,
          fragments: 'e0\ne2\ne3',
          events: 3,
          step: 0,
          search: textOf('halve', 2, { requests: 2, suspects: 3 }),
          waitMs: 0,
        },
      ],
    });
  });
  test.each([
    ['refused: half of it is next', refused, [4, 8], 0, [2, 4]],
    ['accepted: half of the other suspects is next', ok, [4, 8], 4, [2, 4]],
    ['accepted, and nothing else is suspect: four times as many are next', ok, [3, 0], 3, [12, 0]],
    ['accepted, and few are left', ok, [12, 0], 12, [8, 0]],
  ])('a part that is %s', (_what, outcome, [events, suspects], delivered, [nextEvents, nextSuspects]) => {
    const result = after(searched(20, halving(events!, { suspects: suspects! })), outcome);
    expect(result).toMatchObject({
      delivered,
      followUps: [
        {
          type: 'send-now',
          identity: delivered === 0 ? 'batch' : 'new',
          isTried: delivered === 0,
          events: 20 - delivered,
          search: textOf('halve', nextEvents!, { requests: 6, suspects: nextSuspects! }),
        },
      ],
    });
  });
  test('an event that is refused alone becomes a dead letter, and the search goes on', () => {
    expect(after(searched(6, halving(1, { suspects: 3 })), refused).followUps).toMatchObject([
      { type: 'dead', identity: 'request', isTried: true, fragments: 'e0' },
      { type: 'send-now', identity: 'new', isTried: false, events: 5, search: halving(2, { requests: 6 }) },
    ]);
    expect(after(searched(1, halving(1)), refused).followUps).toMatchObject([{ type: 'dead', fragments: 'e0' }]);
  });
  test.each([500, 200])('an event that gets a %s alone follows the schedule, and the search goes on', (httpStatus) => {
    expect(after(searched(6, halving(1)), failed({ httpStatus })).followUps).toMatchObject([
      { type: 'resend', identity: 'request', isTried: true, fragments: 'e0', step: 1, search: '', waitMs: 100 },
      { type: 'send-now', identity: 'new', events: 5, search: halving(2, { requests: 6 }) },
    ]);
    expect(after(searched(6, halving(4)), failed({ httpStatus })).followUps).toMatchObject([
      { type: 'send-now', search: halving(2, { requests: 6, suspects: 4 }) },
    ]);
  });
  test('after 256 requests, the other events become one dead letter', () => {
    const last = halving(2, { requests: 255 });
    const reason = coded('search-ended', { requests: 256 });
    expect(after(searched(6, last), refused).followUps).toMatchObject([
      { type: 'dead', identity: 'batch', events: 6, search: '', reason },
    ]);
    expect(after(searched(6, last), ok)).toMatchObject({
      delivered: 2,
      followUps: [{ type: 'dead', identity: 'new', isTried: false, events: 4, search: '', reason }],
    });
  });
  test.each([nothingAccepted, halving(2, { suspects: 4 })])(
    'a failure that says nothing about the events is followed by the same part, after the waits of the schedule: %s',
    (search) => {
      for (const step of [0, 1]) {
        const [again] = after(searched(4, search, { step }), timeout).followUps;
        expect(again).toMatchObject({ type: 'resend', identity: 'batch', events: 4, step: step + 1, search });
        expect(again).toMatchObject({ waitMs: [100, 200][step] });
      }
      expect(after(searched(4, search, { step: 2 }), timeout).followUps).toMatchObject([{ type: 'dead', events: 4 }]);
      // Any other reply ends the series of failures.
      for (const outcome of [refused, ok])
        expect(after(searched(4, search, { step: 2 }), outcome).followUps.at(-1)).toMatchObject({ step: 0 });
    },
  );
  test('the unconfirmed events of a partly confirmed part leave the search, and follow the schedule', () => {
    const sent = searched(7, halving(4));
    expect(after(sent, confirmedAllBut(1))).toMatchObject({
      delivered: 3,
      followUps: [
        { type: 'resend', identity: 'new', isTried: true, fragments: 'e1', step: 1, search: '' },
        { type: 'send-now', isTried: false, fragments: 'e4\ne5\ne6', search: halving(3, { requests: 6 }) },
      ],
    });
    expect(after(sent, confirmedAllBut(1), { partialAck: 'batch' })).toMatchObject({
      delivered: 0,
      followUps: [{ type: 'resend', identity: 'batch', events: 7, search: sent.search }],
    });
    expect(after(sent, ok, { partialAck: 'batch' })).toMatchObject({ delivered: 4, followUps: [{ events: 3 }] });
  });
});

describe('a batch that is too large (413)', () => {
  test('is halved immediately, without a step of the schedule', () => {
    const sent = batch(7, { step: 1 });
    expect(after(sent, tooLarge)).toEqual({
      delivered: 0,
      isHalved: true,
      followUps: [
        {
          type: 'send-now',
          identity: 'batch',
          isTried: true,
          fragments: sent.fragments,
          events: 7,
          step: 1,
          search: textOf('size', 4, { suspects: 7 }),
          waitMs: 0,
        },
      ],
    });
  });
  test('is halved again while smaller parts are too large', () => {
    expect(after(searched(8, textOf('size', 4)), tooLarge)).toMatchObject({
      isHalved: true,
      followUps: [{ search: textOf('size', 2, { suspects: 4 }) }],
    });
  });
  test('once a part is small enough, the other events become new batches that are no larger', () => {
    const { delivered, followUps, fittingBytes } = after(searched(8, textOf('size', 3), { step: 1 }), ok);
    expect(delivered).toBe(3);
    expect(followUps).toMatchObject([
      { type: 'send-now', identity: 'new', isTried: false, fragments: 'e3\ne4\ne5', events: 3, step: 1, search: '' },
      { type: 'send-now', identity: 'new', isTried: false, fragments: 'e6\ne7', events: 2, step: 1, search: '' },
    ]);
    expect(fittingBytes).toBe(sizeOf(3));
  });
  test('any other reply that is about the events shows that the part fits, and is about its events only', () => {
    const sent = searched(8, textOf('size', 7));
    for (const outcome of [refused, failed()]) {
      expect(after(sent, outcome)).toMatchObject({
        fittingBytes: sizeOf(7),
        followUps: [
          { type: 'resend', identity: 'request', isTried: true, events: 7, step: 1, search: '', waitMs: 100 },
          { type: 'send-now', identity: 'new', fragments: 'e7', search: '' },
        ],
      });
    }
    expect(after(sent, confirmedAllBut(2))).toMatchObject({
      delivered: 6,
      followUps: [{ type: 'resend', identity: 'new', fragments: 'e2' }, { fragments: 'e7' }],
    });
    expect(after({ ...sent, step: 2 }, refused).followUps).toMatchObject([
      { type: 'send-now', identity: 'request', events: 7, search: expect.stringContaining('sample') as string },
      { type: 'send-now', identity: 'new', fragments: 'e7', search: '' },
    ]);
  });
  test.each([timeout, failed({ httpStatus: 503 })])(
    'after $name, the same part comes again by the schedule',
    (outcome) => {
      const result = after(searched(8, textOf('size', 4)), outcome);
      expect(result).not.toHaveProperty('fittingBytes');
      expect(result.followUps).toMatchObject([
        { type: 'resend', identity: 'batch', events: 8, step: 1, search: textOf('size', 4) },
      ]);
    },
  );
  test('when a single event is too large too, the whole batch follows the schedule and is not halved again', () => {
    const concluded = after(searched(8, textOf('size', 1)), tooLarge);
    expect(concluded).not.toHaveProperty('isHalved');
    expect(concluded).toMatchObject({
      followUps: [{ type: 'resend', identity: 'batch', events: 8, step: 1, search: textOf('size', 8), waitMs: 100 }],
    });
    const whole = searched(8, textOf('size', 8), { step: 1 });
    const again = after(whole, tooLarge);
    expect(again).not.toHaveProperty('isHalved');
    expect(again.followUps).toMatchObject([{ type: 'resend', search: textOf('size', 8), step: 2 }]);
    expect(after(whole, ok)).toEqual({ delivered: 8, followUps: [] });
    expect(after(whole, confirmedAllBut(0)).followUps).toMatchObject([{ fragments: 'e0', search: '' }]);
  });
  test('a single event follows the schedule', () => {
    expect(after(batch(1), tooLarge)).toEqual({ delivered: 0, followUps: [expect.objectContaining({ step: 1 })] });
  });

  test('property: for every size limit of a receiver, all events arrive once, with few requests', () => {
    const sizes = fc.tuple(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 0, max: 300 }));
    fc.assert(
      fc.property(sizes, ([count, takenEvents]) => {
        const takenBytes = sizeOf(1) + 2 + takenEvents * 10;
        const arrived: string[] = [];
        let requests = 0;
        const open: SentBatch[] = [batch(count)];
        for (let sent = open.shift(); sent !== undefined; sent = open.shift()) {
          const part = partToSend(sent);
          const fits = bodyBytes(part) <= takenBytes;
          requests += 1;
          const outcome: Outcome = fits ? ok : tooLarge;
          if (fits) arrived.push(...part.fragments.split('\n'));
          for (const { type, ...followUp } of after(sent, outcome).followUps) {
            expect(type).toBe('send-now');
            open.push(followUp);
          }
        }
        expect(arrived.sort()).toEqual(list(count).sort());
        // First the halving, then requests of at least half the size that the receiver takes.
        const most = 1 + Math.ceil(Math.log2(count)) + Math.ceil((4 * sizeOf(count)) / takenBytes);
        expect(requests).toBeLessThanOrEqual(most);
      }),
    );
  });
});

test('property: parts that are cut by size hold all events in order, each within the size or with one event', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(99), { maxLength: 30 }), fc.nat(300), (sizes, maxBytes) => {
      const fragments = sizes.map((size, i) => `${i}`.padEnd(size, 'x'));
      const parts = cutBySize({ fragments: fragments.join('\n'), events: sizes.length }, maxBytes);
      expect(parts.flatMap((part) => part.fragments.split('\n'))).toEqual(fragments);
      for (const part of parts) {
        expect(part.events).toBe(part.fragments.split('\n').length);
        expect(part.events === 1 || bodyBytes(part) <= maxBytes).toBe(true);
      }
    }),
  );
});
