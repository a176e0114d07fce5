import { setTimeout as wait } from 'node:timers/promises';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { eventually, startRedisCluster } from '@mailhook/testing';
import type { RedisClusterOptions, TestRedis } from '@mailhook/testing';
import { PROBE_KEY, startClusterLoad, startOnCluster } from '../rig/cluster-services.ts';
import { startCountingReceiver } from '../rig/counting-receiver.ts';
import { createLedger } from '../rig/ledger.ts';

/** How late the producer may see a 202 that the api sent before the master was killed. */
const REPLY_IN_FLIGHT_MS = 250;
/** The time from SIGTERM in which a service must end. */
const CLOSE_WITHIN_MS = 15_000;

async function startScene(options: RedisClusterOptions) {
  const ledger = createLedger();
  const cluster = await startRedisCluster(options);
  const receiver = await startCountingReceiver(ledger);
  const services = await startOnCluster(cluster, receiver.url);
  await services.startWorkers();
  // Campaign events still wait, in mailboxes and as resends, when the test kills their master.
  receiver.treat((path) => (path === '/c' ? { delayMs: 0, status: 503 } : { delayMs: 2 }));
  return {
    ledger,
    cluster,
    receiver,
    services,
    close: async () => {
      await services.close();
      await receiver.close();
      await cluster.stop();
    },
  };
}

test('a killed master with a replica: replicated and later events arrive, and the workers stop in time', async () => {
  const { ledger, cluster, receiver, services, close } = await startScene({ hasReplicas: true, nodeTimeoutMs: 1500 });
  try {
    const victim = await cluster.masterOf(PROBE_KEY);
    const load = startClusterLoad(services, ledger);
    const marks = await markReplicated(victim);
    await eventually(() => ledger.accepted > 1000, { withinMs: 30_000, what: 'deliveries in progress' });
    const replicatedUntilMs = await marks.stop();
    const waitingThen = ledger.outstanding;
    const killedAtMs = performance.now();
    await victim.kill();

    await eventually(() => cluster.isReplaced(victim), { withinMs: 30_000, what: 'a replica in its place' });
    const acceptedThen = ledger.accepted;
    await eventually(() => ledger.accepted > acceptedThen + 500, { withinMs: 30_000, what: 'more accepted events' });
    receiver.treat(() => ({ delayMs: 2 }));
    await load.stop();

    // Replication is asynchronous. Only events accepted after the last known complete replication may be lost.
    const mayBeLost = (key: string): boolean => {
      const at = load.acceptedAtMs.get(key) ?? 0;
      return at >= replicatedUntilMs && at <= killedAtMs + REPLY_IN_FLIGHT_MS;
    };
    const owed = (): string[] => ledger.missing(Infinity).filter((key) => !mayBeLost(key));
    const isWhole = eventually(() => owed().length === 0, { withinMs: 60_000, what: 'all that the replica had' });
    await isWhole.catch(() => expect(owed()).toEqual([]));
    // With fewer waiting events, this test shows nothing.
    expect(waitingThen).toBeGreaterThan(300);
    expect(await services.closeWorkers()).toBeLessThan(CLOSE_WITHIN_MS);
  } finally {
    await close();
  }
}, 180_000);

test('a lost node without a replica: the workers stop in time, and all arrives when the node is back', async () => {
  const { ledger, cluster, receiver, services, close } = await startScene({});
  try {
    const victim = await cluster.masterOf(PROBE_KEY);
    const load = startClusterLoad(services, ledger);
    await eventually(() => ledger.accepted > 500, { withinMs: 30_000, what: 'deliveries in progress' });
    await victim.kill();
    expect(await services.closeWorkers()).toBeLessThan(CLOSE_WITHIN_MS);
    await load.stop();
    receiver.treat(() => ({ delayMs: 2 }));
    await victim.restart();
    await eventually(() => cluster.isWhole(), { withinMs: 60_000, what: 'a whole cluster' });
    await services.startWorkers();
    await ledger.untilWhole(60_000);
    expect(ledger.accepted).toBeGreaterThan(500);
  } finally {
    await close();
  }
}, 180_000);

/**
 * Checks continuously whether the replica has everything. `stop` resolves with the last time at which it had, in
 * `performance.now()`.
 */
async function markReplicated({ port }: TestRedis): Promise<{ stop(): Promise<number> }> {
  const url = `redis://127.0.0.1:${port}`;
  const direct = connectRedis({ url, role: 'fail-fast', name: 'test', onError: () => undefined });
  await whenReady(direct, 5000);
  let lastMs = performance.now();
  const over = new AbortController();
  const marking = (async () => {
    while (!over.signal.aborted) {
      const askedAtMs = performance.now();
      // Replication keeps the order of writes, so a replica with this write has all earlier ones.
      await direct.set(PROBE_KEY, askedAtMs);
      if ((await direct.wait(1, 1000)) > 0) lastMs = askedAtMs;
      await wait(20);
    }
  })();
  return {
    stop: async () => {
      over.abort();
      await marking;
      await closeRedis(direct);
      return lastMs;
    },
  };
}
