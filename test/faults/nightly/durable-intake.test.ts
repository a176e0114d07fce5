import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import {
  aCampaignEvent,
  acknowledge,
  cannotLosePower,
  eventually,
  findNewerRedis,
  noNewerRedis,
  startReceiver,
  startRedis,
  unlessImpossible,
} from '@mailhook/testing';
import { openIntakeSync } from '../../../packages/delivery/src/publish/intake-sync.ts';
import { createCustomers, post } from '../rig/load.ts';
import { createRandom, runSeed } from '../rig/random.ts';
import { startStack } from '../rig/stack.ts';
import { rewriteFile, untilRewritten } from '../rig/until-rewritten.ts';

const CRASHES = 4;
const PATIENCE_MS = 60_000;
/** Those after which the server starts without a repair. */
const VARIANTS = ['synced', 'prefix'] as const;

const connect = async (url: string) => {
  const redis = connectRedis({ url, role: 'fail-fast', name: 'test', onError: () => undefined });
  await whenReady(redis, 5000);
  return redis;
};

unlessImpossible(describe, noNewerRedis())('with a Redis that has WAITAOF', () => {
  const start = async (appendonly: boolean, appendfsync: 'always' | 'everysec' = 'everysec') => {
    const server = await startRedis({ command: findNewerRedis(), appendonly, appendfsync });
    const redis = await connect(server.url);
    return { server, redis, close: async () => closeRedis(redis).then(() => server.stop()) };
  };

  test('without an append-only file the start ends', async () => {
    const { redis, close } = await start(false);
    await expect(openIntakeSync(redis, 'mailhook', 'disk')).rejects.toThrow(
      'INTAKE_DURABILITY=disk needs an append-only file; set appendonly to yes, or INTAKE_DURABILITY to memory.',
    );
    await close();
  });

  test.each(['always', 'everysec'] as const)('%s: a write is confirmed when it is synced', async (appendfsync) => {
    const { redis, close } = await start(true, appendfsync);
    const sync = await openIntakeSync(redis, 'mailhook', 'disk');
    const before = sync!.connection;
    const offset = async (name: string) => Number(new RegExp(`${name}:(\\d+)`).exec(await redis.info('all'))?.[1] ?? 0);
    await redis.set('written', 1);
    const written = await offset('master_repl_offset');
    await Promise.all([sync!.confirm(before), sync!.confirm(before)]);
    // Later than what was written before.
    expect(await redis.call('WAITAOF', 1, 0, 2000)).toEqual([1, 0]);
    expect(await offset('master_repl_offset')).toBeGreaterThanOrEqual(written);
    await sync!.close();
    await close();
  });

  test('a write of a connection that broke is not confirmed, nor one without its replica', async () => {
    const { server, redis, close } = await start(true, 'always');
    const sync = (await openIntakeSync(redis, 'mailhook', 'disk'))!;
    const before = sync.connection;
    await server.restart();
    await whenReady(redis, 10_000);
    await expect(sync.confirm(before)).rejects.toThrow('the connection to Redis broke before the events were synced');
    await sync.close();
    const replicated = (await openIntakeSync(redis, 'mailhook', 'replica'))!;
    await expect(replicated.confirm(replicated.connection)).rejects.toThrow(
      'no replica of Redis synced the events within 5000 ms',
    );
    await replicated.close();
    await close();
  }, 30_000);
});

/** Writes reach the replica this much later. Without durable intake, a failover loses those of this time. */
const LAG_MS = 300;

/**
 * The machine of Redis fails again and again while requests come. `power`: its disk stalls, and the power goes.
 * `failover`: it is gone, and a replica takes over that lags. Resolves with accepted events and those that are missing.
 */
