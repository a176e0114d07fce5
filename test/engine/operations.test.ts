import { aCampaignEvent, eventually, startReceiver, startRedis } from '@mailhook/testing';
import { createEngineGauges } from '@mailhook/insight';
import { createMetrics } from '@mailhook/platform/metrics';
import { startRig } from './rig.ts';
import type { Rig } from './rig.ts';

/** Reads the gauges that the api would report for the rig's mechanism. */
function gaugesOf(rig: Rig): (name: string) => Promise<number> {
  const metrics = createMetrics();
  createEngineGauges({ metrics, installation: rig.installation, kinds: ['campaign'] });
  return async (name) => {
    const text = await metrics.registry.getSingleMetricAsString(name.replace(/\{.*/, ''));
    const line = text.split('\n').find((one) => one.startsWith(name)) ?? '';
    return Number(line.split(' ').at(-1));
  };
}

test('events without a worker age as ready, and events for a dead receiver age only as waiting', async () => {
  const receiver = await startReceiver({ reply: () => ({ status: 500 }) });
  const rig = await startRig({ kind: 'campaign', scheduleMs: [600_000], breakerFailures: 1, parkMaxMs: 600_000 });
  const valueOf = gaugesOf(rig);
  try {
    const destination = await rig.destination('acc_dead', receiver.url);
    await rig.publish([aCampaignEvent({ account: 'acc_dead' })], destination);
    await eventually(async () => (await valueOf('mailhook_oldest_ready_seconds')) > 0.05, { what: 'the mail to age' });
    expect(await valueOf('mailhook_workers')).toBe(0);

    await rig.startWorker();
    await eventually(async () => (await valueOf('mailhook_destinations{kind="campaign",state="parked"}')) === 1, {
      what: 'the destination to be parked',
    });
    expect(await valueOf('mailhook_workers')).toBe(1);
    expect(await valueOf('mailhook_oldest_waiting_seconds')).toBeGreaterThan(0);
    expect(await valueOf('mailhook_oldest_ready_seconds')).toBe(0);
    expect(await valueOf('mailhook_resends_scheduled')).toBe(1);
  } finally {
    await rig.close();
    await receiver.close();
  }
});

test('a worker that takes no jobs is not ready', async () => {
  const redis = await startRedis({ appendonly: true });
  const rig = await startRig({ kind: 'campaign', redisUrl: redis.url });
  try {
    const worker = await rig.startWorker();
    const destination = await rig.destination('acc_deaf', 'http://127.0.0.1:9/');
    const publish = () => rig.publish([aCampaignEvent({ account: 'acc_deaf' })], destination);
    expect(await worker.readiness()).toEqual([]);
    // Redis now refuses to wait for jobs. A worker that already waits still gets the next job.
    await rig.redis.call('ACL', 'SETUSER', 'default', '-bzpopmin');
    const waiting = `{${rig.queuePrefix}:0}:campaign-chunks:wait`;
    await eventually(
      async () => {
        if ((await rig.redis.llen(waiting)) === 0) await publish();
        // Resends and parkings of these events wait in other queues. The workers of those may be deaf before this one.
        return (await worker.readiness()).includes('jobs wait in campaign-chunks, and its worker takes none');
      },
      { what: 'the deafness to show', withinMs: 15_000 },
    );
    await rig.redis.call('ACL', 'SETUSER', 'default', '+bzpopmin');
    await eventually(async () => (await worker.readiness()).length === 0, {
      what: 'the worker to be well',
      withinMs: 15_000,
    });
  } finally {
    await rig.redis.call('ACL', 'SETUSER', 'default', '+bzpopmin');
    await rig.close();
    await redis.stop();
  }
});
