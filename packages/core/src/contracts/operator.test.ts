import { deadLetterFilter, destinationsQuery, discardInput, operatorPauseInput } from './operator.ts';

test.each([{}, { account: undefined }, { unknown: 1 }, { all: false }])('%j selects nothing to discard', (input) => {
  expect(discardInput.safeParse(input).success).toBe(false);
});

test.each([
  { account: 'a' },
  { destination: 'campaign-a' },
  { address: 'https://example.com/' },
  { ids: ['t0_x'] },
  { all: true },
])('%j selects what to discard', (input) => expect(discardInput.parse(input)).toEqual(input));

test('a redrive without a selection is for all dead letters', () => {
  expect(deadLetterFilter.parse({})).toEqual({});
});

test('a pause lasts for a week at most', () => {
  expect([10_080, 10_081, 0].map((minutes) => operatorPauseInput.safeParse({ minutes }).success)).toEqual([
    true,
    false,
    false,
  ]);
});

test('lists of destinations begin with those that hold events', () => {
  expect(destinationsQuery.parse({ limit: '2' })).toEqual({ state: 'waiting', limit: 2 });
});
