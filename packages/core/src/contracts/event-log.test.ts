import { logSearchInput, replayInput } from './event-log.ts';

const faultsOf = (input: object): string[] =>
  (replayInput.safeParse(input).error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`);

const RANGE = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };

test.each([
  [{ ...RANGE, outcome: 'unmatched', types: ['open'], filter: true, dryRun: true }, []],
  [{ entries: ['1-c1-0'] }, []],
  [{}, ['from is required unless entries is given', 'to is required unless entries is given']],
  [{ from: RANGE.from }, ['to is required unless entries is given']],
  [{ from: RANGE.to, to: RANGE.from }, ['to must be after from']],
  [{ from: RANGE.from, to: RANGE.from }, ['to must be after from']],
  [
    { entries: ['1-c1-0'], ...RANGE, dryRun: false },
    ['from', 'to', 'dryRun'].map((field) => `${field} cannot be given with entries`),
  ],
])('the order of a replay %j has these faults: %j', (input, faults) => {
  expect(faultsOf(input)).toEqual(faults);
});

test('an unknown field of a search is refused, because it would find more than was wanted', () => {
  expect(logSearchInput.safeParse({ email: 'anna@example.com' }).success).toBe(true);
  expect(logSearchInput.safeParse({ emails: ['anna@example.com'] }).success).toBe(false);
});
