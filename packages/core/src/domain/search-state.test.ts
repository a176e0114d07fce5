import { after, batch, failed, ok, refused } from './follow-up.suite.ts';
import { partToSend } from './follow-up.ts';
import type { SentBatch } from './sent-batch.ts';

const timeout = failed({ name: 'timeout', httpStatus: undefined });
const inSearch = (count: number, search: string, more: Partial<SentBatch> = {}) =>
  batch(count, { split: 'deeper', search, ...more });

describe('records of an earlier version', () => {
  test('if the first half is refused, the search goes on in it as a new batch', () => {
    const sent = batch(4, { split: 'first' });
    expect(partToSend(sent)).toEqual({ fragments: 'e0\ne1', events: 2, from: 0 });
    expect(after(sent, refused, {}, 0.2).followUps).toMatchObject([
      { type: 'send-now', identity: 'new', split: 'deeper', search: 'refusal 0 255 0 1,1,2' },
    ]);
    expect(after(sent, ok)).toMatchObject({
      delivered: 2,
      followUps: [{ type: 'send-now', isTried: false, fragments: 'e2\ne3', split: 'deeper' }],
    });
  });
  test('if the second half is refused, the search goes on', () => {
    const sent = batch(5, { split: 'second' });
    expect(partToSend(sent)).toEqual({ fragments: 'e3\ne4', events: 2, from: 3 });
    expect(after(sent, refused, {}, 0.2).followUps).toMatchObject([
      { identity: 'new', split: 'deeper', search: 'refusal 0 255 1 -3,1,1' },
    ]);
    expect(after(sent, ok).followUps).toMatchObject([{ fragments: 'e0\ne1\ne2', search: 'refusal 1 255 1 2,1' }]);
  });
  test.each(['first', 'second', 'deeper'] as const)('in stage %s, a timeout leaves the record unchanged', (split) => {
    expect(after(batch(4, { split }), timeout).followUps).toMatchObject([
      { type: 'resend', identity: 'batch', events: 4, split, search: '' },
    ]);
  });
  test('a deeper part, and a state that no longer fits its batch, start a new search', () => {
    for (const search of ['', 'refusal 1 9 0 2,2', 'something of a later version']) {
      expect(partToSend(inSearch(3, search)).events).toBe(3);
      expect(after(inSearch(3, search), refused, {}, 0.2).followUps).toMatchObject([
        { search: 'refusal 1 255 0 2,1', identity: 'batch' },
      ]);
    }
  });
  test('an earlier version sends all events of a record that this version wrote', () => {
    // An earlier version reads only `split`, and sends all fragments of the record.
    for (const { split, fragments } of after(inSearch(8, 'error 0 253 1 -1,1,2,4'), ok).followUps.slice(1)) {
      expect([split, fragments]).toEqual(['deeper', 'e2\ne3\ne4\ne5\ne6\ne7']);
    }
  });
});
