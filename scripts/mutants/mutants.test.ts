import { existsSync, readFileSync } from 'node:fs';
import { functionMutants } from './function-mutants.ts';
import { MUTANTS } from './mutants.ts';

const timesIn = (text: string, part: string): number => text.split(part).length - 1;

test.each(MUTANTS)('the fault "$what" can be made, and its tests exist', ({ file, from, tests }) => {
  expect(timesIn(readFileSync(file, 'utf8'), from)).toBe(1);
  expect(tests.filter((one) => !existsSync(one) || one.includes('/nightly/'))).toEqual([]);
});

test('each guarantee has a fault', () => {
  const headings = [...readFileSync('docs/guarantees.md', 'utf8').matchAll(/^## (.+)$/gm)].map(
    ([, heading]) => heading,
  );
  expect([...new Set(MUTANTS.map(({ guarantee }) => guarantee)), 'What is not promised']).toEqual(headings);
});

test('each fault of a function differs from its file in one place', () => {
  const mutants = functionMutants();
  expect(mutants.length).toBeGreaterThan(500);
  for (const { file, from, to } of mutants) {
    expect(timesIn(readFileSync(file, 'utf8'), from)).toBe(1);
    expect(to).not.toBe(from);
  }
});
