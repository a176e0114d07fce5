import { engineQueues } from '@mailhook/core';
import type { Destination, Mechanism, ProducerEvent } from '@mailhook/core';
import { createDestinationControl, engineKeys } from '@mailhook/delivery';
import type { CommandName } from '@mailhook/delivery';
import { aCampaignEvent, anOpen, eventually, testRedisUrl, uniqueName } from '@mailhook/testing';
import { Queue } from 'bullmq';
import { createMailboxCommands } from '../../packages/delivery/src/mailbox/commands/engine.ts';
import type { Rig } from '../engine/rig.ts';
import { startRig } from '../engine/rig.ts';
import { startCountingReceiver } from './rig/counting-receiver.ts';
import type { CountingReceiver } from './rig/counting-receiver.ts';
import { startDoomedWorker } from './rig/doomed.ts';
import type { DoomedWorker } from './rig/doomed.ts';
import { untilOver, readEngineState } from './rig/engine-state.ts';
import { createLedger } from './rig/ledger.ts';
import type { Ledger } from './rig/ledger.ts';
import { createRandom, runSeed } from './rig/random.ts';

interface Scene {
  readonly kind: Mechanism;
  readonly rig: Rig;
  readonly ledger: Ledger;
  readonly receiver: CountingReceiver;
  readonly destination: Destination;
  doom(command: CommandName, call: number): Promise<DoomedWorker>;
  /** Publishes `count` events and adds them to the ledger as accepted. */
  publish(count: number, more?: { readonly id?: string }): Promise<void>;
  /** Publishes all events again. */
  repeat(): Promise<void>;
}

const EVENTS = 250;
const random = createRandom(runSeed());

/** Runs a scene with a separate rig, ledger and receiver, and closes them. */
async function inScene<Result>(kind: Mechanism, play: (scene: Scene) => Promise<Result>): Promise<Result> {
  const ledger = createLedger();
  const receiver = await startCountingReceiver(ledger);
  const scheduleMs = [100, 100, 100];
  const rig = await startRig({ kind, scheduleMs, timeoutMs: 5000 });
  const destination = await rig.destination(uniqueName('account'), receiver.url);
  const doomed: DoomedWorker[] = [];
  const redisUrl = await testRedisUrl();
  const published: ProducerEvent[] = [];
  let sequence = 0;
  try {
    return await play({
      kind,
      rig,
      ledger,
      receiver,
      destination,
      async doom(command, call) {
        const worker = await startDoomedWorker({
          kind,
          redisUrl,
          queuePrefix: rig.queuePrefix,
          scheduleMs,
          command,
          call,
        });
        doomed.push(worker);
        return worker;
      },
      async publish(count, more = {}) {
        const made = Array.from({ length: count }, () => {
          sequence += 1;
          return anEvent(kind, sequence, more.id === undefined ? {} : { id: `${more.id}-${sequence}` });
        });
        const events = made.map(({ event }) => event);
        published.push(...events);
        await rig.publish(events, destination);
        ledger.accept(made.map(({ key }) => key));
      },
      repeat: () => rig.publish(published, destination),
    });
  } finally {
    for (const worker of doomed) worker.kill();
    await rig.close();
    await receiver.close();
  }
}

/** An event, and its key in the ledger. */
function anEvent(kind: Mechanism, sequence: number, more: { readonly id?: string }) {
  const email = `r${sequence}@example.com`;
  if (kind === 'campaign') return { event: aCampaignEvent({ email, ...more }), key: email };
  const messageId = `<${sequence}@x>`;
  return { event: anOpen({ messageId, ...more }), key: `/ ${messageId}` };
}

/**
 * Another worker finishes the dead worker's work: no event is missing, no work is left, and duplicates keep their
 * `webhook-id`.
 */
async function survives({ kind, rig, ledger }: Scene): Promise<void> {
  await rig.startWorker();
  const state = readEngineState(rig.redis, rig.queuePrefix, kind);
  await ledger.untilWhole(30_000);
  await untilOver([state]);
  expect(ledger.delivered).toBe(ledger.accepted);
  expect(ledger.renamed).toEqual([]);
}

/** Resolves when the destination's dead letters hold `events` events in all. */
async function isGivenUp(scene: Scene, events: number): Promise<void> {
  const { account } = scene.destination;
  const dead = async () =>
    (await scene.rig.deadLetters.list({ account }, { limit: 1000 })).items.reduce((sum, one) => sum + one.events, 0);
  await eventually(async () => (await dead()) === events, { withinMs: 30_000, what: `${events} dead events` });
}

const died = (worker: DoomedWorker) => expect(worker.died).resolves.toBe('SIGKILL');

