import { setImmediate } from 'node:timers/promises';
import type { Mechanism } from '@mailhook/core';
import { engineKeys } from '@mailhook/delivery';
import { aCampaignEvent, anOpen, eventually, testRedisUrl, uniqueName } from '@mailhook/testing';
import { startRig } from '../engine/rig.ts';
import { startCountingReceiver } from './rig/counting-receiver.ts';
import { startDoomedWorker } from './rig/doomed.ts';
import type { DoomedWorker } from './rig/doomed.ts';
import { readEngineState, untilOver } from './rig/engine-state.ts';
import { createLedger } from './rig/ledger.ts';
import { readingBothFormats, readsBy } from './rig/toy-format.ts';
import type { ToyFormat } from './rig/toy-format.ts';

const DESTINATIONS = 8;
const OUTSTANDING_MAX = 400;

/**
 * A change of a stored format as CONTRIBUTING.md describes it, with a toy format: processes of two versions update and
 * roll back under load, and the one of the later is killed.
 */
async function play(kind: Mechanism): Promise<void> {
  const ledger = createLedger();
  const receiver = await startCountingReceiver(ledger, (_path, { attempt, webhookId }) => ({
    delayMs: 5,
    ...(attempt === 1 && webhookId.endsWith('a') ? { status: 500 } : {}),
  }));
  const rig = await startRig({ kind });
  const { shared } = engineKeys(rig.queuePrefix, 0, kind);
  const worker = { kind, redisUrl: await testRedisUrl(), queuePrefix: rig.queuePrefix, scheduleMs: [50, 100, 200] };
  const started: DoomedWorker[] = [];
  const start = async (toyFormat: ToyFormat): Promise<DoomedWorker> => {
    const one = await startDoomedWorker({ ...worker, toyFormat });
    started.push(one);
    return one;
  };
  const counters = [readsBy('earlier'), readsBy('later')].map((name) => shared + name);
  /** Both versions read what the other has written. */
  const untilMixed = async (): Promise<void> => {
    await rig.redis.del(...counters);
    const what = 'a state of the other format that each version has read';
    await eventually(async () => !(await rig.redis.mget(...counters)).includes(null), { withinMs: 30_000, what });
  };
  const ending = new AbortController();
  try {
    const accounts = Array.from({ length: DESTINATIONS }, () => uniqueName('account'));
    const destinations = await Promise.all(accounts.map((one, i) => rig.destination(one, `${receiver.url}/${i}`)));
    const producing = (async () => {
      for (let n = 0; !ending.signal.aborted; n += 1) {
        const i = n % DESTINATIONS;
        const [destination, name] = [destinations[i], `r${n}@example.com`];
        if (destination === undefined || ledger.outstanding > OUTSTANDING_MAX) {
          await setImmediate();
          continue;
        }
        const isCampaign = kind === 'campaign';
        const event = isCampaign ? aCampaignEvent({ email: name }) : anOpen({ messageId: name });
        await rig.publish([event], destination);
        ledger.accept([isCampaign ? name : `/${i} ${name}`]);
      }
    })();
    const first = await start('earlier');
    const second = await start('later');
    await untilMixed();
    await first.stop();
    const { accepted } = ledger;
    await eventually(() => ledger.delivered > accepted, { withinMs: 20_000, what: 'the events after the update' });
    await start('earlier');
    await untilMixed();
    second.kill();
    ending.abort();
    await producing;
    await ledger.untilWhole(20_000);
    await untilOver([readEngineState(readingBothFormats(rig.redis), rig.queuePrefix, kind)]);
    expect(ledger.renamed).toEqual([]);
    expect(receiver.resends).toBeGreaterThan(0);
  } finally {
    ending.abort();
    for (const one of started) one.kill();
    await rig.close();
    await receiver.close();
  }
}

test('workers of two versions with different formats replace each other under load, and nothing is lost', async () => {
  await Promise.all((['campaign', 'transactional'] as const).map(play));
}, 90_000);
