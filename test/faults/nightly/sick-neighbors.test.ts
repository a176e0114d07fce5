import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Destination, Mechanism } from '@mailhook/core';
import type { ServiceProcess, FakeNameServer, TestRedis } from '@mailhook/testing';
import { aCampaignEvent, aClick, eventually, startNameServer, startRedis, uniqueName } from '@mailhook/testing';
import { startRig } from '../../engine/rig.ts';
import type { Rig } from '../../engine/rig.ts';
import type { NeighborReceiver, Sickness, Treatment } from '../rig/neighbor-receiver.ts';
import { startNeighborReceiver } from '../rig/neighbor-receiver.ts';
import { startService } from '../rig/service.ts';

const KINDS = ['transactional', 'campaign'] as const;
const SICKNESSES = ['slow', 'failing', 'flooding', 'slow DNS'] as const satisfies readonly Sickness[];
const HEALTHY = 5;
/** More than the slots for destinations without a success, and more than the slots of a batcher. */
const NEIGHBORS = 40;
const BACKLOG = 4;
const SAMPLES = 50;
const PAUSE_MS = 10;
/**
 * Slow neighbors begin and reply together, and on a quiet machine the work of one such moment takes as long as all
 * samples would. So the samples take three times as long as a slow neighbor.
 */
const PAUSE_BESIDE_SLOW_MS = 120;
/** How many times slower than beside healthy neighbors a delivery may be. */
const RATIO_MAX = 6;
/**
 * Below these values, a difference says nothing on a busy machine. Without isolation, healthy events wait for seconds.
 */
const FLOORS: readonly { readonly p: number; readonly floorMs: number }[] = [
  { p: 0.5, floorMs: 250 },
  { p: 0.9, floorMs: 750 },
];
const LONG_URL = `https://shop.example.com/${'x'.repeat(1900)}`;
const SHORT_URL = 'https://shop.example.com/';
const HOOK = path.join(__dirname, '../rig/own-name-server.cjs');

/** Both workers in separate processes, with a separate Redis. */
interface World {
  readonly rigs: Readonly<Record<Mechanism, Rig>>;
  readonly healthy: Readonly<Record<Mechanism, readonly Destination[]>>;
  close(): Promise<void>;
}

type Name = 'well' | 'sick';
const NAMES: readonly Name[] = ['well', 'sick'];

/** Two worlds run at the same time with the same load. Only one has sick neighbors. */
describe('healthy destinations are as fast beside sick neighbors as beside healthy ones', () => {
  let names: FakeNameServer;
  let receiver: NeighborReceiver;
  const sentAtMs = new Map<string, number>();
  const latencyMs = new Map<string, number>();

  const startWorld = async (): Promise<World> => {
    const redis = await startRedis();
    const queuePrefix = uniqueName('world');
    const services = await startServices(redis, queuePrefix, names);
    const rigOf = (kind: Mechanism) => startRig({ kind, redisUrl: redis.url, queuePrefix });
    const rigs = { transactional: await rigOf('transactional'), campaign: await rigOf('campaign') };
    const healthyOf = (kind: Mechanism) =>
      Promise.all(Array.from({ length: HEALTHY }, (_, i) => destination(rigs[kind], 'healthy', `${kind}-${i}`)));
    return {
      rigs,
      healthy: { transactional: await healthyOf('transactional'), campaign: await healthyOf('campaign') },
      close: async () => {
        await Promise.all(services.map((service) => service.kill()));
        await Promise.all(Object.values(rigs).map((rig) => rig.close()));
        await redis.stop();
      },
    };
  };

  /** Gives each destination a separate name, so that each needs separate lookups. */
  const destination = (rig: Rig, treatment: Treatment, name: string): Promise<Destination> => {
    const host = `${treatment.replace(' ', '-').toLowerCase()}-${name}.test`;
    names.setName(host, treatment === 'slow DNS' ? 'silent' : ['127.0.0.1']);
    return rig.destination(
      uniqueName('account'),
      `http://${host}:${receiver.port}/${treatment.replace(' ', '-')}/${name}`,
    );
  };

  /**
   * Publishes one event to a healthy destination of each mechanism, and records the time. Resolves with the events'
   * keys.
   */
  const sample = async ({ rigs, healthy }: World, round: number): Promise<string[]> =>
    Promise.all(
      KINDS.map(async (kind) => {
        const key = uniqueName('sample');
        sentAtMs.set(key, performance.now());
        await rigs[kind].publish([eventOf(kind, key, SHORT_URL)], healthy[kind][round % HEALTHY]!);
        return key;
      }),
    );

  const allArrived = () =>
    eventually(() => [...sentAtMs.keys()].every((key) => latencyMs.has(key)), {
      withinMs: 60_000,
      what: 'all events of healthy destinations',
    });

  /** Delivers to each healthy destination once, because a destination without a success may wait for a slot. */
  const warmUp = async (worlds: readonly World[]): Promise<void> => {
    for (let round = 0; round < HEALTHY; round += 1) for (const world of worlds) await sample(world, round);
    await allArrived();
  };

  beforeAll(async () => {
    names = await startNameServer();
    receiver = await startNeighborReceiver((key, atMs) => {
      const sentMs = sentAtMs.get(key);
      if (sentMs !== undefined && !latencyMs.has(key)) latencyMs.set(key, atMs - sentMs);
    });
  }, 120_000);
  afterAll(async () => {
    await receiver.close();
    await names.close();
  });

  test.each([
    { name: 'all kinds of', sicknesses: SICKNESSES },
    ...SICKNESSES.map((sickness) => ({ name: sickness, sicknesses: [sickness] })),
  ])(
    '$name sick neighbors',
    async ({ name: which, sicknesses }) => {
      const worlds = { well: await startWorld(), sick: await startWorld() };
      try {
        await warmUp(Object.values(worlds));
        const neighbors = {
          well: await withNeighbors(worlds.well, ['healthy']),
          sick: await withNeighbors(worlds.sick, sicknesses),
        };
        /** Counts the attempts at a sick destination, by its requests or by the lookups of its name. */
        const triesOf = ({ address }: Destination): number => {
          const { hostname, pathname } = new URL(address ?? '');
          const lookups = names.questions.filter((question) => question === `A ${hostname}`).length;
          return pathname.startsWith('/slow-DNS/') ? lookups : (receiver.requests.get(pathname) ?? 0);
        };
        const sick = KINDS.flatMap((kind) => neighbors.sick[kind]);
        const allTries = (): number => sick.reduce((sum, one) => sum + triesOf(one), 0);
        await eventually(() => sick.every((one) => triesOf(one) > 0), {
          withinMs: 60_000,
          what: `an attempt for each of the ${sick.length} sick destinations`,
        });
        const triesBefore = allTries();
        const keys: Record<Name, string[]> = { well: [], sick: [] };
        for (let round = 0; round < SAMPLES; round += 1) {
          // The order alternates, so that the machine disturbs both worlds alike.
          for (const name of round % 2 === 0 ? NAMES : NAMES.toReversed()) {
            keys[name].push(...(await sample(worlds[name], round)));
            await load(worlds[name], neighbors[name], round);
          }
          await wait(which === 'slow' ? PAUSE_BESIDE_SLOW_MS : PAUSE_MS);
        }
        await allArrived();
        // The neighbors must have been sick during the measurement.
        expect(allTries()).toBeGreaterThan(triesBefore);
        expectAlike(which, keys, latencyMs);
      } finally {
        await Promise.all(Object.values(worlds).map((world) => world.close()));
      }
    },
    180_000,
  );

  /** Keeps the neighbors busy with more batches at once than a batcher has slots. */
  const load = ({ rigs }: World, neighbors: Record<Mechanism, Destination[]>, round: number) =>
    Promise.all(
      KINDS.flatMap((kind) =>
        [0, 1, 2].map((i) => {
          const event = eventOf(kind, uniqueName('neighbor'), LONG_URL);
          return rigs[kind].publish([event], neighbors[kind][(round * 3 + i) % NEIGHBORS]!);
        }),
      ),
    );

  async function withNeighbors(
    { rigs }: World,
    treatments: readonly Treatment[],
  ): Promise<Record<Mechanism, Destination[]>> {
    const neighbors: Record<Mechanism, Destination[]> = { transactional: [], campaign: [] };
    for (const kind of KINDS) {
      for (let i = 0; i < NEIGHBORS; i += 1) {
        const one = await destination(rigs[kind], treatments[i % treatments.length]!, `neighbor-${kind}-${i}`);
        await rigs[kind].publish(
          Array.from({ length: BACKLOG }, () => eventOf(kind, uniqueName('neighbor'), LONG_URL)),
          one,
        );
        neighbors[kind].push(one);
      }
    }
    return neighbors;
  }
});

