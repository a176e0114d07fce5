import { EMAIL_EVENTS_QUEUE, REJECTED_EVENTS_QUEUE } from '@mailhook/core';
import { commandOf } from '@mailhook/delivery';
import type { Installation } from '@mailhook/delivery';
import {
  checkRedisSettings,
  combineMasters,
  NEARLY_FULL,
  readMasters,
  readFunctionTimes,
  readSkewMs,
} from '@mailhook/platform/redis';
import type { DiskTask, Redis, RedisFinding } from '@mailhook/platform/redis';
import type { IntakeWatch } from './intake-watch.ts';
import { readQueueDepths } from './queue-gauges.ts';
import type { QueueDepths } from './queue-gauges.ts';

/** What the installation lacks, or may soon lack. Times are ISO 8601. */
export interface InstallationReport {
  /** Why this replica of the api is not ready, as on `/readyz`. Empty if it is. */
  readonly notReady: readonly string[];
  /** As this replica of the api sees it. Null while it accepts events. */
  readonly intake: { readonly refusingSince: string | null; readonly reason: string | null };
  /** Null if Redis forbids `INFO`. */
  readonly redis: RedisReport | null;
  readonly redisFindings: readonly RedisFinding[];
  /** How long the scripts of all services run in Redis. Null if Redis forbids `INFO`. */
  readonly scripts: ScriptReport | null;
  readonly queues: readonly ({ readonly queue: string } & QueueDepths)[];
  /** Whether events or jobs of Redis-fed producers were rejected within the last hour. */
  readonly hasNewRejections: boolean;
}

interface RedisReport {
  readonly memory: {
    readonly usedBytes: number;
    /** Null without a limit. */
    readonly limitBytes: number | null;
    /** The free share of the limit, 1 without one. The intake refuses events below `refusesBelow`. */
    readonly headroom: number;
    readonly refusesBelow: number;
  };
  readonly disk: {
    readonly failing: readonly DiskTask[];
    /** Size of the append-only file. */
    readonly fileBytes: number;
    /** Null unless Redis runs on the machine of the api, because Redis does not report it. */
    readonly freeBytes: number | null;
  };
  readonly version: string;
  readonly policy: string;
  readonly appendonly: string;
  readonly appendfsync: string;
  readonly replicas: number;
  /** How far the clock of this process is ahead of that of Redis. */
  readonly clockSkewMs: number;
}

interface ScriptReport {
  /** Since the start of Redis. */
  readonly calls: number;
  readonly meanMs: number;
  readonly p99Ms: number | null;
  /** Of the last hour, from Redis's slow log, newest first. */
  readonly slow: readonly { readonly script: string; readonly tookMs: number; readonly at: string }[];
}

export interface InstallationDeps {
  readonly installation: Installation;
  readonly isReady: () => Promise<readonly string[]>;
  readonly intake: Pick<IntakeWatch, 'refusal'>;
}

const HOUR_MS = 3_600_000;
const SLOW_SHOWN = 5;

/** Rejects while Redis is away. */
export async function readInstallation(deps: InstallationDeps): Promise<InstallationReport> {
  const { installation } = deps;
  const { redis } = installation;
  const [notReady, report, redisFindings, scripts, depths, hasNewRejections] = await Promise.all([
    deps.isReady(),
    readRedis(redis),
    checkRedisSettings(redis),
    readScripts(redis),
    readQueueDepths(installation),
    readNewRejections(installation),
  ]);
  return {
    notReady,
    intake: intakeReport(deps.intake),
    redis: report,
    redisFindings,
    scripts,
    queues: [...depths].map(([queue, counts]) => ({ queue, ...counts })),
    hasNewRejections,
  };
}

export function intakeReport(intake: Pick<IntakeWatch, 'refusal'>): InstallationReport['intake'] {
  const refusal = intake.refusal();
  if (refusal === undefined) return { refusingSince: null, reason: null };
  return { refusingSince: new Date(refusal.sinceMs).toISOString(), reason: refusal.reason };
}

/** Resolves to null if Redis forbids the commands. While Redis is away, other readings reject. */
const unlessForbidden = <Value>(reading: Promise<Value>): Promise<Value | null> => reading.catch(() => null);

async function readRedis(redis: Redis): Promise<RedisReport | null> {
  const [masters, clockSkewMs] = await Promise.all([unlessForbidden(readMasters(redis)), readSkewMs(redis)]);
  if (masters === null) return null;
  const { usedBytes, limitBytes, headroom, failing, disk, settings, replicas } = combineMasters(masters);
  return {
    memory: {
      usedBytes,
      limitBytes: limitBytes === 0 ? null : limitBytes,
      headroom,
      refusesBelow: Math.round((1 - NEARLY_FULL) * 100) / 100,
    },
    disk: { failing, fileBytes: disk.fileBytes, freeBytes: disk.freeBytes ?? null },
    ...settings,
    replicas,
    clockSkewMs,
  };
}

async function readScripts(redis: Redis): Promise<ScriptReport | null> {
  const times = await unlessForbidden(readFunctionTimes(redis));
  if (times === null) return null;
  const slow = times.slow
    .filter(({ atMs }) => atMs > Date.now() - HOUR_MS)
    .slice(0, SLOW_SHOWN)
    .map(({ name, tookMs, atMs }) => ({ script: commandOf(name) ?? name, tookMs, at: new Date(atMs).toISOString() }));
  return { calls: times.calls, meanMs: times.meanMs, p99Ms: times.p99Ms ?? null, slow };
}

async function readNewRejections({ redis, prefix }: Installation): Promise<boolean> {
  const sinceMs = Date.now() - HOUR_MS;
  const [newest, failed] = await Promise.all([
    redis.lindex(`${prefix}:${REJECTED_EVENTS_QUEUE}:wait`, 0),
    redis.zcount(`${prefix}:${EMAIL_EVENTS_QUEUE}:failed`, sinceMs, '+inf'),
  ]);
  if (failed > 0) return true;
  const at = newest === null ? null : await redis.hget(`${prefix}:${REJECTED_EVENTS_QUEUE}:${newest}`, 'timestamp');
  return Number(at ?? 0) > sinceMs;
}
