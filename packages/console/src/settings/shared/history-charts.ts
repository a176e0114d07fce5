import { HISTORY_RANGES, sumOfCounts } from '@mailhook/core';
import type { HistoryRange } from '@mailhook/core';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { texts } from '../../messages/texts.ts';
import { chartPair } from '../../page/charts.ts';
import { pageOf, urlOf } from '../navigation.ts';
import type { PageQuestion } from '../navigation.ts';
import type { Frame } from '../family.ts';
import { valueOf } from '../loaded.ts';
import type { WithHistory } from '../parts.ts';

const { charts } = texts;
const RANGES = Object.keys(HISTORY_RANGES) as HistoryRange[];

/**
 * Attempts and reply times of the range that the page asks for. A bar leads to its deliveries. `id` names the charts.
 * `waiting`: events that wait. Undefined if this could not be read, or stands elsewhere.
 */
export function historyCharts(
  id: string,
  view: Pick<Frame, 'question'> & Pick<WithHistory, 'chart' | 'deadlineMs'>,
  waiting: number | undefined,
  header: Content = periodHeader(view.question),
): Markup {
  const { chart, question, deadlineMs } = view;
  const bars = valueOf(chart);
  if (bars === undefined) return html`<section class="charts" id="history-${id}" data-part></section>`;
  const total = sumOfCounts(bars);
  const isEmpty = total.delivered + total.failed === 0;
  return html`<section class="charts" id="history-${id}" aria-labelledby="charts-title" data-part>
    ${header}${
      isEmpty
        ? html`<p class="card muted">${charts.nothingSent}</p>`
        : chartPair({ id, bars, range: question.range, deadlineMs, urlOf: (fromMs) => deliveriesOf(question, fromMs) })
    }
    ${waiting !== undefined && html`<p class="hint">${charts.total({ delivered: total.events, waiting })}</p>`}
  </section>`;
}

/** The time that the charts show, and the choice of another. */
export const periodHeader = (question: PageQuestion): Markup =>
  html`<header>
    <h2 id="charts-title">${charts[`last${question.range}`]}</h2>
    ${rangeTabs(question)}
  </header>`;

const rangeTabs = (question: PageQuestion): Markup =>
  html`<nav class="ranges" aria-label="${charts.timeSpan}">
    <ul>
      ${RANGES.map(
        (range) =>
          html`<li>
            <a
              id="range-${range}"
              href="${urlOf(question, { range })}"
              ${range === question.range && html`aria-current="true"`}
              >${charts[range]}</a
            >
          </li>`,
      )}
    </ul>
  </nav>`;

/** The deliveries of a bar, in the list of the endpoint or of all. */
function deliveriesOf({ endpoint, range }: PageQuestion, fromMs: number): string {
  const toMs = fromMs + HISTORY_RANGES[range].barMs;
  const span = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
  return urlOf(endpoint === '' ? pageOf('deliveries') : pageOf('endpoints', endpoint, 'deliveries'), span);
}
