import { EMAIL_EVENTS_QUEUE, REJECTED_EVENTS_QUEUE } from '@mailhook/core';
import type { InstallationReport, RedisReport, RefusedRequests, ScriptReport } from '@mailhook/core';
import { commandOf } from '@mailhook/delivery';
import type { Installation, LogCommands } from '@mailhook/delivery';
import { readLostWritesReport } from '@mailhook/insight';
import {
  checkRedisSettings,
  combineMasters,
  NEARLY_FULL,
  readMasters,
  readFunctionTimes,
  readSkewMs,
} from '@mailhook/platform/redis';
import { JOB_FIELDS, queueKeys } from '@mailhook/platform/queue';
import type { Redis } from '@mailhook/platform/redis';
import type { Refusals } from '../accounts/refusals.ts';
import type { IntakeWatch } from './intake-watch.ts';
import { readQueueDepths } from './queue-gauges.ts';

export interface InstallationDeps {
  readonly installation: Installation;
  readonly isReady: () => Promise<readonly string[]>;
  readonly intake: Pick<IntakeWatch, 'refusal'>;
  readonly refusals: Pick<Refusals, 'read'>;
  /** The labels of producer tokens, by id. */
  readonly labelsOfProducers: () => Promise<ReadonlyMap<string, string>>;
  /** Undefined while the event log is off. */
  readonly openLog: ReportedLog | undefined;
}

interface ReportedLog {
  readonly buffers: readonly Pick<LogCommands, 'readWaiting'>[];
  readonly readStored: () => Promise<StoredReport>;
}

type StoredReport = Omit<
  NonNullable<InstallationReport['eventLog']>,
  'bufferBytes' | 'spoolShare' | 'oldestUnwrittenAt'
>;

const HOUR_MS = 3_600_000;
const SLOW_SHOWN = 5;

/** Rejects while Redis is away. */
export async function readInstallation(deps: InstallationDeps): Promise<InstallationReport> {
  const { installation } = deps;
  const { redis } = installation;
  const [notReady, report, redisFindings, lostWrites, scripts, depths, eventLog, hasNewRejections, refused] =
    await Promise.all([
      deps.isReady(),
      readRedis(redis),
      checkRedisSettings(redis),
      readLostWritesReport(installation),
      readScripts(redis),
      readQueueDepths(installation),
      readEventLog(deps.openLog),
      readNewRejections(installation),
      readRefused(deps),
    ]);
  return {
    notReady,
    intake: intakeReport(deps.intake),
    redis: report,
    redisFindings,
    lostWrites,
    scripts,
    queues: [...depths].map(([queue, counts]) => ({ queue, ...counts })),
    eventLog,
    hasNewRejections,
    refused,
  };
}

async function readRefused({ refusals, labelsOfProducers }: InstallationDeps): Promise<RefusedRequests[]> {
  const found = await refusals.read(Date.now());
  if (found.length === 0) return [];
  const labels = await labelsOfProducers().catch(() => new Map<string, string>());
  return found.map((one) => ({ ...one, label: labels.get(one.producer) ?? null }));
}

async function readEventLog(open: InstallationDeps['openLog']): Promise<InstallationReport['eventLog']> {
  if (open === undefined) return null;
  const [stored, ...waiting] = await Promise.all([
    open.readStored(),
    ...open.buffers.map((commands) => commands.readWaiting()),
  ]);
  const oldestMs = Math.min(...waiting.map(({ sinceMs = Number.POSITIVE_INFINITY }) => sinceMs));
  return {
    bufferBytes: waiting.reduce((sum, { bytes }) => sum + bytes, 0),
    spoolShare: Math.max(...waiting.map(({ bytes, maxBytes }) => (maxBytes === 0 ? 0 : bytes / maxBytes))),
    oldestUnwrittenAt: Number.isFinite(oldestMs) ? new Date(oldestMs).toISOString() : null,
    ...stored,
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
  const { version, policy, appendonly, appendfsync } = settings;
  return {
    memory: {
      usedBytes,
      limitBytes: limitBytes === 0 ? null : limitBytes,
      headroom,
      refusesBelow: Math.round((1 - NEARLY_FULL) * 100) / 100,
    },
    disk: { failing, fileBytes: disk.fileBytes, freeBytes: disk.freeBytes ?? null },
    version,
    policy,
    appendonly,
    appendfsync,
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
  const rejected = queueKeys(`${prefix}:${REJECTED_EVENTS_QUEUE}:`);
  const intake = queueKeys(`${prefix}:${EMAIL_EVENTS_QUEUE}:`);
  const [newest, failed] = await Promise.all([
    redis.lindex(rejected.waiting, 0),
    redis.zcount(intake.failed, sinceMs, '+inf'),
  ]);
  if (failed > 0) return true;
  const at = newest === null ? null : await redis.hget(rejected.job(newest), JOB_FIELDS.timestamp);
  return Number(at ?? 0) > sinceMs;
}
