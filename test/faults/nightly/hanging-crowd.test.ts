import { aCampaignEvent, eventually, startRedis, uniqueName } from '@mailhook/testing';
import { startRig } from '../../engine/rig.ts';
import { startCountingReceiver } from '../rig/counting-receiver.ts';
import { createLedger } from '../rig/ledger.ts';
import { startService } from '../rig/service.ts';

const HANGING = 500;
const EVENTS_EACH = 1000;
const HEALTHY = 20;
/**
 * The batches of the hanging destinations alone are 90 MB, and a batch takes up to three times the size of its events.
 */
const HEAP_MB = 110;

test(`a batcher with ${HEAP_MB} MB survives ${HANGING} hanging receivers, and serves the healthy ones`, async () => {
  const redis = await startRedis();
  const ledger = createLedger();
  const isHanging = (path: string): boolean => path.startsWith('/hanging');
  const receiver = await startCountingReceiver(ledger, (path) => ({ delayMs: 0, hangs: isHanging(path) }));
  const rig = await startRig({ kind: 'campaign', redisUrl: redis.url });
  const ended: string[] = [];
  const env = {
    REDIS_URL: redis.url,
    QUEUE_PREFIX: rig.queuePrefix,
    HOST: '127.0.0.1',
    OPS_PORT: '0',
    LOG_LEVEL: 'info',
    ALLOW_PRIVATE_DESTINATIONS: 'true',
    NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --max-old-space-size=${HEAP_MB}`,
  };
  const batcher = await startService('campaign-batcher', env, { onEndedItself: (why) => ended.push(why) });
  const destinations = (name: string, count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, i) => rig.destination(uniqueName('account'), `${receiver.url}/${name}${i}`)),
    );
  try {
    const hanging = await destinations('hanging', HANGING);
    const healthy = await destinations('healthy', HEALTHY);
    const publishHealthy = async (): Promise<void> => {
      await Promise.all(
        healthy.map((destination) => {
          const email = `${uniqueName('r')}@example.com`;
          ledger.accept([email]);
          return rig.publish([aCampaignEvent({ email })], destination);
        }),
      );
      await eventually(() => ledger.outstanding === 0 || ended.length > 0, {
        withinMs: 30_000,
        what: 'the events of healthy destinations',
      });
      expect(ended).toEqual([]);
    };
    const events = Array.from({ length: EVENTS_EACH }, () => aCampaignEvent());
    for (const [i, destination] of hanging.entries()) {
      await rig.publish(events, destination);
      if (i % 50 === 49) await publishHealthy();
    }
    const tried = () => [...receiver.peaks.keys()].filter(isHanging).length;
    await eventually(
      async () => {
        await publishHealthy();
        return tried() === HANGING;
      },
      { withinMs: 60_000, what: 'a request at each hanging receiver' },
    );
    expect(ended).toEqual([]);
    const peakMb = Math.round(batcher.peakBytes() / 1e6);
    process.stdout.write(`hanging crowd: the batcher's resident memory was ${peakMb} MB at most\n`);
    expect(ledger.duplicates).toBe(0);
  } finally {
    await batcher.kill();
    await rig.close();
    await receiver.close();
    await redis.stop();
  }
}, 120_000);
