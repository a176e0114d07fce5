import type { ProducerEvent } from '@mailhook/core';
import { QueueUnavailableError } from '@mailhook/delivery';
import type { TestRedis } from '@mailhook/testing';
import { aCampaignEvent, eventually, startRedis, uniqueName } from '@mailhook/testing';
import type { Rig } from '../engine/rig.ts';
import { startRig } from '../engine/rig.ts';
import type { CountingReceiver } from './rig/counting-receiver.ts';
import { startCountingReceiver } from './rig/counting-receiver.ts';
import { createLedger } from './rig/ledger.ts';

describe('Redis nears its memory limit', () => {
  const ledger = createLedger();
  let redis: TestRedis;
  let rig: Rig;
  let receiver: CountingReceiver;

  beforeAll(async () => {
    redis = await startRedis({ appendonly: true, args: ['--maxmemory', '12mb'] });
    receiver = await startCountingReceiver(ledger, () => ({ delayMs: 0, status: 503 }));
    // The receiver stays down, so that events pile up in parked destinations. Few attempts, because each adds 5.6 kB to the attempt log.
    const endless = Array.from({ length: 1000 }, () => 200);
    rig = await startRig({
      kind: 'campaign',
      redisUrl: redis.url,
      scheduleMs: endless,
      breakerFailures: 2,
      parkMaxMs: 5000,
    });
    await rig.startWorker();
  });
  afterAll(async () => {
    await rig.close();
    await receiver.close();
    await redis.stop();
  });

  /** Publishes a thousand events of a new account, because one account may not fill Redis. Resolves with `true` if they were accepted. */
  async function publish(series: number): Promise<boolean> {
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

  const memory = async () => {
    const info = await rig.redis.info('memory');
    const read = (name: string): number => Number(new RegExp(`${name}:(\\d+)`).exec(info)?.[1]);
    // Redis does not count the buffer of its append-only file against the limit.
    return { used: read('used_memory') - read('mem_not_counted_for_evict'), limit: read('maxmemory') };
  };

  test('intake refuses before Redis does, and goes on refusing', async () => {
    let series = 0;
    await eventually(async () => !(await publish((series += 1))), { withinMs: 60_000, what: 'the first refusal' });
    expect(ledger.accepted).toBeGreaterThan(1000);
    // Redis itself still takes writes, because deliveries must go on.
    await expect(rig.redis.set(`${rig.queuePrefix}:probe`, 'x')).resolves.toBe('OK');
    const { used, limit } = await memory();
    expect(used).toBeLessThan(limit);
    expect(await publish((series += 1))).toBe(false);
  }, 90_000);

  test('accepted events arrive when the receiver is back, and intake accepts events again', async () => {
    receiver.treat(() => ({ delayMs: 0 }));
    await eventually(() => ledger.outstanding === 0, { withinMs: 60_000, what: 'every accepted event' });
    await eventually(() => publish(1_000_000), { withinMs: 30_000, what: 'an accepted request' });
    await eventually(() => ledger.outstanding === 0, { withinMs: 30_000, what: 'the new events' });
    expect(ledger.renamed).toEqual([]);
  }, 120_000);
});
