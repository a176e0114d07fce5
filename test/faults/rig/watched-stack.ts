import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Queue } from 'bullmq';
import { EMAIL_EVENTS_QUEUE, engineQueues, REJECTED_EVENTS_QUEUE } from '@mailhook/core';
import { engineKeys } from '@mailhook/delivery';
import { aCampaignEvent, anOpen, eventually, freePort, startReceiver, startRedis } from '@mailhook/testing';
import type { FakeReceiver, ServiceName, ServiceProcess, TestRedis } from '@mailhook/testing';
import { Redis } from 'ioredis';
import { startPrometheus } from '../../../scripts/monitoring/prometheus.ts';
import type { Prometheus } from '../../../scripts/monitoring/prometheus.ts';
import { callJson } from '../../end-to-end/rig/composed-services.ts';
import { startService } from './service.ts';

const SERVICES = ['api', 'transactional-notifier', 'campaign-batcher'] as const;
const PREFIX = 'mailhook';
const SCRAPE_SECONDS = 0.5;
const TOKENS = { ADMIN_TOKEN: 'admin_of_the_tests'.padEnd(40, 'a'), PRODUCER_TOKEN: 'producer_'.padEnd(40, 'p') };
const SETTINGS = {
  HOST: '127.0.0.1',
  QUEUE_PREFIX: PREFIX,
  ALLOW_PRIVATE_DESTINATIONS: 'true',
  LOG_LEVEL: 'info',
  RETRY_SCHEDULE: '300ms,300ms',
  BREAKER_FAILURES: '1',
  BREAKER_PARK_MAX: '1s',
  BODY_BYTES_IN_FLIGHT_MAX: String(4 * 1024 * 1024),
  NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --require ${JSON.stringify(path.join(__dirname, 'reject-on-signal.cjs'))}`,
};

/**
 * The three services as processes, a Redis, a receiver, and a Prometheus that watches them. Every account has a
 * subscription and a campaign webhook.
 */
export interface WatchedStack {
  readonly redis: TestRedis;
  readonly client: Redis;
  readonly receiver: FakeReceiver;
  readonly prometheus: Prometheus;
  readonly publicPort: number;
  /** The event log's. */
  readonly logFolder: string;
  readonly producerToken: string;
  start(name: ServiceName): Promise<void>;
  processOf(name: ServiceName): ServiceProcess;
  admin(path: string, body: unknown): Promise<unknown>;
  /** Sends one event of each mechanism for each account. A refusal is no error. */
  sendToAll(): Promise<void>;
  readonly emailEvents: Queue;
  readonly rejectedEvents: Queue;
  /** Of campaign events. */
  readonly chunkJobs: Queue;
  readonly deadLetterJobs: Queue;
  close(): Promise<void>;
}

/** @param rules the alerting rules of Prometheus. */
export async function startWatchedStack(accounts: number, rules: string): Promise<WatchedStack> {
  const redis = await startRedis({ appendonly: true, clockAheadMs: 0 });
  const client = new Redis(redis.url, { maxRetriesPerRequest: null });
  client.on('error', () => undefined);
  const receiver = await startReceiver();
  const publicPort = await freePort();
  const logFolder = path.join(mkdtempSync(path.join(tmpdir(), 'mailhook-watched-')), 'event-log');
  const ports = {
    api: await freePort(),
    'transactional-notifier': await freePort(),
    'campaign-batcher': await freePort(),
  };
  const processes = new Map<ServiceName, ServiceProcess>();
  const processOf = (name: ServiceName): ServiceProcess => {
    const found = processes.get(name);
    if (found === undefined) throw new Error(`${name} was not started`);
    return found;
  };
  const start = async (name: ServiceName): Promise<void> => {
    const own = { PORT: String(publicPort), OPS_PORT: String(ports[name]), REDIS_URL: redis.url };
    processes.set(name, await startService(name, { ...TOKENS, ...SETTINGS, EVENT_LOG: logFolder, ...own }));
  };
  await Promise.all(SERVICES.map(start));
  const admin = (path: string, body: unknown) =>
    callJson(`http://127.0.0.1:${ports.api}${path}`, TOKENS.ADMIN_TOKEN, 'POST', body);
  const publicUrl = `http://127.0.0.1:${publicPort}`;
  const ids = await Promise.all(
    Array.from({ length: accounts }, (_, i) => createAccount(admin, publicUrl, `${receiver.url}/${i}`)),
  );
  const targets = Object.fromEntries(SERVICES.map((name) => [name, `127.0.0.1:${ports[name]}`]));
  const prometheus = await startPrometheus({ targets, scrapeSeconds: SCRAPE_SECONDS, rules });
  await untilScraped(prometheus);
  const open = (name: string, prefix: string): Queue => {
    const queue = new Queue(name, { connection: client, prefix });
    return queue.on('error', () => undefined);
  };
  const { chunks, deadLetters } = engineQueues('campaign');
  const enginePrefix = engineKeys(PREFIX, 0, 'campaign').queuePrefix;
  const queues = {
    emailEvents: open(EMAIL_EVENTS_QUEUE, PREFIX),
    rejectedEvents: open(REJECTED_EVENTS_QUEUE, PREFIX),
    chunkJobs: open(chunks, enginePrefix),
    deadLetterJobs: open(deadLetters, enginePrefix),
  };
  return {
    redis,
    client,
    receiver,
    prometheus,
    publicPort,
    logFolder,
    start,
    processOf,
    admin,
    ...queues,
    producerToken: TOKENS.PRODUCER_TOKEN,
    async sendToAll() {
      const events = ids.flatMap((account) => [anOpen({ account }), aCampaignEvent({ account })]);
      await fetch(`${publicUrl}/v3/events`, {
        method: 'POST',
        headers: { authorization: `Bearer ${TOKENS.PRODUCER_TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify(events),
      });
    },
    async close() {
      await prometheus.stop();
      await Promise.all([...processes.values()].map((one) => one.kill()));
      await Promise.all(Object.values(queues).map((one) => one.close()));
      client.disconnect();
      await receiver.close();
      await redis.stop();
      rmSync(path.dirname(logFolder), { recursive: true, force: true });
    },
  };
}

/** Later, a service without file descriptors could not accept the connection of Prometheus. */
async function untilScraped(prometheus: Prometheus): Promise<void> {
  const scraped = async (): Promise<number | undefined> => {
    const now = Date.now() / 1000;
    const [up] = await prometheus.queryRange('sum(up)', { start: now, end: now, step: 1 });
    return up?.points[0]?.[1];
  };
  await eventually(async () => (await scraped()) === SERVICES.length, { withinMs: 30_000, what: 'the first scrapes' });
}

async function createAccount(admin: WatchedStack['admin'], publicUrl: string, address: string): Promise<string> {
  const { id } = (await admin('/admin/accounts', { name: 'watched' })) as { id: string };
  const { token } = (await admin(`/admin/accounts/${id}/tokens`, {})) as { token: string };
  const call = (method: string, path: string, body: unknown) =>
    callJson(`${publicUrl}/v3/webhook${path}`, token, method, body);
  await call('POST', '/subscriptions', { address, type: 'open', module: 'transactional_email' });
  await call('PUT', '/campaign', { address });
  return id;
}
