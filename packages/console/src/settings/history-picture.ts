import { formatCount, plural } from '@mailhook/core';
import type { DestinationHistory, DestinationStatus, HistoryHour } from '@mailhook/core';

import { markup } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';

const HEIGHT = 36;
const SPARK_HEIGHT = 20;
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

/** The same without words, for a row or a figure that says it beside. */
export function sparkline(hours: readonly HistoryHour[], tones: readonly ('delivered' | 'failed')[]): Markup {
  const of = (hour: HistoryHour): number => tones.reduce((total, tone) => total + hour[tone], 0);
  const most = Math.max(1, ...hours.map(of));
  const scale = (attempts: number): number => (attempts === 0 ? 0 : Math.max(2, (attempts / most) * SPARK_HEIGHT));
  const bars = hours.map((hour, i) => {
    const good = tones.includes('delivered') ? scale(hour.delivered) : 0;
    const bad = tones.includes('failed') ? scale(hour.failed) : 0;
    const rect = (look: string, y: number, height: number): Markup | false =>
      height > 0 &&
      markup`<rect class="${look}" x="${i * STEP}" y="${y.toFixed(1)}" width="${BAR}" height="${height.toFixed(1)}"/>`;
    return markup`${rect('good', SPARK_HEIGHT - good, good)}${rect('bad', Math.max(0, SPARK_HEIGHT - good - bad), bad)}`;
  });
  return markup`<svg class="spark" viewBox="0 0 ${hours.length * STEP} ${SPARK_HEIGHT}" preserveAspectRatio="none" aria-hidden="true"><path class="none" d="M0 ${SPARK_HEIGHT - 0.5}H${hours.length * STEP}"/>${bars}</svg>`;
}

/** The hours of all destinations together. */
export function totalOf(histories: readonly DestinationHistory[]): readonly HistoryHour[] {
  const [first] = histories;
  if (first === undefined) return [];
  return first.hours.map(({ fromMs }, i) => {
    const of = (name: 'events' | 'delivered' | 'failed'): number =>
      histories.reduce((total, { hours }) => total + (hours[i]?.[name] ?? 0), 0);
    return { fromMs, events: of('events'), delivered: of('delivered'), failed: of('failed') };
  });
}

export const sum = (hours: readonly HistoryHour[], of: 'events' | 'delivered' | 'failed'): number =>
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
