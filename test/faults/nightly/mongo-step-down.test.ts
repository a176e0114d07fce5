import { z } from 'zod';
import { eventually, unlessMissing } from '@mailhook/testing';
import { engineKeys } from '@mailhook/delivery';
import { readMailbox } from '@mailhook/delivery/mailbox';
import { ACTIVE } from '../../../packages/delivery/src/mailbox/constants.ts';
import type { CountingReceiver } from '../rig/counting-receiver.ts';
import { startCountingReceiver } from '../rig/counting-receiver.ts';
import { untilOver } from '../rig/engine-state.ts';
import { createLedger } from '../rig/ledger.ts';
import type { Load } from '../rig/load.ts';
import { createCustomers, startLoad } from '../rig/load.ts';
import type { MongoReplicaSet } from '../rig/mongo-replica-set.ts';
import { startMongoReplicaSet } from '../rig/mongo-replica-set.ts';
import { createRandom, runSeed } from '../rig/random.ts';
import type { SettingsWriter } from '../rig/settings-writer.ts';
import { startSettingsWriter } from '../rig/settings-writer.ts';
import type { Stack } from '../rig/stack.ts';
import { startStack } from '../rig/stack.ts';

/** How many writes succeed before each step-down. */
const WRITES_BEFORE = [10, 20, 40];
const WRITERS = 3;
const TRANSACTIONAL = engineKeys('mailhook', 0, 'transactional');
const CAMPAIGN = engineKeys('mailhook', 0, 'campaign');
const listed = z.array(z.object({ id: z.string(), address: z.string() }));

unlessMissing(describe, 'mongod')(
  'the primary of MongoDB steps down while settings are written and events are delivered',
  () => {
    const random = createRandom(runSeed());
    const ledger = createLedger();
    let mongo: MongoReplicaSet;
    let receiver: CountingReceiver;
    let stack: Stack;
    let load: Load;
    let writers: readonly SettingsWriter[] = [];

    beforeAll(async () => {
      mongo = await startMongoReplicaSet('mailhook');
      receiver = await startCountingReceiver(ledger, () => ({ delayMs: random.between(10, 60) }));
      stack = await startStack({
        workers: { 'transactional-notifier': 1, 'campaign-batcher': 1 },
        env: { MONGO_URL: mongo.url },
      });
      const customers = await createCustomers(stack, receiver.url, 10);
      const rates = { everyMs: 100, notifications: 10, campaignEvents: 20 };
      load = startLoad({ stack, ledger, random, customers, series: 'mongo', ...rates });
      await eventually(() => ledger.delivered > 1000, { withinMs: 60_000, what: 'events to every customer' });
      writers = await Promise.all(
        Array.from({ length: WRITERS }, (_, i) => startSettingsWriter(stack, receiver.url, `w${i}`)),
      );
    }, 180_000);

    afterAll(async () => {
      await Promise.all(writers.map((writer) => writer.stop()));
      await load.stop();
      await stack.close();
      await receiver.close();
      await mongo.stop();
    }, 60_000);

    const replies = () => writers.flatMap((writer) => writer.replies);
    const writesDone = (): number => replies().filter(({ status }) => status < 300).length;
    const furtherWrites = (count: number): Promise<true> => {
      const wanted = writesDone() + count;
      return eventually(() => writesDone() > wanted, { withinMs: 60_000, what: 'further writes' });
    };

    test('each write succeeds, or is refused with a 503 and Retry-After; intake refuses nothing', async () => {
      const { refused } = load;
      const tookMs: number[] = [];
      for (const count of WRITES_BEFORE) {
        await furtherWrites(count);
        tookMs.push(await mongo.stepDown());
      }
      await furtherWrites(20);
      await Promise.all(writers.map((writer) => writer.stop()));
      const failed = replies().filter(({ status }) => status >= 300);
      process.stdout.write(
        `mongo step-down: ${WRITES_BEFORE.length} step-downs (a new primary after ${tookMs.join(', ')} ms), ` +
          `${writesDone()} writes done, ${failed.length} refused, ${load.refused - refused} requests with events ` +
          'refused\n',
      );
      expect(failed.filter(({ status, retryAfter }) => status !== 503 || !(Number(retryAfter) > 0))).toEqual([]);
      expect(load.refused).toBe(refused);
    }, 240_000);

    test('acknowledged writes are in the store and in Redis, and nothing is stored twice', async () => {
      for (const writer of writers) {
        const reply = await fetch(`${stack.baseUrl}/v3/webhook/subscriptions`, {
          headers: { authorization: `Bearer ${writer.token}` },
        });
        const found = listed.parse(await reply.json());
        const addresses = new Map(found.map(({ id, address }) => [id, address]));
        for (const [id, address] of writer.certain) {
          expect({ id, address: addresses.get(id) ?? null }).toEqual({ id, address });
          const inRedis = async () => (await readMailbox(stack.client, TRANSACTIONAL, id)).record;
          await eventually(
            async () => {
              const found = await inRedis();
              const isActive = found?.record === ACTIVE;
              return address === null ? !isActive : found?.address === address && isActive;
            },
            { withinMs: 60_000, what: `the record of ${id} in Redis` },
          );
        }
        // A refused creation may have been stored, but only once. The same holds for writes that the driver repeats.
        expect(new Set(addresses.values()).size).toBe(addresses.size);
        if (writer.campaign === undefined) continue;
        const inRedis = async () =>
          (await readMailbox(stack.client, CAMPAIGN, `campaign-${writer.account}`)).record?.address;
        await eventually(async () => (await inRedis()) === writer.campaign, {
          withinMs: 60_000,
          what: 'the campaign address',
        });
      }
    }, 180_000);

    test('every event that got a 202 arrives, and no work is left', async () => {
      await load.stop();
      await ledger.untilWhole(60_000);
      process.stdout.write(
        `mongo step-down: ${ledger.accepted} accepted, 0 missing, ${ledger.duplicates} duplicates\n`,
      );
      expect(ledger.renamed).toEqual([]);
      await untilOver(Object.values(stack.state));
      expect(stack.endedThemselves).toEqual([]);
    }, 120_000);
  },
);
