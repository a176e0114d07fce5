import { coded } from './coded-text.ts';
import { causeIn, causeOf, deadLetterGroupId, groupDeadLetters } from './dead-letter-groups.ts';

const other = (text: string) => coded('other', { text });

const letter = (id: string, text: string, more: { destination?: string; events?: number } = {}) => ({
  id,
  time: `2026-01-0${id}T00:00:00.000Z`,
  kind: 'campaign' as const,
  module: 'campaign' as const,
  shape: 'batch' as const,
  destination: 'campaign',
  address: 'https://example.com/',
  events: 1,
  attempts: 1,
  error: other(text),
  ...more,
});

describe('the cause of a dead letter', () => {
  const noItem = coded('no-item', { hashes: '“hash-3”, “hash-4”' });
  it.each([
    [
      coded('confirms-some', {
        open: 2,
        events: 9,
        fault: coded('no-item-more', { hashes: '“a”, “b”, “c”', more: 6 }),
      }),
      coded('confirms-not', { fault: noItem }),
      'the acknowledgement does not confirm all events: it has no item for some events',
    ],
    [
      coded('confirms-none', { events: 3, fault: coded('status-text', { hash: '“a”', quote: '“true”' }) }),
      coded('confirms-not', { fault: coded('status-text', { hash: '“b”', quote: '“true”' }) }),
      'the acknowledgement does not confirm all events: ' +
        'the "status" of an event is the text “true” instead of the boolean true',
    ],
    [
      coded('other-item', { hash: '“a”', other: '“b”' }),
      coded('other-item', { hash: '“c”', other: '“d”' }),
      'it has no item for some events, but one for another hash, which was not sent',
    ],
  ])('is the same for %s and %s, and names no event', (one, another, text) => {
    expect([causeIn(one), causeIn(another)].map(String)).toEqual([text, text]);
    expect(causeOf(one)).toBe(causeOf(another));
  });

  it.each([
    ['the receiver could not be reached: 10.0.0.1 refused', 'the receiver could not be reached: 10.0.0.2 refused'],
  ])('is the same for %j and %j', (one, another) => {
    expect(causeOf(other(one))).toBe(causeOf(other(another)));
  });

  it.each([
    ['the receiver answered HTTP 500', 'the receiver answered HTTP 503'],
    ['the receiver answered HTTP 500', 'the receiver did not answer in time'],
  ])('differs for %j and %j', (one, another) => {
    expect(causeOf(other(one))).not.toBe(causeOf(other(another)));
  });
});

describe('groups of dead letters', () => {
  it('count events by cause and destination, with the newest error and the oldest time', () => {
    const letters = [
      letter('5', 'none of 7 events', { events: 7 }),
      letter('4', 'late', { events: 30 }),
      letter('3', 'none of 2 events', { events: 2 }),
      letter('2', 'none of 1 events', { destination: 'other' }),
    ];
    const cause = causeOf(other('none of 7 events'));
    expect(groupDeadLetters(letters)).toEqual([
      expect.objectContaining({ error: 'late', events: 30 }),
      {
        id: `${cause}.campaign`,
        cause,
        destination: 'campaign',
        kind: 'campaign',
        module: 'campaign',
        shape: 'batch',
        error: 'none of 7 events',
        deadLetters: 2,
        events: 9,
        oldest: '2026-01-03T00:00:00.000Z',
      },
      expect.objectContaining({ id: `${cause}.other`, destination: 'other', events: 1 }),
    ]);
    expect(deadLetterGroupId(letters[2] as (typeof letters)[number])).toBe(`${cause}.campaign`);
    expect(groupDeadLetters(letters.slice(2), groupDeadLetters(letters.slice(0, 2)))).toEqual(
      groupDeadLetters(letters),
    );
    expect(groupDeadLetters([])).toEqual([]);
  });
});
