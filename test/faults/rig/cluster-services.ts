import { PassThrough } from 'node:stream';
import { shardOf } from '@mailhook/core';
import { engineKeys } from '@mailhook/delivery';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { createLogger } from '@mailhook/platform/logger';
import { aCampaignEvent, anOpen } from '@mailhook/testing';
import type { TestRedisCluster } from '@mailhook/testing';
import type { ApiRig, TestAccount } from '../../../services/api/src/api-rig.suite.ts';
import { startApi } from '../../../services/api/src/api-rig.suite.ts';
import { compose as composeBatcher } from '../../../services/campaign-batcher/src/compose.ts';
import { loadConfig as loadBatcherConfig } from '../../../services/campaign-batcher/src/config.ts';
import { compose as composeNotifier } from '../../../services/transactional-notifier/src/compose.ts';
import { loadConfig as loadNotifierConfig } from '../../../services/transactional-notifier/src/config.ts';
import type { Ledger } from './ledger.ts';

const SHARDS = 3;
const PREFIX = '{faults}';
const EVERY_MS = 50;

/** A key of the first shard that the engine does not use. */
export const PROBE_KEY = `${engineKeys(PREFIX, 0, 'campaign').shared}probe`;

/**
 * The product on a Redis Cluster, with at least one account per shard. Notifications go to the receiver's path `/t`,
 * batches to `/c`.
 */
export interface ClusterServices {
  readonly api: ApiRig;
  readonly accounts: readonly TestAccount[];
  startWorkers(): Promise<void>;
  /**
   * Closes the workers of both mechanisms. Resolves with the milliseconds that this took, and rejects if one did not
   * close cleanly.
   */
  closeWorkers(): Promise<number>;
  close(): Promise<void>;
}

export async function startOnCluster({ url }: TestRedisCluster, receiverUrl: string): Promise<ClusterServices> {
  const environment = { REDIS_URL: url, QUEUE_PREFIX: PREFIX, QUEUE_SHARDS: String(SHARDS) };
  const api = await startApi(environment);
  const accounts: TestAccount[] = [];
  for (const covered = new Set<number>(); covered.size < SHARDS;) {
    const account = await api.newAccount();
    covered.add(shardOf(account.id, SHARDS));
    accounts.push(account);
    await api.subscribe(account, 'open', `${receiverUrl}/t`);
    await api.as(account.token)('put', '/v3/webhook/campaign', { address: `${receiverUrl}/c` });
  }
  const workers: Closeable[] = [];
  const own = { ...environment, HOST: '127.0.0.1', OPS_PORT: '0', ALLOW_PRIVATE_DESTINATIONS: 'true' };
  // While the receiver refuses, no event is given up and no destination is parked.
  const env = { ...own, RETRY_SCHEDULE: Array.from({ length: 60 }, () => '1s').join(','), BREAKER_FAILURES: '1000' };
  const stream = new PassThrough().resume();
  const logger = createLogger({ level: 'error', service: 'worker', pretty: false, stream });
  const closeWorkers = async (): Promise<number> => {
    const startedMs = performance.now();
    await Promise.all(workers.splice(0).map((worker) => worker.close()));
    return performance.now() - startedMs;
  };
  return {
    api,
    accounts,
    async startWorkers() {
      workers.push(await composeNotifier(loadNotifierConfig(env), logger));
      workers.push(await composeBatcher(loadBatcherConfig(env), logger));
    },
    closeWorkers,
    async close() {
      await closeWorkers();
      await api.close();
    },
  };
}

/** Sends events of every account until it is stopped, and adds accepted events to the ledger. */
export interface ClusterLoad {
  /** When each event was accepted, by its key in the ledger, in `performance.now()`. */
  readonly acceptedAtMs: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

export function startClusterLoad({ api, accounts }: ClusterServices, ledger: Pick<Ledger, 'accept'>): ClusterLoad {
  const acceptedAtMs = new Map<string, number>();
  const pending = new Set<Promise<void>>();
  let sequence = 0;
  const send = async (): Promise<void> => {
    sequence += 1;
    const named = accounts.map(({ id }) => ({ account: id, name: `n${sequence}-${id}` }));
    const { status } = await api.post(
      named.flatMap(({ account, name }) => [
        aCampaignEvent({ account, email: `${name}@example.com` }),
        anOpen({ account, messageId: `<${name}@sender.example>` }),
      ]),
    );
    if (status !== 202) return;
    const keys = named.flatMap(({ name }) => [`${name}@example.com`, `/t <${name}@sender.example>`]);
    ledger.accept(keys);
    for (const key of keys) acceptedAtMs.set(key, performance.now());
  };
  const timer = setInterval(() => {
    const sending = send()
      .catch(() => undefined)
      .finally(() => pending.delete(sending));
    pending.add(sending);
  }, EVERY_MS);
  return {
    acceptedAtMs,
    stop: async () => {
      clearInterval(timer);
      await Promise.all(pending);
    },
  };
}
