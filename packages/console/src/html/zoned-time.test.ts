import { instantOf, localMinute, withOffset } from './zoned-time.ts';

/** As fields show it. */
const shownAs = (local: string): string => local.slice(0, 16).replace('T', ' ');

const iso = (local: string, timeZone: string, which: 'first' | 'last' = 'first') => {
  const ms = instantOf(local, timeZone, which);
  return ms === undefined ? undefined : new Date(ms).toISOString();
};

describe('local times', () => {
  test.each([
    ['2026-01-05T07:27', 'America/New_York', '2026-01-05T12:27:00.000Z'],
    ['2026-07-05T07:27', 'America/New_York', '2026-07-05T11:27:00.000Z'],
    ['2026-01-05T07:27', 'Asia/Kolkata', '2026-01-05T01:57:00.000Z'],
    ['2026-01-05T07:27', 'UTC', '2026-01-05T07:27:00.000Z'],
    ['2026-01-01T00:30', 'Pacific/Kiritimati', '2025-12-31T10:30:00.000Z'],
    ['2026-01-05T07:27:05', 'Europe/Berlin', '2026-01-05T06:27:05.000Z'],
    // While a person types the year.
    ['0020-01-05T07:27', 'Asia/Kolkata', '0020-01-05T07:27:00.000Z'],
  ])('%s in %s is %s, and is shown as it was typed', (local, zone, instant) => {
    expect([iso(local, zone, 'first'), iso(local, zone, 'last')]).toEqual([instant, instant]);
    expect(localMinute(Date.parse(instant), zone)).toBe(shownAs(local));
  });

  test.each([
    ['America/New_York', '2026-11-01T01:30', '2026-11-01T05:30:00.000Z', '2026-11-01T06:30:00.000Z'],
    ['Europe/Warsaw', '2026-10-25T02:30', '2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z'],
    // Half an hour.
    ['Australia/Lord_Howe', '2026-04-05T01:45', '2026-04-04T14:45:00.000Z', '2026-04-04T15:15:00.000Z'],
  ])('in the hour that %s repeats are two', (zone, local, first, last) => {
    expect([iso(local, zone, 'first'), iso(local, zone, 'last')]).toEqual([first, last]);
    expect([first, last].map((one) => localMinute(Date.parse(one), zone))).toEqual([shownAs(local), shownAs(local)]);
  });

  test.each([
    ['America/New_York', '2026-03-08T02:30', '2026-03-08T07:30:00.000Z', '2026-03-08T03:30'],
    ['Europe/Berlin', '2026-03-29T02:30', '2026-03-29T01:30:00.000Z', '2026-03-29T03:30'],
  ])('in the hour that %s skips are read by the clock before the change', (zone, local, instant, shown) => {
    expect([iso(local, zone, 'first'), iso(local, zone, 'last')]).toEqual([instant, instant]);
    expect(localMinute(Date.parse(instant), zone)).toBe(shownAs(shown));
  });

  test.each(['', 'yesterday', '2026-01-05', '2026-01-05T07:27Z', '2026-13-05T07:27', '2026-02-30 07:27'])(
    'is none: %j',
    (text) => {
      expect(iso(text, 'UTC')).toBeUndefined();
    },
  );
});

test.each([
  ['UTC', '2026-01-05T12:27:00.000+00:00'],
  ['America/New_York', '2026-01-05T07:27:00.000-05:00'],
  ['America/St_Johns', '2026-01-05T08:57:00.000-03:30'],
  ['Asia/Kolkata', '2026-01-05T17:57:00.000+05:30'],
  ['Pacific/Kiritimati', '2026-01-06T02:27:00.000+14:00'],
])('a time with the offset of %s', (zone, expected) => {
  expect(withOffset('2026-01-05T12:27:00.000Z', zone)).toBe(expected);
  expect(new Date(expected).toISOString()).toBe('2026-01-05T12:27:00.000Z');
});
