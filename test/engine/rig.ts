import type { Writable } from 'node:stream';
import type { Destination, Mechanism, ProducerEvent } from '@mailhook/core';
import { campaignDestinationId, NO_LIMITS, VERSION_1_REQUESTS, version1Route } from '@mailhook/core';
import type {
  AttemptRecord,
  DeadLetterBox,
  DestinationRegistry,
  Engine,
  EngineOptions,
  LogCommands,
  Publisher,
} from '@mailhook/delivery';
import type { Mailbox, ResendRecord } from '@mailhook/delivery/mailbox';
import type { AttemptLog } from '@mailhook/insight';
import {
  createAttemptRecorder,
  createDeadLetterBox,
  createDeliveryCounter,
  createDestinationRegistry,
  createLogCommands,
  createPublisher,
  createReceiverClient,
  createSender,
  engineKeys,
  Installation,
  startEngine,
} from '@mailhook/delivery';
import { readMailbox, readResends } from '@mailhook/delivery/mailbox';
import { countUndelivered, createAttemptLog } from '@mailhook/insight';
import { createLogger } from '@mailhook/platform/logger';
import { createSealing } from '@mailhook/platform/sealing';
import { createMetrics } from '@mailhook/platform/metrics';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Tracing } from '@mailhook/platform/tracing';
import { eventually, testRedisUrl, uniqueName } from '@mailhook/testing';
import type { Redis } from '@mailhook/platform/redis';

export interface RigOptions {
  readonly kind: Mechanism;
  readonly redisUrl?: string;
  readonly queuePrefix?: string;
  readonly shards?: number;
  readonly scheduleMs?: readonly number[];
  readonly breakerFailures?: number;
  readonly parkMaxMs?: number;
  readonly partialAck?: 'unconfirmed' | 'batch';
  readonly poisonSplit?: boolean;
  /**
   * Default: 10 s. A slow machine must not make a healthy receiver late, because an attempt after a timeout is a
   * duplicate.
   */
  readonly timeoutMs?: number;
  readonly waitingMaxAgeMs?: number;
  readonly waitingMaxEvents?: number;
  readonly waitingMaxBytes?: number;
  /** Default: 512. */
  readonly replyExcerptBytes?: number;
  /** Default: no bodies of delivered requests are kept. */
  readonly bodiesKeptMs?: number;
  readonly limits?: Partial<EngineOptions['limits']>;
  readonly tracing?: Tracing;
  /** The only networks that the rig sends to. Default: loopback and private ones. */
  readonly allowCidrs?: readonly string[];
  /** Default: the system's name servers. */
  readonly nameServers?: readonly string[];
  /** Gets the log of the workers. Default: the console. */
  readonly logStream?: Writable;
  /** Default: error. */
  readonly logLevel?: 'error' | 'debug';
  /** Keys of stored secrets. Default: none. */
  readonly secretsKeys?: readonly Buffer[];
  /** Whether the event log is on. Its buffer then takes this many bytes. */
  readonly logMaxBytes?: number;
}

/** The engine of one mechanism as its service runs it, on a real Redis with a separate prefix. */
export interface Rig {
  readonly installation: Installation;
  readonly queuePrefix: string;
  readonly redis: Redis;
  readonly base: string;
  readonly publisher: Publisher;
  /** Of the first shard. */
  readonly log: LogCommands;
  readonly registry: DestinationRegistry;
  readonly deadLetters: DeadLetterBox;
  readonly attemptLog: AttemptLog;
  readonly attempts: readonly AttemptRecord[];
  /** Starts one more worker of the same engine. */
  startWorker(): Promise<Engine>;
  /**
   * Saves a destination of the rig's kind. By default, the id is `campaign-<account>`, or the account for a
   * subscription.
   */
  destination(account: string, address: string, more?: Partial<Destination>): Promise<Destination>;
  /** Of the rig's kind, in the first shard. */
  mailbox(destination: string): Promise<Mailbox>;
  /** Resolves when a mailbox holds no new events, and the receiver has answered all requests. */
  untilEmpty(destination: string): Promise<void>;
  resendsOf(destination: string): Promise<readonly ResendRecord[]>;
  /** Undelivered events of all accounts. */
  countUndelivered(): Promise<number>;
  /** Publishes events to one destination. */
  publish(events: readonly ProducerEvent[], destination: Destination): Promise<void>;
  close(): Promise<void>;
}

const opened = new Set<Rig>();
// A test that fails before it closes its rig must not leave a worker behind. A program outside of jest has no hooks.
if (typeof afterAll === 'function') afterAll(() => Promise.all([...opened].map((rig) => rig.close())), 60_000);