/** For each function, the steps that make a worker call it while events are in flight. */
const PLAYS: readonly (readonly [string, (scene: Scene) => Promise<void>])[] = [
  ...(['append', 'next', 'heartbeat'] as const).map(
    (script) =>
      [
        script,
        async (scene: Scene) => {
          const worker = await scene.doom(script, random.between(1, 3));
          for (let i = 0; i < 6; i += 1) await scene.publish(EVENTS, { id: 'once' });
          await died(worker);
          await survives(scene);
        },
      ] as const,
  ),
  [
    'claim-ids (its ids are sent again)',
    async (scene) => {
      // Right after one of the claims of the first job, before an append.
      const worker = await scene.doom('claim-ids', random.between(1, 2));
      await scene.publish(3 * EVENTS, { id: 'once' });
      await died(worker);
      expect(scene.ledger.delivered).toBe(0);
      await survives(scene);
      const { duplicates } = scene.ledger;
      await scene.repeat();
      await scene.publish(EVENTS, { id: 'once' });
      await eventually(() => scene.ledger.outstanding === 0, { what: 'the events with new ids' });
      expect(scene.ledger.duplicates).toBe(duplicates);
    },
  ],
  [
    'next (an event has a mailbox to itself)',
    async (scene) => {
      const worker = await scene.doom('next', 1);
      await scene.publish(1);
      await died(worker);
      await survives(scene);
    },
  ],
  ...(['wake', 'take'] as const).map(
    (script) =>
      [
        `${script} (a resend is due)`,
        async (scene: Scene) => {
          scene.receiver.treat(() => ({ delayMs: 0, status: 500 }));
          const worker = await scene.doom(script, 1);
          // Few requests. A destination that still has new events when a resend is due has an owner, so nobody calls
          // these functions.
          await scene.publish(scene.kind === 'campaign' ? EVENTS : 1);
          await died(worker);
          scene.receiver.treat(() => ({ delayMs: 0 }));
          await survives(scene);
        },
      ] as const,
  ),
  [
    'give-up-step (an inactive destination is given up)',
    async (scene) => {
      await scene.rig.registry.save({ ...scene.destination, active: false, inactiveReason: 'off', version: 2 });
      const worker = await scene.doom('give-up-step', 1);
      await scene.publish(2500);
      await died(worker);
      await scene.rig.startWorker();
      await isGivenUp(scene, 2500);
      expect(scene.ledger.delivered).toBe(0);
    },
  ],
  [
    'redrive (an operator retries a dead letter)',
    async (scene) => {
      await scene.rig.registry.save({ ...scene.destination, active: false, inactiveReason: 'off', version: 2 });
      const first = await scene.rig.startWorker();
      await scene.publish(EVENTS);
      await isGivenUp(scene, EVENTS);
      const { queuePrefix: prefix } = engineKeys(scene.rig.queuePrefix, 0, scene.kind);
      const queue = new Queue(engineQueues(scene.kind).deadLetters, { connection: scene.rig.redis, prefix });
      const letter = await eventually(async () => (await queue.getFailed())[0], { what: 'a dead letter on the board' });
      await first.close();
      await scene.rig.registry.save({ ...scene.destination, version: 3 });
      const worker = await scene.doom('redrive', 1);
      await letter.retry('failed');
      await died(worker);
      await queue.close();
      await survives(scene);
    },
  ],
  [
    'abandon (a destination whose owner is forgotten)',
    async (scene) => {
      const { rig, destination } = scene;
      const keys = engineKeys(rig.queuePrefix, 0, scene.kind);
      const control = createDestinationControl(rig.installation);
      await control.pause(destination.id, Date.now() + 3_600_000);
      const first = await rig.startWorker();
      await scene.publish(EVENTS);
      await eventually(async () => (await rig.mailbox(destination.id)).state.fresh === EVENTS, { what: 'all events' });
      await first.close();
      await control.resume(destination.id);
      const limits = { batchMax: 100, windowMax: 4, maxAgeMs: 3_600_000 };
      await createMailboxCommands(rig.redis, keys).take('wforgotten', 1, { proven: 1, others: 1 }, limits);
      await rig.redis.zrem(keys.workers, 'wforgotten');
      const worker = await scene.doom('abandon', 1);
      await died(worker);
      await survives(scene);
    },
  ],
];

const SCENES = PLAYS.flatMap(([name, play]) =>
  (['campaign', 'transactional'] as const).map((kind) => ({ name: `${kind}, ${name}`, kind, play })),
);

/** Scenes mostly wait for leases to end, so a few run at a time. */
const AT_ONCE = 5;

describe('a worker dies right after a function', () => {
  const ends = new Map<string, Promise<void>>();
  beforeAll(async () => {
    await testRedisUrl();
    const lanes: Promise<unknown>[] = Array.from({ length: AT_ONCE }, () => Promise.resolve());
    for (const [i, { name, kind, play }] of SCENES.entries()) {
      const lane = i % AT_ONCE;
      const end = (lanes[lane] as Promise<unknown>).then(() => inScene(kind, play));
      end.catch(() => undefined);
      ends.set(name, end);
      lanes[lane] = end.catch(() => undefined);
    }
  }, 120_000);

  test.each(SCENES.map(({ name }) => name))('%s: nothing is lost', (name) => ends.get(name), 120_000);
});
