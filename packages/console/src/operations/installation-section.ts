import { bytesText, formatCount, HEARTBEAT_MS, LEASE_MS, percentText, plural, spanText } from '@mailhook/core';
import type { InstallationReport, OperationsReport, Overview, WorkerView } from '@mailhook/core';
import { badge, duration, masked, section, timeOf } from '../html/elements.ts';
import { markup } from '../html/markup.ts';
import type { Content, Markup } from '../html/markup.ts';
import { KINDS } from './destination-cards.ts';

/** Scripts take parts of a millisecond. */
const millis = (ms: number): string => `${ms.toFixed(2)} ms`;

type Fact = readonly [name: string, value: Content];

/** The settings and times behind the figures, and the queues. */
export const installationSection = ({ installation, unjudgedAlerts }: OperationsReport): Markup =>
  section(
    {
      id: 'installation',
      title: 'Installation',
      lead: 'Redis, the intake and the queues, as this replica of the api sees them.',
    },
    markup`<div class="card"><h3>Redis</h3>${factList(redisFacts(installation))}
<h3>Scripts in Redis</h3>${factList(scriptFacts(installation))}
<h3>Queues with jobs</h3>${factList(queueFacts(installation))}
<h3>Alerts that only Prometheus can judge</h3>${factList(Object.entries(unjudgedAlerts))}</div>`,
  );

const factList = (facts: readonly Fact[]): Markup =>
  markup`<dl class="facts">${facts.map(([name, value]) => markup`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

function redisFacts({ redis, redisFindings, intake }: InstallationReport): Fact[] {
  const refusal: Fact = [
    'Intake',
    intake.refusingSince === null
      ? 'accepts events'
      : markup`has refused all events since ${timeOf(intake.refusingSince)}: ${intake.reason ?? ''}`,
  ];
  const notes = redisFindings
    .filter(({ severity }) => severity !== 'fault')
    .map(({ severity, text }): Fact => [severity === 'risk' ? 'Risk' : 'Not checked', text]);
  if (redis === null) return [refusal, ['Figures', 'Redis forbids INFO'], ...notes];
  const { memory, disk } = redis;
  return [
    refusal,
    [
      'Memory',
      memory.limitBytes === null
        ? `${bytesText(memory.usedBytes)} used, no maxmemory`
        : `${bytesText(memory.usedBytes)} of ${bytesText(memory.limitBytes)} used`,
    ],
    ['Append-only file', redis.appendonly === 'yes' ? bytesText(disk.fileBytes) : 'off'],
    [
      'Free space on its disk',
      disk.freeBytes === null ? 'unknown, because Redis does not report it' : bytesText(disk.freeBytes),
    ],
    ['appendfsync', redis.appendfsync],
    ['maxmemory-policy', redis.policy],
    ['Replicas', formatCount(redis.replicas)],
    ['Version', redis.version],
    ['Clock of this api', `${duration(Math.abs(redis.clockSkewMs))} ${redis.clockSkewMs < 0 ? 'behind' : 'ahead'}`],
    ...notes,
  ];
}

function scriptFacts({ scripts }: InstallationReport): Fact[] {
  if (scripts === null) return [['Times', 'unknown, because Redis forbids INFO']];
  return [
    ['Calls since Redis started', formatCount(scripts.calls)],
    ['Mean', millis(scripts.meanMs)],
    ...(scripts.p99Ms === null ? [] : [['99 % are faster than', millis(scripts.p99Ms)] as const]),
    [
      'Slow ones of the last hour',
      scripts.slow.length === 0
        ? 'none'
        : scripts.slow.map(
            ({ script, tookMs, at }, i) => markup`${i > 0 && ', '}${script} ${duration(tookMs)} (${timeOf(at)})`,
          ),
    ],
  ];
}

const STATES = ['waiting', 'active', 'delayed', 'failed', 'paused'] as const;

function queueFacts({ queues }: InstallationReport): Fact[] {
  const facts = queues.flatMap((queue): Fact[] => {
    const jobs = STATES.filter((state) => queue[state] > 0).map((state) => `${formatCount(queue[state])} ${state}`);
    return jobs.length === 0 ? [] : [[queue.queue, jobs.join(', ')]];
  });
  return facts.length === 0 ? [['All queues', 'empty']] : facts;
}