/** Starts a rig. The end of the test file closes it, unless `close` was called before. */
export async function startRig(options: RigOptions): Promise<Rig> {
  const url = options.redisUrl ?? (await testRedisUrl());
  const queuePrefix = options.queuePrefix ?? uniqueName('rig');
  const shards = options.shards ?? 1;
  const redis = connectRedis({ url, role: 'fail-fast', name: 'rig', onError: () => undefined });
  await whenReady(redis, 5000);
  const installation = new Installation(redis, queuePrefix, shards);
  const keys = engineKeys(queuePrefix, 0, options.kind);
  const { waitingMaxEvents = 2_000_000, waitingMaxBytes = 1_000_000_000 } = options;
  const { logMaxBytes } = options;
  const limits = { waitingMaxEvents, waitingMaxBytes };
  const publisher = await createPublisher(installation, limits, { isLogOn: () => logMaxBytes !== undefined });
  const log = createLogCommands(redis, keys);
  if (logMaxBytes !== undefined) await log.switchOn(logMaxBytes);
  const registry = createDestinationRegistry(installation);
  const deadLetters = createDeadLetterBox(installation);
  const attempts: AttemptRecord[] = [];
  const recorder = createAttemptRecorder(installation, {
    bodiesKeptMs: options.bodiesKeptMs,
    onError: () => undefined,
  });
  const recording = {
    record: (attempt: AttemptRecord, delivered?: string): void => {
      attempts.push(attempt);
      recorder.record(attempt, delivered);
    },
    takesDelivered: (account: string) => recorder.takesDelivered(account),
  };
  const workers: { close(): Promise<void> }[] = [];
  const startWorker = async (): Promise<Engine> => {
    const worker = await startRigWorker(options, { url, installation, attemptLog: recording });
    workers.push(worker);
    return worker;
  };
  const rig: Rig = {
    installation,
    queuePrefix,
    redis,
    base: keys.base,
    publisher,
    log,
    registry,
    deadLetters,
    attemptLog: createAttemptLog(installation),
    attempts,
    startWorker,
    async destination(account, address, more = {}) {
      const id = options.kind === 'campaign' ? campaignDestinationId(account) : account;
      const record = {
        id,
        kind: options.kind,
        account,
        address,
        active: true,
        inactiveReason: null,
        version: 1,
        secrets: [],
        headers: {},
        limits: NO_LIMITS,
        ...VERSION_1_REQUESTS[options.kind],
        ...more,
      };
      await registry.save(record);
      return record;
    },
    mailbox: (destination) => readMailbox(redis, keys, destination),
    async untilEmpty(destination) {
      const isEmpty = async () => {
        const { state } = await readMailbox(redis, keys, destination);
        return state.fresh + state.unsubscribes + state.window.length === 0;
      };
      await eventually(isEmpty, { what: `an empty mailbox of ${destination}` });
    },
    countUndelivered: () => countUndelivered(installation),
    resendsOf: async (destination) => readResends(redis, keys, await redis.smembers(`${keys.base}xs:${destination}`)),
    publish: (events, destination) =>
      publisher.publish(
        events.map((event) => ({
          event: { ...event, account: destination.account },
          destinations: [destination.id].map(version1Route),
        })),
      ),
    async close() {
      if (!opened.delete(rig)) return;
      await Promise.all(workers.map((worker) => worker.close()));
      await recorder.close();
      await publisher.close();
      await installation.close();
      await closeRedis(redis);
    },
  };
  opened.add(rig);
  return rig;
}

async function startRigWorker(
  options: RigOptions,
  shared: Pick<EngineOptions, 'installation' | 'attemptLog'> & { url: string },
): Promise<Engine> {
  const redis = connectRedis({ url: shared.url, role: 'fail-fast', name: 'rig-worker', onError: () => undefined });
  const connection = connectRedis({ url: shared.url, role: 'worker', name: 'rig-jobs', onError: () => undefined });
  await Promise.all([whenReady(redis, 5000), whenReady(connection, 5000)]);
  const timeoutMs = options.timeoutMs ?? 10_000;
  const client = createReceiverClient({
    timeoutMs,
    replyCapBytes: 1_048_576,
    replyExcerptBytes: options.replyExcerptBytes ?? 512,
    egress: { allowPrivate: options.allowCidrs === undefined, allowCidrs: options.allowCidrs ?? [], deniedPorts: [] },
    ...(options.nameServers === undefined ? {} : { nameServers: options.nameServers }),
  });
  const { prefix, shards } = shared.installation;
  const installation = new Installation(redis, prefix, shards);
  const history = createDeliveryCounter(installation, { onError: () => undefined, flushMs: 20 });
  const engine = await startEngine({
    kind: options.kind,
    installation,
    connection,
    sender: createSender({
      client,
      sealing: createSealing(options.secretsKeys ?? []),
    }),
    settlePolicy: {
      retry: { scheduleMs: options.scheduleMs ?? [50, 100], jitter: 0 },
      partialAck: options.partialAck ?? 'unconfirmed',
      poisonSplit: options.poisonSplit ?? true,
    },
    breakerPolicy: { failures: options.breakerFailures ?? 1000, parkMaxMs: options.parkMaxMs ?? 300_000 },
    limits: {
      slots: 256,
      windowMax: 16,
      batchMax: 1000,
      sliceMs: 250,
      ownedMax: 4096,
      inFlightCharsMax: 64_000_000,
      ...options.limits,
    },
    waitingMaxAgeMs: options.waitingMaxAgeMs ?? 259_200_000,
    eventIdWindowMs: 86_400_000,
    deliveryTimeoutMs: timeoutMs,
    attemptLog: shared.attemptLog,
    history,
    metrics: createMetrics(),
    logger: createLogger({
      level: options.logLevel ?? 'error',
      service: 'rig',
      ...(options.logStream === undefined ? {} : { stream: options.logStream }),
    }),
    tracing: options.tracing,
  });
  return {
    readiness: () => engine.readiness(),
    async close() {
      await engine.close();
      await history.close();
      await client.close();
      await Promise.all([closeRedis(redis), closeRedis(connection)]);
    },
  };
}
