import type { Route } from '@mailhook/core';
import type { CommandName } from '@mailhook/delivery';
import { eventually, testRedisUrl, uniqueName } from '@mailhook/testing';
import { SLICE_MAX } from '../../packages/delivery/src/deliver/limits.ts';
import type { Rig } from '../engine/rig.ts';
import { startRig } from '../engine/rig.ts';
import { eventsOf } from '../engine/version-2.suite.ts';
import { startDoomedWorker } from './rig/doomed.ts';
import type { DoomedWorker } from './rig/doomed.ts';

const EVENTS = 3;
const ALL = { chunks: 100, outcomes: 100, bytes: Infinity };
/** Enough for two slices of the chunk. */
const MANY = SLICE_MAX.groups + 5;

/** The next worker must neither leave out the chunk nor take its ids for those of another one. */
const STEPS: readonly (readonly [command: CommandName, call: number, destinations: number])[] = [
  ['claim-ids', 1, MANY],
  ['append', 1, MANY],
  ['append', 2, MANY],
  ['end-chunk', 1, 0],
];

describe('a worker dies while it spreads a logged chunk', () => {
  let rig: Rig;
  beforeEach(async () => (rig = await startRig({ kind: 'campaign', logMaxBytes: 10_000_000 })));
  let worker: DoomedWorker | undefined;
  afterEach(async () => {
    worker?.kill();
    await rig.close();
  });

  test.each(STEPS)(
    'after call %s number %d with %d destinations: the log has each event once',
    async (...step) => {
      const [command, call, count] = step;
      worker = await startDoomedWorker({
        kind: 'campaign',
        redisUrl: await testRedisUrl(),
        queuePrefix: rig.queuePrefix,
        scheduleMs: [100],
        command,
        call,
      });
      const account = uniqueName('account');
      const destinations = Array.from({ length: count }, (_, i): Route => ({ id: `${account}-${i}`, version: 2 }));
      await rig.publisher.publish(
        eventsOf('campaign', 0, EVENTS).map((event) => ({ event: { ...event, account }, destinations })),
      );
      expect(await worker.died).toBe('SIGKILL');
      await rig.startWorker();
      await eventually(async () => (await rig.log.oldestOpen()) === undefined, {
        withinMs: 60_000,
        what: 'the end of the chunk',
      });
      const { chunks } = await rig.log.read(ALL);
      const found = chunks.flatMap(({ events }) => events);
      expect(found.map(({ n }) => n)).toEqual([0, 1, 2]);
      expect(found.map((event) => event.destinations.length)).toEqual([count, count, count]);
    },
    90_000,
  );
});
