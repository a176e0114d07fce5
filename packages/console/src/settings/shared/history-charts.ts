import { sumOfCounts } from '@mailhook/core';
import { notice } from '../../html/elements.ts';
import { html } from '../../html/markup.ts';
import type { Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { chartPair } from '../../page/charts.ts';
import { pageOf, urlOf } from '../navigation.ts';
import type { PageQuestion } from '../navigation.ts';
import type { Frame } from '../family.ts';
import { isUnread } from '../loaded.ts';
import { timesOf } from './period.ts';
import type { WithHistory } from '../parts.ts';

/**
 * Attempts and reply times of the time that the page shows. A bar leads to its deliveries. `id` names the charts.
 * `waiting`: events that wait. Undefined if this could not be read, or stands elsewhere.
 */
export function historyCharts(
  id: string,
  view: Pick<Frame, 'question' | 'nowMs'> & Pick<WithHistory, 'chart' | 'span' | 'deadlineMs'>,
  waiting: number | undefined,
): Markup {
  const { chart, question, span, nowMs, deadlineMs } = view;
  if ('fault' in chart)
    return html`<section class="charts" id="history-${id}" data-part>
      ${!isUnread(chart) && notice('bad', chart.fault)}
    </section>`;
  const bars = chart.value;
  const total = sumOfCounts(bars);
  const isEmpty = total.delivered + total.failed === 0;
  const { barMs } = span;
  const urlOfBar = (fromMs: number): string => deliveriesOf(question, fromMs, barMs);
  return html`<section class="charts" id="history-${id}" aria-labelledby="charts-title" data-part>
    ${
      isEmpty
        ? html`<p class="card muted">
            ${span.bars === 0 && Date.parse(question.to) < nowMs ? texts.charts.notKept : texts.charts.nothingSent}
          </p>`
        : chartPair({ id, bars, barMs, deadlineMs, isOver: timesOf(span, nowMs).to !== '', urlOf: urlOfBar })
    }
    ${waiting !== undefined && html`<p class="hint">${texts.charts.total({ delivered: total.events, waiting })}</p>`}
  </section>`;
}

/** The deliveries of a bar, in the list of the endpoint or of all. */
function deliveriesOf({ endpoint }: PageQuestion, fromMs: number, barMs: number): string {
  const span = { from: new Date(fromMs).toISOString(), to: new Date(fromMs + barMs).toISOString() };
  return urlOf(endpoint === '' ? pageOf('deliveries') : pageOf('endpoints', endpoint, 'deliveries'), span);
}
