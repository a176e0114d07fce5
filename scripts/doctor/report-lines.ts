import type { CheckOutcome, ReceiverCheck, ReceiverReport } from '@mailhook/core';
import type { Terminal } from '../terminal.ts';

const MARKS: Readonly<
  Record<CheckOutcome, { readonly text: string; readonly style: 'green' | 'red' | 'yellow' | 'dim' }>
> = {
  passed: { text: 'ok', style: 'green' },
  failed: { text: 'FAILED', style: 'red' },
  warning: { text: 'warning', style: 'yellow' },
  skipped: { text: 'skipped', style: 'dim' },
};
const MARK_CHARS = 9;

/**
 * Formats a report for a person: a line per check, and below each failed one what was seen, why it matters, and the
 * fix.
 */
export function reportLines(report: ReceiverReport, styled: Terminal['styled']): string[] {
  return [...report.checks.flatMap((check) => checkLines(check, styled)), '', `  ${totals(report.checks)}`];
}

function checkLines({ title, outcome, detail, why, fix }: ReceiverCheck, styled: Terminal['styled']): string[] {
  const { text, style } = MARKS[outcome];
  const head = `  ${styled(style, text.padEnd(MARK_CHARS))}${String(title)}`;
  const indented = (line: string): string => `  ${' '.repeat(MARK_CHARS)}${line}`;
  if (outcome === 'passed') return [head];
  if (outcome === 'skipped') return [`${head} ${styled('dim', `(${String(detail).replace(/\.$/, '')})`)}`];
  return [
    head,
    indented(`Seen: ${String(detail)}`),
    indented(`Why:  ${String(why)}`),
    ...(fix === undefined ? [] : [indented(`Fix: ${String(fix)}`)]),
  ];
}

/** Adds up the outcomes, such as `9 passed, 1 failed, 2 warnings, 3 skipped`. */
function totals(checks: readonly ReceiverCheck[]): string {
  const count = (outcome: CheckOutcome): number => checks.filter((check) => check.outcome === outcome).length;
  const warnings = count('warning');
  return (
    `${count('passed')} passed, ${count('failed')} failed, ${warnings} warning${warnings === 1 ? '' : 's'}, ` +
    `${count('skipped')} skipped`
  );
}
