import { aCampaignEvent, eventually, startRedis, uniqueName } from '@mailhook/testing';
import { startRig } from '../engine/rig.ts';
import { startCountingReceiver } from './rig/counting-receiver.ts';
import { startDoomedWorker } from './rig/doomed.ts';
import { untilOver, readEngineState } from './rig/engine-state.ts';
import { createLedger } from './rig/ledger.ts';

const DESTINATIONS = 60;
/** Longer than a lease. */
const STALL_MS = 3000;

test('when Redis stalls for longer than a lease, no worker takes over, and nothing is sent twice', async () => {
  const redis = await startRedis();
  const ledger = createLedger();
  const receiver = await startCountingReceiver(ledger, () => ({ delayMs: 300 }));
  const rig = await startRig({ kind: 'campaign', redisUrl: redis.url });
  const options = { kind: 'campaign', redisUrl: redis.url, queuePrefix: rig.queuePrefix, scheduleMs: [100] } as const;
  const workers = await Promise.all(Array.from({ length: 3 }, () => startDoomedWorker(options)));
  let sequence = 0;
  const publish = (destination: Awaited<ReturnType<typeof rig.destination>>): Promise<void> => {
    const emails = Array.from({ length: 5 }, () => `r${(sequence += 1)}@example.com`);
    ledger.accept(emails);
    return rig.publish(
      emails.map((email) => aCampaignEvent({ email })),
      destination,
    );
  };
  try {
    await eventually(async () => (await rig.redis.zcard(`${rig.base}workers`)) === 3, {
      withinMs: 30_000,
      what: 'three workers',
    });
    const destinations = await Promise.all(
      Array.from({ length: DESTINATIONS }, () => rig.destination(uniqueName('account'), receiver.url)),
    );
    const state = readEngineState(rig.redis, rig.queuePrefix, 'campaign');
    const owners = async () => new Set([...(await state.owners()).values()].map((token) => token.split('_')[0]));
    const areShared = async (): Promise<boolean> => {
      // On a busy machine, one worker may have delivered all before another has looked.
      if (ledger.outstanding === 0) await Promise.all(destinations.map(publish));
      return (await owners()).size >= 2;
    };
    await eventually(areShared, { what: 'destinations with several owners' });
    process.kill(redis.pid, 'SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, STALL_MS));
    process.kill(redis.pid, 'SIGCONT');
    await ledger.untilWhole(30_000);
    await untilOver([state]);
    expect(ledger.duplicates).toBe(0);
  } finally {
    for (const worker of workers) worker.kill();
    await rig.close();
    await receiver.close();
    await redis.stop();
  }
}, 120_000);
