import type { TcpProxy, TestRedis } from '@mailhook/testing';
import { allAtOnce, eventually, startRedis, startRedisCluster, startTcpProxy, uniqueName } from '@mailhook/testing';
import type { Redis } from './connect.ts';
import { closeRedis, connectRedis, whenReady } from './connect.ts';
import { subscribe } from './subscribe.ts';
import { watchConnections } from './watch.ts';

const opened: Redis[] = [];
const connect = async (url: string, role: 'fail-fast' | 'worker'): Promise<Redis> => {
  const client = connectRedis({ url, role, name: 'test', onError: () => undefined });
  opened.push(client);
  await whenReady(client, 10_000);
  return client;
};
afterEach(async () => {
  await Promise.all(opened.splice(0).map(closeRedis));
});

const REPLACED = { withinMs: 15_000, what: 'a new connection' };

/** One Redis or a cluster behind proxies. */
interface Server {
  readonly url: string;
  readonly proxies: readonly TcpProxy[];
  stop(): Promise<void>;
}

async function startSingle(): Promise<Server> {
  const redis = await startRedis();
  const proxy = await startTcpProxy(redis.port);
  return {
    url: `redis://127.0.0.1:${proxy.port}`,
    proxies: [proxy],
    stop: async () => {
      await proxy.close();
      await redis.stop();
    },
  };
}

async function startCluster(): Promise<Server> {
  const cluster = await startRedisCluster();
  const proxies = await Promise.all(cluster.nodes.map(({ port }) => startTcpProxy(port)));
  for (const [i, node] of cluster.nodes.entries()) await announce(node, proxies[i]?.port ?? 0);
  await eventually(
    async () => {
      const slots = await Promise.all(cluster.nodes.map(readSlots));
      return slots.every((text) => proxies.every(({ port }) => text.includes(`,${port},`)));
    },
    { withinMs: 30_000, what: 'nodes that all name the proxies' },
  );
  return {
    url: `redis-cluster://${proxies.map(({ port }) => `127.0.0.1:${port}`).join(',')}`,
    proxies,
    stop: async () => {
      await Promise.all(proxies.map((proxy) => proxy.close()));
      await cluster.stop();
    },
  };
}

async function directly<Result>({ url }: TestRedis, ask: (client: Redis) => Promise<Result>): Promise<Result> {
  const client = await connect(url, 'fail-fast');
  return ask(client);
}
const announce = (node: TestRedis, port: number) =>
  directly(node, (client) => client.config('SET', 'cluster-announce-port', port));
const readSlots = (node: TestRedis) => directly(node, async (client) => JSON.stringify(await client.cluster('SLOTS')));

const isDone = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

async function replacesSilentConnections(start: () => Promise<Server>): Promise<void> {
  const server = await start();
  try {
    const client = await connect(server.url, 'fail-fast');
    // In a cluster, the keys are spread over all nodes.
    const keys = Array.from({ length: 20 }, () => uniqueName());
    const setAll = () => Promise.all(keys.map((key) => client.set(key, '1')));
    await setAll();
    const subscriber = await connect(server.url, 'worker');
    const channel = uniqueName();
    const messages: string[] = [];
    let gaps = 0;
    const onMessage = (text: string): void => void messages.push(text);
    const subscription = await subscribe({ client: subscriber, channel, onMessage, onGap: () => (gaps += 1) });
    // `watchConnections` pings subscribers too.
    await subscriber.ping();
    await client.publish(channel, 'before');
    await eventually(() => messages.length === 1, { what: 'the first message' });

    server.proxies.forEach((proxy) => proxy.loseExisting());
    await expect(setAll()).rejects.toThrow('Command timed out');
    await eventually(() => isDone(setAll()), REPLACED);
    // A subscriber reconnects although it sends nothing.
    await eventually(() => gaps > 0, REPLACED);
    await eventually(() => isDone(client.publish(channel, 'after')), REPLACED);
    await eventually(() => messages.includes('after'), { what: 'the second message' });
    subscription.close();
  } finally {
    await server.stop();
  }
}

test('clients of one Redis and of a cluster, subscribers too, replace connections that died silently', async () => {
  await allAtOnce([startSingle, startCluster].map(replacesSilentConnections));
}, 90_000);

test('a connection survives a stall of Redis that is shorter than two command timeouts', async () => {
  const redis = await startRedis();
  try {
    const [failFast, worker] = await Promise.all([connect(redis.url, 'fail-fast'), connect(redis.url, 'worker')]);
    const readIds = () => Promise.all([failFast.client('ID'), worker.client('ID')]);
    const ids = await readIds();
    process.kill(redis.pid, 'SIGSTOP');
    await expect(failFast.ping()).rejects.toThrow('Command timed out');
    process.kill(redis.pid, 'SIGCONT');
    expect(await readIds()).toEqual(ids);
  } finally {
    await redis.stop();
  }
}, 20_000);

test('what a client asks while it connects settles, although this connection is lost', async () => {
  const server = await startSingle();
  try {
    const client = await connect(server.url, 'worker');
    const [proxy] = server.proxies as [TcpProxy];
    const settled: string[] = [];
    client.once('connect', () => {
      const asked = { info: client.info('server'), client: client.client('ID') };
      for (const [name, reply] of Object.entries(asked))
        void reply.then(
          () => settled.push(`${name}: a reply`),
          () => settled.push(`${name}: an error`),
        );
      proxy.delayReplies(0);
      proxy.cut();
      proxy.restore();
    });
    proxy.delayReplies(60_000);
    proxy.cut();
    proxy.restore();
    await whenReady(client, 10_000);
    await eventually(() => settled.length === 2, { what: 'the end of both commands' });
    expect(settled.sort()).toEqual(['client: an error', 'info: a reply']);
  } finally {
    await server.stop();
  }
}, 30_000);

test('a command in flight of a client that waits is sent again after refused attempts to connect', async () => {
  const redis = await startRedis();
  try {
    const client = await connect(redis.url, 'worker');
    process.kill(redis.pid, 'SIGSTOP');
    const reply = client.echo('text');
    let attempts = 0;
    client.on('connecting', () => (attempts += 1));
    await redis.kill();
    await eventually(() => attempts > 2, { what: 'refused attempts' });
    await redis.restart();
    expect(await reply).toBe('text');
  } finally {
    await redis.stop();
  }
}, 30_000);

test('the watch reports a client that Redis does not answer, but not while Redis is away', async () => {
  const redis = await startRedis();
  const [stuck, well] = await Promise.all([connect(redis.url, 'fail-fast'), connect(redis.url, 'worker')]);
  const watch = watchConnections({ url: redis.url, clients: { stuck, well }, checkEveryMs: 20 });
  try {
    // After `disconnect`, the client does not reconnect by itself.
    stuck.disconnect();
    await eventually(() => watch.faults().length > 0, { what: 'the fault' });
    expect(watch.faults()).toEqual(['Redis answers new connections, but not the client stuck']);
    await eventually(() => watch.hopeless().length > 0, { what: 'the end of patience' });
    expect(watch.hopeless()).toEqual(watch.faults());
    await redis.kill();
    await eventually(() => watch.faults().length === 0, {
      withinMs: 15_000,
      what: 'the watch to see that Redis is away',
    });
    expect(watch.hopeless()).toEqual([]);
    await redis.restart();
    await stuck.connect();
    await eventually(() => stuck.ping(), { what: 'an answer' });
    await eventually(() => watch.hopeless().length === 0 && watch.faults().length === 0, { what: 'the recovery' });
  } finally {
    await watch.close();
    await redis.stop();
  }
}, 45_000);
