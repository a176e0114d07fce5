import { coded } from '@mailhook/core';
import type { CheckOutcome } from '@mailhook/core';
import { reportLines } from './report-lines.ts';

const text = (words: string) => coded('other', { text: words });

const aCheck = (outcome: CheckOutcome, fix?: string) => ({
  id: outcome,
  title: text(`A check that is ${outcome}`),
  outcome,
  detail: text('What was seen.'),
  why: text('Because.'),
  ...(fix === undefined ? {} : { fix: text(fix) }),
});

test('a line per check, with the fix where something is wrong', () => {
  const checks = [aCheck('passed'), aCheck('failed', 'Do this.'), aCheck('warning', 'Do that.'), aCheck('skipped')];
  const report = {
    address: 'http://127.0.0.1/',
    kind: 'campaign',
    shape: 'batch',
    version: 1,
    passed: 1,
    failed: 1,
    checks,
  } as const;
  expect(reportLines(report, (_style, text) => text)).toEqual([
    '  ok       A check that is passed',
    '  FAILED   A check that is failed',
    '           Seen: What was seen.',
    '           Why:  Because.',
    '           Fix: Do this.',
    '  warning  A check that is warning',
    '           Seen: What was seen.',
    '           Why:  Because.',
    '           Fix: Do that.',
    '  skipped  A check that is skipped (What was seen)',
    '',
    '  1 passed, 1 failed, 1 warning, 1 skipped',
  ]);
});