async function crashUnder(durability: 'memory' | 'disk' | 'replica', crashes: 'power' | 'failover') {
  const random = createRandom(runSeed()).about(durability);
  const accepted = new Set<string>();
  const arrived = new Set<string>();
  const receiver = await startReceiver({
    reply: ({ json }) => {
      for (const { hash } of json as { hash: string }[]) arrived.add(hash);
      return acknowledge(json);
    },
  });
  const stack = await startStack({
    workers: { 'transactional-notifier': 1, 'campaign-batcher': 1 },
    appendfsync: 'everysec',
    ...(crashes === 'power' ? { canLosePower: true } : { hasReplica: true, replicaLagMs: LAG_MS }),
    redisCommand: findNewerRedis(),
    redisArgs: ['--auto-aof-rewrite-percentage', '0'],
    env: { INTAKE_DURABILITY: durability, RETRY_SCHEDULE: '200ms,200ms,200ms', BREAKER_FAILURES: '1000' },
  });
  const [customer] = await createCustomers(stack, receiver.url, 1);
  // Only events may be among the lost writes.
  await (crashes === 'failover' ? stack.untilReplicated() : rewriteFile(stack));
  let posted = 0;
  let isStopped = false;
  const send = async (): Promise<void> => {
    while (!isStopped) {
      const hashes = Array.from({ length: 5 }, () => String((posted += 1)).padStart(32, '0'));
      const events = hashes.map((hash) => aCampaignEvent({ account: customer!.account, hash }));
      const status = await post(stack, events).catch(() => 0);
      if (status === 202) for (const hash of hashes) accepted.add(hash);
      // A refused request is not repeated, because it may have been accepted.
      else await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const senders = Array.from({ length: 8 }, send);
  const moreAccepted = (more: number): Promise<true> => {
    const wanted = accepted.size + more;
    return eventually(() => accepted.size >= wanted, { withinMs: PATIENCE_MS, what: `${more} more accepted events` });
  };
  for (let crash = 0; crash < CRASHES; crash += 1) {
    await moreAccepted(100);
    if (crashes === 'failover') {
      await stack.failOver();
      continue;
    }
    // Redis answers while a sync waits, but not while it begins or ends a rewrite.
    await untilRewritten(stack);
    await stack.redis.disk?.stall();
    const sent = posted;
    if (durability === 'memory') await moreAccepted(50);
    else await eventually(() => posted > sent, { withinMs: 20_000, what: 'requests while the disk stalls' });
    const variant = VARIANTS[crash % VARIANTS.length]!;
    await stack.redis.losePower({ variant, names: 'journal', random: () => random.next() });
    await stack.redis.restart();
  }
  await moreAccepted(100);
  isStopped = true;
  await Promise.all(senders);
  const missing = (): number => [...accepted].filter((hash) => !arrived.has(hash)).length;
  await eventually(() => missing() === 0, { withinMs: 20_000, what: 'all events' }).catch(() => undefined);
  const result = { accepted: accepted.size, missing: missing() };
  await stack.close();
  await receiver.close();
  return result;
}

unlessImpossible(describe, noNewerRedis() ?? cannotLosePower())('Redis with everysec', () => {
  test.each([
    ['loses power', 'disk', 'power'],
    ['loses power', 'memory', 'power'],
    ['fails over to a replica that lags', 'replica', 'failover'],
    ['fails over to a replica that lags', 'memory', 'failover'],
  ] as const)(
    '%s, INTAKE_DURABILITY=%s: accepted events survive if they had to be durable, and only then',
    async (_, durability, crashes) => {
      const { accepted, missing } = await crashUnder(durability, crashes);
      process.stdout.write(
        `durable intake, ${durability}, ${crashes}: ${CRASHES} crashes, ${accepted} accepted, ${missing} missing\n`,
      );
      expect(missing > 0).toBe(durability === 'memory');
    },
    300_000,
  );

  test('and INTAKE_DURABILITY=replica refuses events while the replica is gone, and not afterwards', async () => {
    const env = { INTAKE_DURABILITY: 'replica' };
    const workers = { 'transactional-notifier': 0, 'campaign-batcher': 0 };
    const stack = await startStack({ workers, hasReplica: true, redisCommand: findNewerRedis(), env });
    const [customer] = await createCustomers(stack, 'http://127.0.0.1:9', 1);
    const send = () => post(stack, [aCampaignEvent({ account: customer!.account })]);
    expect(await send()).toBe(202);
    const replica = await connect(
      `redis://127.0.0.1:${/slave0:.*?port=(\d+)/.exec(await stack.client.info('replication'))?.[1] ?? ''}`,
    );
    await replica.replicaof('NO', 'ONE');
    expect(await send()).toBe(503);
    await replica.replicaof('127.0.0.1', stack.redis.port);
    await eventually(async () => (await send()) === 202, { withinMs: PATIENCE_MS, what: 'an accepted event' });
    await closeRedis(replica);
    await stack.close();
  }, 120_000);
});
