import { coded, engineQueues } from '@mailhook/core';
import { createLogger } from '@mailhook/platform/logger';
import { createMetrics } from '@mailhook/platform/metrics';
import type { Metrics } from '@mailhook/platform/metrics';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { eventually, testRedisUrl, uniqueName } from '@mailhook/testing';
import type { Redis } from '@mailhook/platform/redis';
import { createAttemptRecorder } from '../record/attempt-recorder.ts';
import type { Sender } from './send.ts';
import { EngineJobs } from './jobs.ts';
import type { Engine } from './engine.ts';
import { startEngine } from './engine.ts';
import { Installation } from '../mailbox/installation.ts';
import type { EngineKeys } from '../mailbox/keys.ts';
import { engineKeys } from '../mailbox/keys.ts';
import { bytesWithoutTexts, HEAD, positionOf, RARE } from '../mailbox/layout.ts';
import { newRecord } from '../mailbox/mailbox-rig.suite.ts';
import { Reconciler } from './reconciler.ts';
import { createRuntime } from './runtime.ts';
import type { AllCommands } from '../mailbox/commands/all.suite.ts';
import { allCommands } from '../mailbox/commands/all.suite.ts';

export const HOUR_MS = 3_600_000;
/** A job that is overdue by this much counts as lost. A dead letter of this age should have its job on Bull Board. */
export const LOST_MS = 6000;
export const LIMITS = { batchMax: 100, windowMax: 4, maxAgeMs: 72 * HOUR_MS } as const;
const NO_ROOM = { proven: 0, others: 0 };
/** The worker that runs the reconciler. */
export const WORKER = 'wreconciler';

/**
 * One destination of one shard, and a reconciler that runs only when the test calls it. No worker runs until
 * `startWorker`.
 */
