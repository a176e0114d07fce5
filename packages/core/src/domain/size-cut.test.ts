import fc from 'fast-check';
import { batchBody, bodyBytes } from './fragment.ts';
import { after, batch, confirmedAllBut, failed, list, ok, refused } from './follow-up.suite.ts';
import { partToSend } from './follow-up.ts';
import type { Outcome } from './outcome.ts';
import type { SentBatch } from './sent-batch.ts';

const tooLarge = failed({ httpStatus: 413 });
const sizeOf = (count: number): number => bodyBytes(batch(count));
const cut = (bytes: number, more: Partial<SentBatch> = {}) => batch(8, { search: `cut ${bytes}`, ...more });

describe('a batch that is too large (413)', () => {
  test('is halved by bytes at once, without a step of the schedule', () => {
    expect(after(batch(8, { step: 1 }), tooLarge)).toEqual({
      delivered: 0,
      isCut: true,
      followUps: [
        {
          type: 'send-now',
          identity: 'batch',
          isTried: true,
          fragments: batch(8).fragments,
          events: 8,
          step: 1,
          search: `cut ${sizeOf(4)}`,
          waitMs: 0,
        },
      ],
    });
    expect(partToSend(cut(sizeOf(4)))).toEqual({ fragments: 'e0\ne1\ne2\ne3', events: 4, from: 0 });
    expect(partToSend(cut(sizeOf(4) - 1)).events).toBe(3);
    expect(partToSend(cut(1)).events).toBe(1);
  });
  test('is halved again while smaller requests are too large', () => {
    expect(after(cut(sizeOf(4)), tooLarge)).toMatchObject({ isCut: true, followUps: [{ search: `cut ${sizeOf(2)}` }] });
  });
  test('is cut to a size that the receiver is known to take', () => {
    const knowing = (maxBytes: number, takenBytes: number) =>
      after(batch(8, { sizeLimit: { maxBytes, takenBytes, growAtMs: 0, growAfterMs: 0 } }), tooLarge).followUps;
    expect(knowing(sizeOf(6), sizeOf(5))).toMatchObject([{ search: `cut ${sizeOf(6)}` }]);
    // The batch is within the limit, so the limit has grown too far.
    expect(knowing(sizeOf(9), sizeOf(5))).toMatchObject([{ search: `cut ${sizeOf(5)}` }]);
    expect(knowing(sizeOf(9), 0)).toMatchObject([{ search: `cut ${sizeOf(4)}` }]);
    expect(knowing(sizeOf(9), sizeOf(9))).toMatchObject([{ search: `cut ${sizeOf(4)}` }]);
  });
  test('once a request is small enough, the other events become new batches that are no larger', () => {
    const { delivered, followUps, fitting } = after(cut(sizeOf(3) + 1, { step: 1 }), ok);
    expect(delivered).toBe(3);
    expect(followUps).toMatchObject([
      { type: 'send-now', identity: 'new', isTried: false, fragments: 'e3\ne4\ne5', events: 3, step: 1, search: '' },
      { type: 'send-now', identity: 'new', isTried: false, fragments: 'e6\ne7', events: 2, step: 1, search: '' },
    ]);
    expect(fitting).toEqual({ maxBytes: sizeOf(3) + 1, takenBytes: sizeOf(3) });
  });
  test.each([
    ['200', ok, true],
    ['400', refused, true],
    ['500', failed(), true],
    ['503', failed({ httpStatus: 503 }), false],
    ['a timeout', failed({ name: 'timeout', httpStatus: undefined }), false],
  ])('after the reply %s to a smaller request, its size is known to fit: %p', (_what, outcome, isKnown) => {
    expect(after(cut(sizeOf(3)), outcome).fitting !== undefined).toBe(isKnown);
  });
  test('other failures of the smaller request affect only its events, under the id of the request', () => {
    expect(after(cut(sizeOf(7)), failed({ httpStatus: 503 })).followUps).toMatchObject([
      { type: 'resend', identity: 'request', isTried: true, events: 7, step: 1, search: '', waitMs: 100 },
      { type: 'send-now', identity: 'new', fragments: 'e7', search: '' },
    ]);
    expect(after(cut(sizeOf(7)), confirmedAllBut(2))).toMatchObject({
      delivered: 6,
      followUps: [{ type: 'resend', identity: 'new', fragments: 'e2' }, { fragments: 'e7' }],
    });
    expect(after(cut(sizeOf(7), { step: 2 }), refused).followUps).toMatchObject([
      { type: 'send-now', identity: 'request', events: 7, search: expect.stringMatching(/^refusal/) as string },
      { type: 'send-now', identity: 'new', fragments: 'e7', search: '' },
    ]);
  });
  test('when a single event is too large too, the whole batch follows the schedule and is not cut again', () => {
    const concluded = after(cut(1), tooLarge);
    expect(concluded).not.toHaveProperty('isCut');
    expect(concluded).toMatchObject({
      followUps: [{ type: 'resend', identity: 'batch', events: 8, step: 1, search: 'whole', waitMs: 100 }],
    });
    const whole = batch(8, { search: 'whole', step: 1 });
    expect(partToSend(whole).events).toBe(8);
    const again = after(whole, tooLarge);
    expect(again).not.toHaveProperty('isCut');
    expect(again.followUps).toMatchObject([{ type: 'resend', search: 'whole', step: 2 }]);
    expect(after({ ...whole, step: 2 }, tooLarge).followUps).toMatchObject([
      { type: 'send-now', search: expect.stringMatching(/^refusal/) as string },
    ]);
    expect(after(whole, confirmedAllBut(0)).followUps).toMatchObject([{ fragments: 'e0', search: '' }]);
  });
  test('a single event follows the schedule', () => {
    expect(after(batch(1), tooLarge)).toMatchObject({ followUps: [{ type: 'resend', step: 1 }] });
    expect(after(batch(1), tooLarge)).not.toHaveProperty('isCut');
  });
});

test('property: the byte count is never too low, and the counts of parts add up to that of the whole', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), fc.nat(999), (texts, attempt) => {
      const fragments = texts.map((text) => `{"email":${JSON.stringify(text)},"attempt":`);
      const joined = fragments.join('\n');
      const bytes = bodyBytes({ fragments: joined, events: fragments.length });
      expect(bytes).toBeGreaterThanOrEqual(Buffer.byteLength(batchBody(joined, attempt)));
      const parts = fragments.map((fragment) => bodyBytes({ fragments: fragment, events: 1 }));
      expect(parts.reduce((sum, part) => sum + part)).toBe(bytes);
    }),
  );
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
