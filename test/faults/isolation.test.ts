import type { Mechanism } from '@mailhook/core';
import { aCampaignEvent, anOpen, eventually, uniqueName } from '@mailhook/testing';
import { startRig } from '../engine/rig.ts';
import { startCountingReceiver } from './rig/counting-receiver.ts';
import { createLedger } from './rig/ledger.ts';
import { createRandom, runSeed } from './rig/random.ts';

const DESTINATIONS = 100;
/** Far beyond the test: a slot that waits for a hanging receiver is lost for good. */
const NEVER_MS = 600_000;

interface World {
  readonly kind: Mechanism;
  readonly hanging: number;
  readonly slots: number;
  /** Fewer than hang. */
  readonly ownedMax?: number;
  /** Less than the hanging receivers' batches. */
  readonly inFlightCharsMax?: number;
}

/**
 * Publishes to 100 destinations, of which some never answer, 300 events in every round, and awaits that all of the healthy ones' mail is
 * delivered while not one hanging request has ended: a pool that any number of hanging receivers could fill would never get there.
 */
async function healthyMailArrives({ kind, hanging, ...limits }: World): Promise<void> {
  const random = createRandom(runSeed());
  const ledger = createLedger();
  const isHanging = (path: string): boolean => Number(path.slice(1)) < hanging;
  const receiver = await startCountingReceiver(ledger, (path) => ({ delayMs: 0, hangs: isHanging(path) }));
  const rig = await startRig({ kind, timeoutMs: NEVER_MS, limits });
  try {
    await rig.startWorker();
    const destinations = await Promise.all(
      Array.from({ length: DESTINATIONS }, (_, i) => rig.destination(uniqueName('account'), `${receiver.url}/${i}`)),
    );
    const accepted = new Set<number>();
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(
        random.shuffled(destinations).map(async (destination) => {
          const i = destinations.indexOf(destination);
          const made = Array.from({ length: 3 }, (_, n) => anEvent(kind, `${i}.${round}.${n}`));
          await rig.publish(
            made.map(({ event }) => event),
            destination,
          );
          accepted.add(i);
          if (!isHanging(`/${i}`)) ledger.accept(made.map(({ key }) => (kind === 'campaign' ? key : `/${i} ${key}`)));
        }),
      );
    }
    await eventually(() => ledger.outstanding === 0, {
      withinMs: 30_000,
      what: `all mail of the ${DESTINATIONS - hanging} healthy destinations (such as ${ledger.missing(3).join(', ')})`,
    });
    expect(accepted.size).toBe(DESTINATIONS);
    expect(ledger.accepted).toBe((DESTINATIONS - hanging) * 15);
    expect(ledger.duplicates).toBe(0);
    // The hanging ones did get their requests, one each, and hold them still.
    await eventually(() => [...receiver.peaks.keys()].filter(isHanging).length === hanging, {
      withinMs: 30_000,
      what: `a request at each of the ${hanging} hanging receivers`,
    });
  } finally {
    await receiver.close();
    await rig.close();
  }
}

function anEvent(kind: Mechanism, name: string) {
  const email = `r${name}@example.com`;
  return kind === 'campaign'
    ? { event: aCampaignEvent({ email }), key: email }
    : { event: anOpen({ messageId: `<${name}@x>` }), key: `<${name}@x>` };
}

describe('one receiver cannot hurt another: 100 destinations', () => {
  test.each<World>([
    { kind: 'transactional', hanging: 10, slots: 4 },
    { kind: 'transactional', hanging: 30, slots: 4 },
    { kind: 'transactional', hanging: 90, slots: 4 },
    { kind: 'campaign', hanging: 10, slots: 4 },
    { kind: 'campaign', hanging: 30, slots: 4 },
    { kind: 'campaign', hanging: 90, slots: 4 },
    { kind: 'transactional', hanging: 80, slots: 4, ownedMax: 16 },
    { kind: 'campaign', hanging: 80, slots: 4, ownedMax: 16 },
    { kind: 'transactional', hanging: 80, slots: 4, inFlightCharsMax: 4000 },
    { kind: 'campaign', hanging: 80, slots: 4, inFlightCharsMax: 8000 },
  ])(
    '$kind, $hanging hanging, limits $slots $ownedMax $inFlightCharsMax: all healthy mail is delivered',
    (world) => healthyMailArrives(world),
    90_000,
  );
});
