import type { Mechanism } from '@mailhook/core';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { ServiceName, TestRedis } from '@mailhook/testing';
import { startRedis } from '@mailhook/testing';
import type { Redis } from '@mailhook/platform/redis';
import type { BaselineApi } from '../processes/baseline.ts';
import type { LoadApi } from '../processes/load.ts';
import { ADDRESSES } from '../processes/places.ts';
import type { PlainApiApi } from '../processes/plain-api.ts';
import type { ReceiversApi } from '../processes/receivers.ts';
import type { Child } from './child.ts';
import { startChild } from './child.ts';
import type { CpuSeconds } from './cpu.ts';
import { processCpuSeconds, redisCpuSeconds } from './cpu.ts';
import type { BenchService } from './service.ts';
import { startService } from './service.ts';

/** The processes of one figure: Redis, receivers, a producer, and the workers that it asks for. */
export interface Lab {
  readonly redis: Redis;
  readonly redisServer: TestRedis;
  readonly redisUrl: string;
  readonly queuePrefix: string;
  readonly receivers: Child<ReceiversApi>;
  readonly baseUrl: string;
  readonly load: Child<LoadApi>;
  /** Starts a worker process of the product. It stops with the lab. */
  worker(kind: Mechanism, environment?: Readonly<Record<string, string>>): Promise<BenchService>;
  api(environment: Readonly<Record<string, string>>): Promise<BenchService>;
  baseline(environment?: Readonly<Record<string, string>>): Child<BaselineApi>;
  plainApi(): Child<PlainApiApi>;
  /** Returns a name that no other run of this lab has. */
  newRun(): string;
  /** CPU seconds of Redis, load, receivers, and the given processes. */
  cpu(pids: Readonly<Record<string, readonly number[]>>): Promise<CpuSeconds>;
  close(): Promise<void>;
}

const profiled = (dir: string | undefined): string[] =>
  dir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${dir}`];

const QUEUE_PREFIX = 'bench';
const SERVICES = { campaign: 'campaign-batcher', transactional: 'transactional-notifier' } as const;

export async function openLab(options: { readonly profileDir?: string | undefined }): Promise<Lab> {
  const redisServer = await startRedis({ appendonly: true, appendfsync: 'everysec' });
  const redisUrl = redisServer.url;
  const redis = connectRedis({ url: redisUrl, role: 'worker', name: 'bench', onError: () => undefined });
  await whenReady(redis, 5000);
  const receivers = startChild<ReceiversApi>('receivers');
  const load = startChild<LoadApi>('load', profiled(options.profileDir));
  const services: BenchService[] = [];
  const children: Child<never>[] = [];
  const start = async (name: ServiceName, environment: Readonly<Record<string, string>>) => {
    const { profileDir } = options;
    const started = await startService({ name, redisUrl, queuePrefix: QUEUE_PREFIX, profileDir, environment });
    services.push(started);
    return started;
  };
  let runs = 0;
  let closing: Promise<void> | undefined;
  const baseUrl = `http://127.0.0.#:${await receivers.call('listen', { keepMs: 0, addresses: ADDRESSES })}`;
  await load.call('open', { redisUrl, queuePrefix: QUEUE_PREFIX });
  return {
    redis,
    redisServer,
    redisUrl,
    queuePrefix: QUEUE_PREFIX,
    receivers,
    baseUrl,
    load,
    worker: (kind, environment = {}) => start(SERVICES[kind], environment),
    api: (environment) => start('api', environment),
    baseline(environment) {
      const child = startChild<BaselineApi>('baseline', [], environment);
      children.push(child);
      return child;
    },
    plainApi() {
      const child = startChild<PlainApiApi>('plain-api');
      children.push(child);
      return child;
    },
    newRun: () => `r${(runs += 1)}`,
    cpu: (pids) => readCpu(redis, { ...pids, load: [load.pid], receivers: [receivers.pid] }),
    close: () =>
      (closing ??= (async () => {
        await Promise.all(services.map((service) => service.stop()));
        await Promise.all([...children, load, receivers].map((child) => child.stop()));
        await closeRedis(redis);
        await redisServer.stop();
      })()),
  };
}

async function readCpu(redis: Redis, pids: Readonly<Record<string, readonly number[]>>): Promise<CpuSeconds> {
  const of = async (some: readonly number[]): Promise<number> =>
    (await Promise.all(some.map(processCpuSeconds))).reduce((sum, seconds) => sum + seconds, 0);
  const seconds = await Promise.all(Object.entries(pids).map(async ([role, some]) => [role, await of(some)] as const));
  return { ...Object.fromEntries(seconds), redis: await redisCpuSeconds(redis) };
}
