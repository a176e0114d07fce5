import type { CheckOutcome, ReceiverCheck, ReceiverReport } from '@mailhook/core';
import { badge } from '../../html/elements.ts';
import { count } from '../../html/formats.ts';
import { html } from '../../html/markup.ts';
import type { Markup } from '../../html/markup.ts';
import { said, saidSentence } from '../../messages/coded.ts';
import { texts } from '../../messages/texts.ts';

const TONES = { passed: 'good', failed: 'bad', warning: 'warn', skipped: 'plain' } as const;

/**
 * The receiver doctor's report. It shows failures and warnings with the reason and the fix, and folds all other checks.
 */
export function receiverReport({ checks }: ReceiverReport): Markup {
  const needsWork = checks.filter(({ outcome }) => outcome === 'failed');
  const couldBeBetter = checks.filter(({ outcome }) => outcome === 'warning');
  return html`<figure class="traffic">
    <figcaption>${texts.help.report}</figcaption>
    <div class="report">
      ${
        needsWork.length + couldBeBetter.length > 0 &&
        html`<ul aria-label="${texts.help.whatToWorkOn}">
          ${[...needsWork, ...couldBeBetter].map(item)}
        </ul>`
      }
      ${folded('passed', texts.help.passedCount, checks)} ${folded('skipped', texts.help.skippedCount, checks)}
    </div>
  </figure>`;
}

function folded(outcome: CheckOutcome, name: typeof texts.help.passedCount, checks: readonly ReceiverCheck[]): Markup {
  const some = checks.filter((check) => check.outcome === outcome);
  if (some.length === 0) return html``;
  return html`<details>
    <summary>${name({ number: count(some.length) })}</summary>
    <ul>
      ${some.map(item)}
    </ul>
  </details>`;
}

function item({ title, outcome, detail, why, fix }: ReceiverCheck): Markup {
  const needsWork = outcome === 'failed' || outcome === 'warning';
  return html`<li class="${TONES[outcome]}">
    ${badge(TONES[outcome], texts.help[outcome])}
    <div>
      <strong>${said(title)}</strong>
      <p>${saidSentence(detail)}</p>
      ${needsWork && html`<p><b>${texts.help.why}</b> ${said(why)}</p>`}
      ${fix !== undefined && html`<p class="fix"><b>${texts.help.fix}</b> ${said(fix)}</p>`}
    </div>
  </li>`;
}
