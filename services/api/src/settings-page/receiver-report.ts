import type { CheckOutcome, ReceiverCheck, ReceiverReport } from '@mailhook/core';
import { badge } from './elements.ts';
import { markup } from './markup.ts';
import type { Markup } from './markup.ts';

const TONES = { passed: 'good', failed: 'bad', warning: 'warn', skipped: 'plain' } as const;
const NAMES: Readonly<Record<CheckOutcome, string>> = {
  passed: 'Passed',
  failed: 'Failed',
  warning: 'Could be better',
  skipped: 'Not checked',
};
/** What needs work comes first. */
const ORDER: readonly CheckOutcome[] = ['failed', 'warning', 'passed', 'skipped'];

/** What the receiver doctor found: what failed with why it matters and how to mend it, the rest in short. */
export function receiverReport({ checks }: ReceiverReport): Markup {
  const inOrder = ORDER.flatMap((outcome) => checks.filter((check) => check.outcome === outcome));
  return markup`<ul class="report" aria-label="What was checked">${inOrder.map(item)}</ul>`;
}

function item({ title, outcome, detail, why, mend }: ReceiverCheck): Markup {
  const needsWork = outcome === 'failed' || outcome === 'warning';
  return markup`<li class="${TONES[outcome]}">${badge(TONES[outcome], NAMES[outcome])}
<div><strong>${title}</strong>
<p>${detail}</p>
${needsWork && markup`<p>${why}</p>`}
${mend !== undefined && markup`<p class="mend">${mend}</p>`}</div></li>`;
}
