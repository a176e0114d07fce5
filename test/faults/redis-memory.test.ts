import type { ProducerEvent } from '@mailhook/core';
import { QueueUnavailableError } from '@mailhook/delivery';
import { memoryLeftBytes, NEARLY_FULL } from '@mailhook/platform/redis';
import type { TestRedis } from '@mailhook/testing';
import { aCampaignEvent, eventually, startRedis, uniqueName } from '@mailhook/testing';
import type { Rig } from '../engine/rig.ts';
import { startRig } from '../engine/rig.ts';
import type { CountingReceiver } from './rig/counting-receiver.ts';
import { startCountingReceiver } from './rig/counting-receiver.ts';
import { readEngineState } from './rig/engine-state.ts';
import { createLedger } from './rig/ledger.ts';

describe('Redis nears its memory limit', () => {
  const ledger = createLedger();
  let redis: TestRedis;
  let rig: Rig;
  let receiver: CountingReceiver;

  beforeAll(async () => {
    redis = await startRedis({ appendonly: true, args: ['--maxmemory', '12mb'] });
    receiver = await startCountingReceiver(ledger, () => ({ delayMs: 0, status: 503 }));
    // The receiver stays down, so that events pile up in parked destinations. Few attempts, because each adds 5.6 kB to
    // the attempt log.
    const endless = Array.from({ length: 1000 }, () => 200);
    rig = await startRig({
      kind: 'campaign',
      redisUrl: redis.url,
      scheduleMs: endless,
      breakerFailures: 2,
      parkMaxMs: 5000,
      // A request that fails at the receiver holds its batch a second time while it is open.
      limits: { inFlightCharsMax: 400_000 },
    });
    await rig.startWorker();
  });
  afterAll(async () => {
    await rig.close();
    await receiver.close();
    await redis.stop();
  });

  /**
   * Publishes events of a new account, because one account may not fill Redis. Resolves with `true` if they were
   * accepted.
   */
  async function publish(series: number): Promise<boolean> {
    await settled();
    const events: ProducerEvent[] = Array.from({ length: 1000 }, (_, i) =>
      aCampaignEvent({ email: `r${series}.${i}@example.com` }),
    );
    const destination = await rig.destination(uniqueName('account'), receiver.url);
    try {
      await rig.publish(events, destination);
    } catch (error) {
      expect(error).toBeInstanceOf(QueueUnavailableError);
      return false;
    }
    ledger.accept(events.map((event) => (event.module === 'campaign' ? event.email : '')));
    return true;
  }

  const engineState = () => readEngineState(rig.redis, rig.queuePrefix, 'campaign');
  const memory = async () => {
    const info = await rig.redis.info('memory');
    const read = (name: string): number => Number(new RegExp(`${name}:(\\d+)`).exec(info)?.[1]);
    return { all: read('used_memory'), notCounted: read('mem_not_counted_for_evict'), limit: read('maxmemory') };
  };
  /**
   * Intake refuses by a reading that is up to half a second old. A flood of requests would fill the last tenth of this
   * small Redis before the next one. And an event needs less memory when it is in its mailbox, where Redis compresses
   * it.
   */
  const settled = () =>
    eventually(
      async () => {
        const { chunks } = await engineState().remains();
        const { all, limit } = await memory();
        return chunks === 0 && Math.abs((await memoryLeftBytes(rig.redis)) - (limit * NEARLY_FULL - all)) < limit / 50;
      },
      { withinMs: 10_000, what: 'an empty queue and a new reading of the memory' },
    );

  test('intake refuses before Redis does, and goes on refusing', async () => {
    let series = 0;
    const isRefused = async () => !(await publish((series += 1)));
    await eventually(async () => (await isRefused()) && (await isRefused()), {
      withinMs: 60_000,
      what: 'two refusals in a row',
    });
    expect(ledger.accepted).toBeGreaterThan(1000);
    // Redis itself still takes writes, because deliveries must go on.
    const isWritten = () =>
      rig.redis.set(`${rig.queuePrefix}:probe`, 'x').then(
        () => true,
        () => false,
      );
    // Not at once, because buffers of clients come and go.
    await eventually(isWritten, { what: 'a write to Redis' });
    const isWithinLimit = async () => {
      const { all, notCounted, limit } = await memory();
      // Redis does not count the buffer of its append-only file against the limit.
      return all - notCounted < limit;
    };
    await eventually(isWithinLimit, { what: 'memory below the limit' });
  }, 90_000);

  test('accepted events arrive when the receiver is back, and intake accepts events again', async () => {
    receiver.treat(() => ({ delayMs: 0 }));
    await ledger.untilWhole(60_000);
    await eventually(() => publish(1_000_000), { withinMs: 30_000, what: 'an accepted request' });
    await eventually(() => ledger.outstanding === 0, { withinMs: 30_000, what: 'the new events' });
    expect(ledger.renamed).toEqual([]);
  }, 120_000);
});
