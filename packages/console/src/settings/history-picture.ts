import { formatCount, plural } from '@mailhook/core';
import type { DestinationHistory, DestinationStatus, HistoryHour } from '@mailhook/core';

import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';

const HEIGHT = 36;
const STEP = 10;
const BAR = 7;

/** The last 24 hours of a destination: attempts, as one bar per hour and as text, and events as text. */
export function historyPicture(
  id: string,
  history: DestinationHistory | undefined,
  status: DestinationStatus | undefined,
): Markup {
  if (history === undefined) return markup``;
  const { hours } = history;
  const waiting = status?.waiting ?? 0;
  const delivered = sum(hours, 'delivered');
  const failed = sum(hours, 'failed');
  const most = Math.max(1, ...hours.map((hour) => hour.delivered + hour.failed));
  const attempts = `${plural(delivered, 'attempt', 'attempts')} delivered, ${formatCount(failed)} failed`;
  const events = `${plural(sum(hours, 'events'), 'event', 'events')} delivered`;
  const waitingNow = `${plural(waiting, 'event', 'events')} waiting now`;
  return markup`<figure class="history" id="history-${id}" data-part>
<svg viewBox="0 0 ${hours.length * STEP} ${HEIGHT}" role="img" aria-label="Last 24 hours: ${attempts}; ${events}, ${waitingNow}" preserveAspectRatio="none">
<path class="none" d="M${leftOf(0)} ${HEIGHT - 0.5}H${hours.length * STEP}" stroke-dasharray="${BAR} ${STEP - BAR}"></path>${hours.map((hour, i) => bar(hour, i, most))}
</svg>
<figcaption><span class="muted">Last 24 hours</span>
<span class="key good">${plural(delivered, 'attempt', 'attempts')} delivered</span>
<span class="key bad">${formatCount(failed)} failed</span>
<span>${events}</span>
<span class="key wait">${waitingNow}</span></figcaption>
</figure>`;
}

const sum = (hours: readonly HistoryHour[], of: 'events' | 'delivered' | 'failed'): number =>
  hours.reduce((total, hour) => total + hour[of], 0);

const leftOf = (i: number): number => i * STEP + (STEP - BAR) / 2;

/** Even a few attempts among many get a visible bar. */
const heightOf = (attempts: number, most: number): number =>
  attempts === 0 ? 0 : Math.max(2, Math.round((attempts / most) * (HEIGHT - 4)));

function bar({ fromMs, delivered, failed }: HistoryHour, i: number, most: number): Markup {
  const x = leftOf(i);
  if (delivered + failed === 0) return markup``;
  const [good, bad] = [heightOf(delivered, most), heightOf(failed, most)];
  const rect = (look: string, y: number, height: number): Markup =>
    markup`<rect class="${look}" x="${x}" y="${y}" width="${BAR}" height="${height}"></rect>`;
  const title = `From ${new Date(fromMs).toISOString().slice(11, 16)} UTC: ${plural(delivered, 'attempt', 'attempts')} delivered, ${formatCount(failed)} failed`;
  return markup`<g><title>${title}</title>${good > 0 && rect('good', HEIGHT - good, good)}${
    bad > 0 && rect('bad', HEIGHT - good - bad, bad)
  }</g>`;
}
