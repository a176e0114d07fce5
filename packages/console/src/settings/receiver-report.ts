import type { CheckOutcome, ReceiverCheck, ReceiverReport } from '@mailhook/core';
import { badge } from '../html/elements.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';

const TONES = { passed: 'good', failed: 'bad', warning: 'warn', skipped: 'plain' } as const;
const NAMES: Readonly<Record<CheckOutcome, string>> = {
  passed: 'Passed',
  failed: 'Failed',
  warning: 'Could be better',
  skipped: 'Not checked',
};

/**
 * The receiver doctor's report. It shows failures and warnings with the reason and the fix, and folds all other checks.
 */
export function receiverReport({ checks }: ReceiverReport): Markup {
  const needsWork = checks.filter(({ outcome }) => outcome === 'failed');
  const couldBeBetter = checks.filter(({ outcome }) => outcome === 'warning');
  return markup`<div class="report">
${needsWork.length + couldBeBetter.length > 0 && markup`<ul aria-label="What to work on">${[...needsWork, ...couldBeBetter].map(item)}</ul>`}
${folded('passed', 'Passed', checks)}
${folded('skipped', 'Not checked', checks)}
</div>`;
}

function folded(outcome: CheckOutcome, name: string, checks: readonly ReceiverCheck[]): Markup {
  const some = checks.filter((check) => check.outcome === outcome);
  if (some.length === 0) return markup``;
  return markup`<details><summary>${name}: ${some.length}</summary><ul>${some.map(item)}</ul></details>`;
}

function item({ title, outcome, detail, why, fix }: ReceiverCheck): Markup {
  const needsWork = outcome === 'failed' || outcome === 'warning';
  return markup`<li class="${TONES[outcome]}">${badge(TONES[outcome], NAMES[outcome])}
<div><strong>${title}</strong>
<p>${detail}</p>
${needsWork && markup`<p>${why}</p>`}
${fix !== undefined && markup`<p class="fix">${fix}</p>`}</div></li>`;
}