function startServices(redis: TestRedis, queuePrefix: string, names: FakeNameServer): Promise<ServiceProcess[]> {
  const env = {
    REDIS_URL: redis.url,
    QUEUE_PREFIX: queuePrefix,
    HOST: '127.0.0.1',
    OPS_PORT: '0',
    LOG_LEVEL: 'info',
    ALLOW_PRIVATE_DESTINATIONS: 'true',
    DELIVERY_TIMEOUT_MS: '3000',
    TEST_NAME_SERVER: names.address,
    // Resends follow soon, so that the neighbors are sick during the whole measurement.
    RETRY_SCHEDULE: Array.from({ length: 30 }, () => '2s').join(),
    NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --require ${JSON.stringify(HOOK)}`,
  };
  return Promise.all([startService('transactional-notifier', env), startService('campaign-batcher', env)]);
}

const eventOf = (kind: Mechanism, key: string, url: string) =>
  kind === 'campaign' ? aCampaignEvent({ event: 'click', email: key, url }) : aClick({ messageId: key, url });

/** The value below which the share `p` of the values lies. */
const percentile = (values: readonly number[], p: number): number =>
  [...values].sort((a, b) => a - b)[Math.ceil(p * values.length) - 1] ?? Number.NaN;

function expectAlike(
  which: string,
  keys: Readonly<Record<Name, readonly string[]>>,
  latencyMs: ReadonlyMap<string, number>,
): void {
  const figures = KINDS.flatMap((kind, k) =>
    FLOORS.map(({ p, floorMs }) => {
      const of = (world: Name): number =>
        percentile(
          keys[world].flatMap((key, i) => (i % KINDS.length === k ? [latencyMs.get(key) ?? Infinity] : [])),
          p,
        );
      return { kind, p, floorMs, wellMs: Math.round(of('well')), sickMs: Math.round(of('sick')) };
    }),
  );
  const lines = figures.map(
    ({ kind, p, wellMs, sickMs }) => `${kind} p${p * 100} ${wellMs} ms beside healthy, ${sickMs} ms beside sick`,
  );
  process.stdout.write(`${which} sick neighbors: ${lines.join('; ')}\n`);
  const slower = figures.filter(({ floorMs, wellMs, sickMs }) => sickMs > Math.max(floorMs, RATIO_MAX * wellMs));
  expect(slower).toEqual([]);
}
