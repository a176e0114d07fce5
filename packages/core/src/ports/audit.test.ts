import { countedObject, operatorName } from './audit.ts';

test('an operator is named by the person and the token', () => {
  expect(operatorName({ token: 'ops', person: 'anna@example.com' })).toBe('anna@example.com via ops');
  expect(operatorName({ token: 'ops' })).toBe('ops');
});

test.each([
  [
    { destination: 'a', other: undefined },
    { discarded: 3, events: 30, text: 'x' },
    'destination=a discarded=3 events=30',
  ],
  [{}, { redriven: 0 }, 'redriven=0'],
  [{ destination: 'a' }, { id: 'x' }, undefined],
])('a change of %j with the result %j is counted: %s', (selected, result, object) =>
  expect(countedObject(selected, result)).toBe(object),
);
