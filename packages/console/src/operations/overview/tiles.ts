import { bytesText, formatCount, hostOf, percentText, plural } from '@mailhook/core';
import type { Finding, InstallationReport, OperationsReport } from '@mailhook/core';
import { agoOf, timeOf, unseen } from '../../html/elements.ts';
import { icon } from '../../html/icons.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { DEAD_LETTERS_DAYS } from '../family.ts';
import { destinationUrl, pageUrl } from '../navigation.ts';
import type { Names } from '../view.ts';

type Tone = Finding['tone'];

interface Tile {
  readonly name: string;
  readonly value: Content;
  readonly hint?: Content;
  readonly url?: string;
  /** Undefined if all is well. */
  readonly tone?: Tone | undefined;
}

/** Tiles, the bad ones first. The state is a color, a symbol and a text. */
export function tileList(tiles: readonly Tile[]): Markup {
  const of = (wanted: Tone | undefined): readonly Tile[] => tiles.filter(({ tone }) => tone === wanted);
  return html`<ul class="tiles">
    ${[...of('bad'), ...of('warn'), ...of(undefined)].map(tile)}
  </ul>`;
}

const TONES = { bad: 'Needs attention', warn: 'Watch this' } as const;

const tile = ({ name, value, hint, url, tone }: Tile): Markup =>
  html`<li class="card${tone !== undefined && ` ${tone}`}">
    ${
      url === undefined
        ? html`<span class="name">${name}</span>`
        : html`<a class="name whole" href="${url}">${name}</a>`
    }${tone !== undefined && html`<span class="tone">${icon(tone)}${unseen(TONES[tone])}</span>`}
    <p class="figure">${value}</p>
    ${hint !== undefined && html`<p class="hint">${hint}</p>`}
  </li>`;

/** A tile has the state of the findings about it, so that tiles and findings never contradict each other. */
const stateOf =
  (findings: readonly Finding[]) =>
  (...alerts: readonly string[]): Tone | undefined => {
    const tones = findings.flatMap(({ alert = '', tone }) => (alerts.includes(alert) ? [tone] : []));
    return tones.includes('bad') ? 'bad' : tones[0];
  };

/** Eight. The findings above them and the page of the queues have everything else. */
export function tilesOf(report: OperationsReport, names: Names): readonly Tile[] {
  const { findings, totals, installation } = report;
  const toneOf = stateOf(findings);
  const parked = totals.parked - totals.parkedEmpty;
  return [
    intakeTile(installation.intake),
    workersTile(report, toneOf('MailhookNoWorker')),
    oldestTile(report, names, toneOf('MailhookMailStuck', 'MailhookOldMail')),
    {
      name: 'Events waiting',
      value: formatCount(totals.waiting),
      hint: `${plural(totals.resends, 'resend', 'resends')} scheduled`,
      url: pageUrl('destinations', '', { state: 'waiting' }),
      tone: totals.late > 0 ? 'bad' : undefined,
    },
    {
      name: 'Destinations parked',
      value: formatCount(parked),
      hint: totals.parkedEmpty > 0 ? `And ${formatCount(totals.parkedEmpty)} without events` : 'With events',
      url: pageUrl('destinations', '', { state: 'parked' }),
      tone: parked > 0 ? 'bad' : undefined,
    },
    {
      name: 'Destinations paused',
      value: formatCount(totals.paused),
      hint: 'By a person',
      url: pageUrl('destinations', '', { state: 'paused' }),
      tone: totals.paused > 0 ? 'warn' : undefined,
    },
    {
      name: 'Dead letters',
      value: formatCount(totals.deadLetters),
      hint: `Kept for ${DEAD_LETTERS_DAYS} days`,
      url: pageUrl('dead-letters'),
      tone: toneOf('MailhookDeadLetters'),
    },
    memoryTile(installation.redis, toneOf),
  ];
}

/** The oldest event of all, with its account and its host, if it has left its chunk job. */
function oldestTile({ oldestWaiting, attention }: OperationsReport, names: Names, tone: Tone | undefined): Tile {
  const name = 'Oldest event';
  const [oldest] = oldestWaiting
    .filter(({ acceptedAt }) => acceptedAt !== null)
    .sort((a, b) => String(a.acceptedAt).localeCompare(String(b.acceptedAt)));
  if (oldest === undefined) return { name, value: 'None', hint: 'No event waits' };
  const { acceptedAt, destination } = oldest;
  const value = agoOf(String(acceptedAt));
  if (destination === null) return { name, value, hint: 'In a chunk job', url: pageUrl('queues'), tone };
  const view = attention.find(({ id }) => id === destination);
  const hint = view === undefined ? destination : `${names.get(view.account) ?? view.account}, ${hostOf(view.address)}`;
  return { name, value, hint, url: destinationUrl(destination), tone };
}

export const intakeTile = ({ refusingSince, reason }: InstallationReport['intake']): Tile => ({
  name: 'Intake',
  value: refusingSince === null ? 'Accepts' : 'Refuses',
  hint: refusingSince === null ? 'Events of all accounts' : html`Since ${timeOf(refusingSince)}: ${reason ?? ''}`,
  url: pageUrl('queues'),
  tone: refusingSince === null ? undefined : 'bad',
});

function workersTile({ workers }: OperationsReport, tone: Tone | undefined): Tile {
  const alive = workers.filter(({ isAlive }) => isAlive);
  const hosts = new Set(alive.map(({ host }) => host)).size;
  return {
    name: 'Workers',
    value: formatCount(alive.length),
    hint: `On ${plural(hosts, 'host', 'hosts')}`,
    url: pageUrl('workers'),
    tone,
  };
}

function memoryTile(redis: InstallationReport['redis'], toneOf: ReturnType<typeof stateOf>): Tile {
  if (redis === null) return { name: 'Redis', value: 'Unknown', hint: 'It forbids INFO' };
  const { limitBytes, headroom, refusesBelow } = redis.memory;
  return {
    name: 'Redis memory free',
    value: limitBytes === null ? 'No limit' : percentText(headroom),
    hint:
      limitBytes === null
        ? 'No maxmemory is set'
        : `Of ${bytesText(limitBytes)}; refuses below ${percentText(refusesBelow)}`,
    url: pageUrl('queues'),
    tone: toneOf('MailhookRedisFull', 'MailhookRedisNearlyFull'),
  };
}
