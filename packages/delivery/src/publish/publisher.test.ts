import type { Queue } from 'bullmq';
import { Worker } from 'bullmq';
import type { ChunkJob } from '@mailhook/core';
import { chunkJob, version1Route } from '@mailhook/core';
import type { Redis } from '@mailhook/platform/redis';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { aCampaignEvent, aClick, eventually, testRedisUrl, uniqueName } from '@mailhook/testing';
import { Installation } from '../mailbox/installation.ts';
import type { EngineKeys } from '../mailbox/keys.ts';
import { engineKeys } from '../mailbox/keys.ts';
import type { Publisher } from './publisher.ts';
import type { RoutedEvent } from './routed-event.ts';
import { QueueUnavailableError, TooManyWaitingError } from './errors.ts';
import { createPublishCommands, NO_RECOUNT } from '../mailbox/commands/publish.ts';
import { readSums } from '../mailbox/sums.ts';
import { CharsInFlight, ChunkQueue } from './chunk-queue.ts';
import { sizeOf } from './fan-out.ts';
import { createPublisher } from './publisher.ts';

describe('large requests', () => {
  let redis: Redis;
  let installation: Installation;
  let publisher: Publisher;
  let chunks: string;

  beforeEach(async () => {
    redis = connectRedis({ url: await testRedisUrl(), role: 'fail-fast', name: 'test', onError: () => undefined });
    await whenReady(redis, 5000);
    const queuePrefix = uniqueName('publisher');
    installation = new Installation(redis, queuePrefix, 1);
    publisher = await createPublisher(installation, { waitingMaxEvents: 1_000_000, waitingMaxBytes: 1e9 });
    chunks = `${engineKeys(queuePrefix, 0, 'transactional').queuePrefix}:transactional-chunks`;
  });
  afterEach(async () => {
    await publisher.close();
    await installation.close();
    await closeRedis(redis);
  });

  /** About 9 MB, for three destinations. */
  const request = (series: string): RoutedEvent[] =>
    Array.from({ length: 1000 }, (_, i) => ({
      event: aClick({ messageId: `${series}-${i}`, url: `https://example.com/${'x'.repeat(8800)}` }),
      destinations: ['d1', 'd2', 'd3'].map(version1Route),
    }));

  /** The series, destinations and number of entries of each group of each job. */
  const written = async () => {
    const ids = [
      ...(await redis.lrange(`${chunks}:wait`, 0, -1)),
      ...(await redis.zrange(`${chunks}:prioritized`, '0', '-1')),
    ];
    const jobs = await Promise.all(ids.map((id) => redis.hget(`${chunks}:${id}`, 'data')));
    return jobs
      .map((data) => chunkJob.parse(JSON.parse(data ?? '')).groups)
      .map((groups) =>
        groups.map(([, to, , , entries]) => [/"messageId":"(\w+)/.exec(entries[0] ?? '')?.[1], to, entries.length]),
      )
      .sort();
  };
  const job = (series: string) => [[series, ['d1', 'd2', 'd3'], 1000]];

  it('are refused while too many characters are being written, and leave nothing in the queue', async () => {
    const results = await Promise.allSettled(['a', 'b', 'c'].map((series) => publisher.publish(request(series))));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect((results[2] as PromiseRejectedResult).reason).toBeInstanceOf(QueueUnavailableError);
    expect(await written()).toEqual([job('a'), job('b')]);
    await publisher.publish(request('c'));
    expect(await written()).toEqual([job('a'), job('b'), job('c')]);
  });

  it('from Redis-fed producers wait for each other instead', async () => {
    const all = ['a', 'b', 'c', 'd'];
    await Promise.all(all.map((series) => publisher.publish(request(series), `c-${series}`)));
    expect(await written()).toEqual(all.map(job));
  });

  it('never share a job with small ones', async () => {
    const small = { event: aClick({ messageId: 'small-1' }), destinations: ['d1'].map(version1Route) };
    await Promise.all([publisher.publish(request('a')), publisher.publish([small]), publisher.publish([small])]);
    const groups = (await written()).flat();
    expect(groups.map(([series, to]) => [series, to])).toContainEqual(['small', 'd1']);
    expect(groups).toContainEqual(['a', ['d1', 'd2', 'd3'], 1000]);
  });

  it('are added after they have counted, which is a call over another connection', async () => {
    const queue = installation.queue('transactional-chunks', 0);
    let jobsBefore = -1;
    const count = async () => {
      await redis.ping();
      jobsBefore = await queue.getWaitingCount();
    };
    const sync = { small: undefined, large: undefined };
    const log = { isOn: () => false, open: () => Promise.resolve() };
    const deps = { small: queue, large: queue, sync, inFlight: new CharsInFlight(1e8), count, log };
    const events = request('a');
    await new ChunkQueue(deps).add(events, { size: sizeOf(events), trace: undefined, priority: 0 });
    expect([jobsBefore, await queue.getWaitingCount()]).toEqual([0, 1]);
  });
});

describe('chunks wait by account', () => {
  let redis: Redis;
  let installation: Installation;
  let publisher: Publisher;
  let queue: Queue;

  beforeEach(async () => {
    redis = connectRedis({ url: await testRedisUrl(), role: 'fail-fast', name: 'test', onError: () => undefined });
    await whenReady(redis, 5000);
    installation = new Installation(redis, uniqueName('publisher'), 1);
    publisher = await createPublisher(installation, { waitingMaxEvents: 1_000_000, waitingMaxBytes: 1e9 });
    queue = installation.queue('campaign-chunks', 0);
  });
  afterEach(async () => {
    await publisher.close();
    await installation.close();
    await closeRedis(redis);
  });

  const request = (account: string, events: number): RoutedEvent[] =>
    Array.from({ length: events }, () => ({
      event: aCampaignEvent({ account }),
      destinations: [`to-${account}`].map(version1Route),
    }));

  /** The accounts of all waiting chunks, in the order in which a worker takes these. */
  const taken = async (): Promise<string[]> => {
    const accounts: string[] = [];
    const take = ({ data }: { data: ChunkJob }) =>
      Promise.resolve(void accounts.push(...data.groups.map(([, , account]) => account)));
    const worker = new Worker<ChunkJob>(queue.name, take, { connection: redis, prefix: queue.opts.prefix ?? '' });
    const waiting = (): Promise<number> => queue.getJobCountByTypes('waiting', 'prioritized', 'active');
    await eventually(async () => (await waiting()) === 0, { what: 'all chunk jobs' });
    await worker.close();
    return accounts;
  };

  it('light accounts overtake many heavy ones, also with a Redis-fed producer', async () => {
    const heavy = Array.from({ length: 30 }, (_, i) => `heavy${i}`);
    for (const account of heavy) await publisher.publish(request(account, 2000));
    await publisher.publish(request('fed', 2000), 'c-heavy');
    await publisher.publish(request('heavier', 8000));
    await publisher.publish(request('light', 1));
    await publisher.publish(request('fed-light', 1), 'c-light');
    expect(await taken()).toEqual(['light', 'fed-light', ...heavy, 'fed', 'heavier']);
  });

  it('light accounts do not overtake what is overdue', async () => {
    const overdue: ChunkJob = { v: 1, acceptedAt: 1, groups: [['campaign', 'd', 'overdue', 'f', [], null]] };
    await queue.add('chunk', overdue, { priority: 1 });
    await eventually(
      async () => {
        await publisher.publish(request('light', 1));
        return (await queue.getPrioritizedCount()) > 1;
      },
      { what: 'a light chunk with a priority' },
    );
    expect((await taken()).slice(-2)).toEqual(['overdue', 'light']);
  });
});

test('queued events count toward the limit of their account until they are appended or their job is lost', async () => {
  const redis = connectRedis({ url: await testRedisUrl(), role: 'fail-fast', name: 'test', onError: () => undefined });
  await whenReady(redis, 5000);
  const installation = new Installation(redis, uniqueName('publisher'), 1);
  const publisher = await createPublisher(installation, { waitingMaxEvents: 10, waitingMaxBytes: 1e9 });
  const [keys] = installation.allKeys(['transactional']) as [EngineKeys];
  const events = (account: string): RoutedEvent[] =>
    Array.from({ length: 6 }, (_, i) => ({
      event: aClick({ account, messageId: `m${i}` }),
      destinations: ['d1', 'd2'].map(version1Route),
    }));
  try {
    // No worker takes the chunks. In a long queue every share counts.
    for (let i = 0; i < 21; i += 1) await publisher.publish(events('other').slice(0, 1));
    await eventually(
      async () => {
        await publisher.publish(events('many')).catch(() => undefined);
        return publisher.isOverfull('many');
      },
      { what: 'the account with too many events in the queue' },
    );
    await expect(publisher.publish(events('many'))).rejects.toBeInstanceOf(TooManyWaitingError);
    await publisher.publish(events('other'));

    const commands = createPublishCommands(redis, keys);
    const queues = [`${keys.queuePrefix}:transactional-chunks:`];
    let seen = NO_RECOUNT;
    const recount = async (): Promise<void> => void (seen = await commands.recountQueued(seen, queues));
    await recount();
    await recount();
    expect(readSums(await redis.hgetBuffer(keys.sums, 'many')).queuedEvents).toBeGreaterThan(0);
    await redis.rename(`${queues[0]}prioritized`, `${queues[0]}failed`);
    await redis.del(`${queues[0]}wait`);
    await recount();
    await recount();
    // An operator may retry it, and its end subtracts what it counts.
    expect(readSums(await redis.hgetBuffer(keys.sums, 'many')).queuedEvents).toBeGreaterThan(0);
    await redis.del(`${queues[0]}failed`);
    // A new or changed count may belong to a job that is being added.
    await recount();
    await commands.queued([{ account: 'many', events: 1, bytes: 1 }]);
    await recount();
    expect(readSums(await redis.hgetBuffer(keys.sums, 'many')).queuedEvents).toBeGreaterThan(0);
    await recount();
    expect(await redis.hgetBuffer(keys.sums, 'many')).toBeNull();
    await eventually(() => !publisher.isOverfull('many'), { what: 'an account that may publish again' });
    await publisher.publish(events('many'));
  } finally {
    await publisher.close();
    await closeRedis(redis);
  }
});
