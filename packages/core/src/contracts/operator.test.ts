import type { z } from 'zod';
import { accountInput } from './account.ts';
import { validate } from './validate.ts';
import {
  accountsQuery,
  deadLetterFilter,
  destinationsQuery,
  discardInput,
  operatorPauseInput,
  operatorSearchQuery,
} from './operator.ts';

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

test.each<readonly [string, z.ZodType]>([
  ['name', accountInput],
  ['prefix', accountsQuery],
  ['text', operatorSearchQuery],
])('a %s of spaces only is refused, and so is an empty one', (field, schema) => {
  for (const text of ['', '  '])
    expect(validate(schema, { [field]: text })).toMatchObject({
      errors: [{ path: [field], message: 'must have a character other than spaces' }],
    });
  expect(validate(schema, { [field]: ' a ' })).toMatchObject({ value: { [field]: 'a' } });
});