export const workersSection = ({ workers, time }: Overview): Markup =>
  section(
    {
      id: 'workers',
      title: 'Workers',
      lead: `Each sends a heartbeat every ${duration(HEARTBEAT_MS)}. Without one for ${duration(LEASE_MS)}, other workers claim its destinations. A worker that ended without a stop is listed for a day.`,
    },
    workers.length === 0
      ? markup`<p class="card empty"><strong>None</strong>No worker has ever had a heartbeat here, so nothing is delivered.</p>`
      : markup`<ul class="rows card flush">${[...byHost(workers)].map(([host, own]) => hostRow(host, own, time))}</ul>`,
  );

const byHost = (workers: readonly WorkerView[]): Map<string, WorkerView[]> => {
  const hosts = new Map<string, WorkerView[]>();
  for (const worker of workers) {
    const host = worker.host ?? 'Unknown host';
    hosts.set(host, [...(hosts.get(host) ?? []), worker]);
  }
  return hosts;
};

const hostRow = (host: string, workers: readonly WorkerView[], now: string): Markup =>
  markup`<li><div><h3>${masked(host)}</h3><ul class="workers">${workers.map((worker) => workerLine(worker, now))}</ul></div></li>`;

function workerLine(worker: WorkerView, now: string): Markup {
  const { kind, shard, pid, isAlive, lastHeartbeatAt, destinations } = worker;
  const age = spanText(Date.parse(now) - Date.parse(lastHeartbeatAt));
  return markup`<li>${badge(isAlive ? 'good' : 'bad', isAlive ? 'alive' : 'gone')} ${KINDS[kind]}, shard ${shard}${pid !== null && `, pid ${pid}`}: last heartbeat ${age} ago, ${plural(destinations, 'destination', 'destinations')}</li>`;
}

/** The tiles of the installation on the first screen. */
export function installationFigures({ installation, workers, chunkJobs }: OperationsReport): readonly Tile[] {
  const { intake, redis, scripts, queues } = installation;
  const alive = workers.filter(({ isAlive }) => isAlive);
  const failedChunks = queues.reduce((sum, { queue, failed }) => sum + (queue.endsWith('-chunks') ? failed : 0), 0);
  const waiting = chunkJobs.reduce((sum, jobs) => sum + jobs.waiting, 0);
  const hosts = new Set(alive.map(({ host }) => host)).size;
  return [
    intake.refusingSince === null
      ? { name: 'Intake', value: 'accepts', hint: 'events of all accounts' }
      : { name: 'Intake', value: 'refuses', hint: markup`since ${timeOf(intake.refusingSince)}` },
    ...redisFigures(redis),
    {
      name: 'Workers',
      value: formatCount(alive.length),
      hint: `on ${plural(hosts, 'host', 'hosts')}${workers.length > alive.length ? `, ${formatCount(workers.length - alive.length)} gone` : ''}`,
    },
    { name: 'Chunk jobs waiting', value: formatCount(waiting), hint: 'accepted, not in a mailbox yet' },
    { name: 'Failed chunk jobs', value: formatCount(failedChunks), hint: 'not delivered until retried' },
    {
      name: 'Scripts in Redis',
      value: scripts === null ? 'unknown' : millis(scripts.meanMs),
      hint: scripts?.p99Ms == null ? 'mean' : `mean; 99 % below ${millis(scripts.p99Ms)}`,
    },
  ];
}

export interface Tile {
  readonly name: string;
  readonly value: Content;
  readonly hint?: Content;
}

function redisFigures(redis: InstallationReport['redis']): readonly Tile[] {
  if (redis === null) return [{ name: 'Redis', value: 'unknown', hint: 'it forbids INFO' }];
  const { memory, disk, appendfsync, appendonly } = redis;
  const free = disk.freeBytes === null ? '' : `, ${bytesText(disk.freeBytes)} free`;
  return [
    {
      name: 'Redis memory free',
      value: memory.limitBytes === null ? 'no limit' : percentText(memory.headroom),
      hint:
        memory.limitBytes === null
          ? `${bytesText(memory.usedBytes)} used`
          : `of ${bytesText(memory.limitBytes)}; refuses below ${percentText(memory.refusesBelow)}`,
    },
    {
      name: 'Redis disk',
      value: disk.failing.length === 0 ? 'writes' : `${disk.failing.join(', ')} fails`,
      hint: appendonly === 'yes' ? `appendfsync ${appendfsync}${free}` : `no append-only file${free}`,
    },
  ];
}