export function reconcilerRig() {
  let redis: Redis;
  let connection: Redis;
  let keys: EngineKeys;
  let prefix: string;
  let installation: Installation;
  let queueInstallation: Installation;
  let commands: AllCommands;
  let jobs: EngineJobs;
  let reconciler: Reconciler;
  let repairs: [string, number][];
  let engine: Engine | undefined;
  let outcome: 'delivered' | 'failed';
  let sent: { content: string; attempt: number }[];
  let metrics: Metrics;

  beforeAll(async () => {
    const url = await testRedisUrl();
    redis = connectRedis({ url, role: 'fail-fast', name: 'test', onError: () => undefined });
    connection = connectRedis({ url, role: 'worker', name: 'test-jobs', onError: () => undefined });
    await Promise.all([whenReady(redis, 5000), whenReady(connection, 5000)]);
  });
  afterAll(() => Promise.all([closeRedis(redis), closeRedis(connection)]));

  beforeEach(async () => {
    prefix = uniqueName('reconciler');
    installation = new Installation(redis, prefix, 1);
    queueInstallation = new Installation(connection, prefix, 1);
    keys = engineKeys(prefix, 0, 'campaign');
    commands = allCommands(redis, keys);
    jobs = new EngineJobs(queueInstallation, keys);
    repairs = [];
    metrics = createMetrics();
    sent = [];
    outcome = 'delivered';
    reconciler = new Reconciler({
      runtime: createRuntime(),
      redis,
      chunks: queueInstallation.queue('campaign-chunks', 0),
      keys,
      worker: WORKER,
      commands,
      pool: { owns: () => false, lostClaims: 0 },
      jobs,
      waitingMaxAgeMs: 72 * HOUR_MS,
      observer: { repaired: (repair, count) => void repairs.push([repair, count]), givenUp: () => undefined },
    });
    await commands.saveDestination('d', newRecord());
  });
  afterEach(async () => {
    await engine?.close();
    engine = undefined;
    await jobs.finish();
    await Promise.all([installation.close(), queueInstallation.close()]);
  });

  const sender: Sender = {
    send: (batch) => {
      sent.push({ content: batch.fragments, attempt: batch.attempt });
      const isDelivered = outcome === 'delivered';
      return Promise.resolve({
        outcome: {
          name: isDelivered ? ('delivered' as const) : ('rejected' as const),
          httpStatus: isDelivered ? 200 : 500,
          error: isDelivered ? undefined : coded('status', { status: '500' }),
          unconfirmed: isDelivered ? [] : ('all' as const),
          retryAfter: undefined,
        },
        durationMs: 1,
        events: batch.events,
        fragments: '',
        eventKeys: [],
      });
    },
  };
  const startWorker = async (breakerFailures = 1000): Promise<void> => {
    engine = await startEngine({
      kind: 'campaign',
      installation,
      connection,
      sender,
      settlePolicy: { retry: { scheduleMs: [HOUR_MS], jitter: 0 }, partialAck: 'unconfirmed', poisonSplit: false },
      breakerPolicy: { failures: breakerFailures, parkMaxMs: HOUR_MS },
      limits: { slots: 4, windowMax: 4, batchMax: 100, sliceMs: 250, ownedMax: 100, inFlightCharsMax: 1e8 },
      waitingMaxAgeMs: 72 * HOUR_MS,
      eventIdWindowMs: 24 * HOUR_MS,
      deliveryTimeoutMs: 1000,
      attemptLog: createAttemptRecorder(installation, { onError: () => undefined }),
      history: { count: () => undefined },
      metrics,
      logger: createLogger({ level: 'error', service: 'test' }),
    });
  };
  /** Appends an event to the mailbox. The destination then waits in a ready list. */
  const append = (text: string) =>
    commands.append({
      worker: WORKER,
      firstClaim: 1,
      room: NO_ROOM,
      jobKey: '',
      progress: uniqueName('c'),
      slice: 1,
      limits: LIMITS,
      groups: [
        {
          destination: 'd',
          account: 'account',
          lane: 'f',
          events: 1,
          entries: [`${Date.now().toString(36).padStart(8, '0')}0001${text}`],
        },
      ],
    });
  const queueOf = (queue: keyof ReturnType<typeof engineQueues>) =>
    installation.queue(engineQueues('campaign')[queue], 0);
  /** Waits for the only delayed job of a queue and removes it. */
  const removeDelayed = async (name: 'resends' | 'parks'): Promise<void> => {
    const queue = queueOf(name);
    const job = await eventually(async () => (await queue.getDelayed())[0], { what: `a delayed job of ${name}` });
    await job.remove();
    expect(await queue.count()).toBe(0);
  };
  /** Plays a fault in Redis: the mailbox has another status than the sets and lists say. */
  const setStatus = (status: number): Promise<void> => patch((bytes) => (bytes[0] = status));
  /** The same for the end of a parking. For a mailbox without an owner and batches. */
  /** Of a mailbox without an owner and without batches. */
  const setParkedUntil = (untilMs: number): Promise<void> =>
    patch((bytes) => bytes.writeUIntBE(untilMs, bytesWithoutTexts(HEAD) + positionOf(RARE, 'parkedUntilMs'), 6));
  const patch = async (change: (state: Buffer) => void): Promise<void> => {
    const bytes = (await redis.hgetBuffer(keys.live, 'd')) ?? Buffer.alloc(0);
    change(bytes);
    await redis.hset(keys.live, 'd', bytes);
  };
  /** The receiver answers 410 to the only event. */
  const answerGone = async (reason: string): Promise<void> => {
    await append('mail');
    const { replies } = await commands.take('wother', 1, { proven: 1, others: 1 }, LIMITS);
    const token = replies[0]?.state.owner ?? '';
    const request = { destination: 'd', account: 'account', token, version: 1, revision: 1, settles: [], window: 0 };
    const learned = { gone: reason };
    await commands.next([{ ...request, isReleasing: true, inFlight: ['?'], isLost: false, learned }], LIMITS);
  };
  const arrived = (count: number) => eventually(() => sent.length >= count, { what: `${count} sends` });

  return {
    get redis(): Redis {
      return redis;
    },
    get connection(): Redis {
      return connection;
    },
    get keys(): EngineKeys {
      return keys;
    },
    get prefix(): string {
      return prefix;
    },
    get commands(): AllCommands {
      return commands;
    },
    get reconciler(): Reconciler {
      return reconciler;
    },
    /** Kind and number of the repairs. */
    get repairs(): readonly [string, number][] {
      return repairs;
    },
    get sent(): readonly { content: string; attempt: number }[] {
      return sent;
    },
    /** The outcome of the worker's later attempts. */
    set outcome(next: 'delivered' | 'failed') {
      outcome = next;
    },
    /** Repairs by the started worker's reconciler and heartbeats. */
    async workerRepairs(): Promise<Record<string, number>> {
      const repaired = metrics.registry.getSingleMetric('mailhook_reconciler_repairs_total');
      const { values = [] } = (await repaired?.get()) ?? {};
      return Object.fromEntries(
        values.filter(({ value }) => value > 0).map(({ labels, value }) => [String(labels['repair']), value]),
      );
    },
    startWorker,
    setStatus,
    setParkedUntil,
    answerGone,
    append,
    queueOf,
    removeDelayed,
    arrived,
  };
}
