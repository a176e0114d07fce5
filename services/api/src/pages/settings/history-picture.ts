import type { DestinationStatus } from '@mailhook/core';
import type { DestinationHistory, HistoryHour } from '@mailhook/delivery';
import { count, plural } from '../html/elements.ts';
import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';

const HEIGHT = 36;
const STEP = 10;
const BAR = 7;

/** The last 24 hours of a destination, as one bar per hour and as text. */
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
  const label = `Last 24 hours: ${count(delivered)} delivered, ${count(failed)} failed, ${count(waiting)} waiting`;
  return markup`<figure class="history" id="history-${id}" data-part>
<svg viewBox="0 0 ${hours.length * STEP} ${HEIGHT}" role="img" aria-label="${label}" preserveAspectRatio="none">
<path class="none" d="${baseline(hours)}"></path>${hours.map((hour, i) => bar(hour, i, most))}
</svg>
<figcaption><span class="muted">Last 24 hours</span>
<span class="key good">${count(delivered)} delivered</span>
<span class="key bad">${count(failed)} failed</span>
<span class="key wait">${count(waiting)} waiting</span></figcaption>
</figure>`;
}

const sum = (hours: readonly HistoryHour[], of: 'delivered' | 'failed'): number =>
  hours.reduce((total, hour) => total + hour[of], 0);

/** A line under every hour. */
const baseline = (hours: readonly HistoryHour[]): string =>
  hours.map((_hour, i) => `M${leftOf(i)} ${HEIGHT - 1}h${BAR}v1h-${BAR}z`).join('');

const leftOf = (i: number): number => i * STEP + (STEP - BAR) / 2;

/** Even a few events among many get a visible bar. */
const heightOf = (events: number, most: number): number =>
  events === 0 ? 0 : Math.max(2, Math.round((events / most) * (HEIGHT - 4)));

function bar({ fromMs, delivered, failed }: HistoryHour, i: number, most: number): Markup {
  const x = leftOf(i);
  if (delivered + failed === 0) return markup``;
  const [good, bad] = [heightOf(delivered, most), heightOf(failed, most)];
  const rect = (look: string, y: number, height: number): Markup =>
    markup`<rect class="${look}" x="${x}" y="${y}" width="${BAR}" height="${height}"></rect>`;
  const title = `From ${new Date(fromMs).toISOString().slice(11, 16)} UTC: ${plural(delivered, 'event', 'events')} delivered, ${count(failed)} failed`;
  return markup`<g><title>${title}</title>${good > 0 && rect('good', HEIGHT - good, good)}${
    bad > 0 && rect('bad', HEIGHT - good - bad, bad)
  }</g>`;
}
