import { bytesText, formatCount, percentText, plural, spanText } from '@mailhook/core';
import type { Finding, InstallationReport, OperationsReport } from '@mailhook/core';
import { timeOf, unseen } from '../../html/elements.ts';
import { icon } from '../../html/icons.ts';
import { html } from '../../html/markup.ts';
import type { Content, Markup } from '../../html/markup.ts';
import { BOARD_PATH, destinationUrl, pageUrl } from '../navigation.ts';

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

export function tilesOf(report: OperationsReport): readonly Tile[] {
  const { findings, totals, oldestWaiting, time, installation } = report;
  const toneOf = stateOf(findings);
  const parked = totals.parked - totals.parkedEmpty;
  const oldest = oldestWaiting.map(({ kind, acceptedAt, destination }): Tile => {
    const name = `Oldest ${kind} event`;
    if (acceptedAt === null) return { name, value: 'None' };
    return {
      name,
      value: spanText(Date.parse(time) - Date.parse(acceptedAt)),
      hint: destination === null ? 'In a chunk job' : destination,
      url: destination === null ? pageUrl('queues') : destinationUrl(destination),
      tone: toneOf('MailhookMailStuck', 'MailhookOldMail'),
    };
  });
  return [
    intakeTile(installation.intake),
    workersTile(report, toneOf('MailhookNoWorker')),
    ...oldest,
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
      hint: totals.parkedEmpty > 0 ? `And ${formatCount(totals.parkedEmpty)} without events` : undefined,
      url: pageUrl('destinations', '', { state: 'parked' }),
      tone: parked > 0 ? 'bad' : undefined,
    },
    {
      name: 'Destinations paused',
      value: formatCount(totals.paused),
      url: pageUrl('destinations', '', { state: 'paused' }),
      tone: totals.paused > 0 ? 'warn' : undefined,
    },
    {
      name: 'Dead letters',
      value: formatCount(totals.deadLetters),
      url: pageUrl('dead-letters'),
      tone: toneOf('MailhookDeadLetters'),
    },
    attemptLogTile(report),
    ...redisTiles(installation.redis, toneOf),
    ...jobTiles(report, toneOf),
  ];
}

const attemptLogTile = ({ attemptLog: { bytes, deliveredSince }, time }: OperationsReport): Tile => ({
  name: 'Delivered attempts are kept for',
  value: deliveredSince === null ? '7 days' : spanText(Date.parse(time) - Date.parse(deliveredSince)),
  hint: `${bytesText(bytes)} of Redis`,
});

const intakeTile = ({ refusingSince }: InstallationReport['intake']): Tile => ({
  name: 'Intake',
  value: refusingSince === null ? 'Accepts' : 'Refuses',
  hint: refusingSince === null ? 'Events of all accounts' : html`Since ${timeOf(refusingSince)}`,
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

function redisTiles(redis: InstallationReport['redis'], toneOf: ReturnType<typeof stateOf>): readonly Tile[] {
  if (redis === null) return [{ name: 'Redis', value: 'Unknown', hint: 'It forbids INFO' }];
  const { memory, disk, appendfsync, appendonly } = redis;
  const { limitBytes, usedBytes, headroom, refusesBelow } = memory;
  const free = disk.freeBytes === null ? '' : `, ${bytesText(disk.freeBytes)} free`;
  return [
    {
      name: 'Redis memory free',
      value: limitBytes === null ? 'No limit' : percentText(headroom),
      hint:
        limitBytes === null
          ? `${bytesText(usedBytes)} used`
          : `Of ${bytesText(limitBytes)}; refuses below ${percentText(refusesBelow)}`,
      url: pageUrl('queues'),
      tone: toneOf('MailhookRedisFull', 'MailhookRedisNearlyFull'),
    },
    {
      name: 'Redis disk',
      value: disk.failing.length === 0 ? 'Writes' : `${disk.failing.join(', ')} fails`,
      hint: appendonly === 'yes' ? `appendfsync ${appendfsync}${free}` : `No append-only file${free}`,
      url: pageUrl('queues'),
      tone: disk.failing.length > 0 ? 'bad' : toneOf('MailhookRedisUnsafe'),
    },
  ];
}

/** Scripts take parts of a millisecond. */
export const millis = (ms: number): string => `${ms.toFixed(2)} ms`;

function jobTiles(
  { installation: { queues, scripts }, chunkJobs }: OperationsReport,
  toneOf: ReturnType<typeof stateOf>,
): readonly Tile[] {
  const failed = queues.reduce((sum, one) => sum + (one.queue.endsWith('-chunks') ? one.failed : 0), 0);
  const waiting = chunkJobs.reduce((sum, jobs) => sum + jobs.waiting, 0);
  return [
    {
      name: 'Chunk jobs waiting',
      value: formatCount(waiting),
      hint: 'Accepted, not in a mailbox yet',
      url: pageUrl('queues'),
    },
    {
      name: 'Failed chunk jobs',
      value: formatCount(failed),
      hint: 'Not delivered until retried',
      url: BOARD_PATH,
      tone: toneOf('MailhookChunksSetAside'),
    },
    {
      name: 'Scripts in Redis',
      value: scripts === null ? 'Unknown' : millis(scripts.meanMs),
      hint: scripts?.p99Ms == null ? 'Mean' : `Mean; 99 % below ${millis(scripts.p99Ms)}`,
      url: pageUrl('queues'),
    },
  ];
}
