import type { Mechanism } from '@mailhook/core';
import { aCampaignEvent, allAtOnce, anOpen, eventually, uniqueName } from '@mailhook/testing';
import { GATHERING_SLOTS } from '../../packages/delivery/src/deliver/limits.ts';
import { startRig } from '../engine/rig.ts';
import { startCountingReceiver } from './rig/counting-receiver.ts';
import { createLedger } from './rig/ledger.ts';
import { createRandom, runSeed } from './rig/random.ts';
import { variants } from './rig/variants.ts';

const DESTINATIONS = 100;
/** Far beyond the test, so that a slot behind a hanging receiver never becomes free. */
const NEVER_MS = 600_000;

interface World {
  readonly kind: Mechanism;
  readonly hanging: number;
  /** The most destinations that the worker may own. Fewer than the hanging ones. */
  readonly ownedMax?: number;
  /** The most characters that the worker may have in flight. Less than the hanging receivers' batches. */
  readonly inFlightCharsMax?: number;
}

/**
 * Publishes 300 events per round to 100 destinations, of which some never answer. Awaits the delivery of all events of
 * healthy destinations while every hanging request still hangs. A pool that hanging receivers can fill would never get
 * there.
 */
async function healthyEventsArrive({ kind, hanging, ...limits }: World): Promise<void> {
  const random = createRandom(runSeed());
  const ledger = createLedger();
  const isHanging = (path: string): boolean => Number(path.slice(1)) < hanging;
  const receiver = await startCountingReceiver(ledger, (path) => ({ delayMs: 0, hangs: isHanging(path) }));
  // For four destinations at a time.
  const slots = 4 * (kind === 'campaign' ? GATHERING_SLOTS : 1);
  const rig = await startRig({ kind, timeoutMs: NEVER_MS, limits: { slots, ...limits } });
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
      what:
        `all events of the ${DESTINATIONS - hanging} healthy destinations with ${JSON.stringify(limits)} (such as ` +
        `${ledger.missing(3).join(', ')})`,
    });
    expect(accepted.size).toBe(DESTINATIONS);
    expect(ledger.accepted).toBe((DESTINATIONS - hanging) * 15);
    // A process that stalls for seconds may end requests early, before it reads their replies.
    expect(ledger.duplicates).toBeLessThanOrEqual(ledger.accepted * 0.05);
    expect(ledger.renamed).toEqual([]);
    // Each hanging receiver has its request and still holds it.
    await eventually(() => [...receiver.peaks.keys()].filter(isHanging).length === hanging, {
      withinMs: 30_000,
      what: `a request at each of the ${hanging} hanging receivers with ${JSON.stringify(limits)}`,
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
  // These cases mostly wait, so they run at the same time.
  test.each(['transactional', 'campaign'] as const)(
    '%s: 10, 30 or 90 receivers hang, and all events of the others are delivered',
    (kind) => allAtOnce([10, 30, 90].map((hanging) => healthyEventsArrive({ kind, hanging }))),
    90_000,
  );

  // One case at a time, because under more load the crowded pool would cut slow requests to healthy receivers.
  test.each(
    variants(
      [
        { kind: 'transactional', ownedMax: 16 },
        { kind: 'campaign', inFlightCharsMax: 16_000 },
        { kind: 'transactional', inFlightCharsMax: 4000 },
        { kind: 'campaign', ownedMax: 16 },
      ] as const,
      2,
    ),
  )(
    '%j: 80 receivers hang in a crowded pool, and all events of the others are delivered',
    (crowd) => healthyEventsArrive({ ...crowd, hanging: 80 }),
    90_000,
  );
});
