import { aCampaignEvent, anOpen, eventually, uniqueName } from '@mailhook/testing';
import type { Mechanism } from '@mailhook/core';
import type { Rig } from '../engine/rig.ts';
import { startRig } from '../engine/rig.ts';
import type { CountingReceiver } from './rig/counting-receiver.ts';
import { startCountingReceiver } from './rig/counting-receiver.ts';
import { isOver, readEngineState } from './rig/engine-state.ts';
import type { EngineState } from './rig/engine-state.ts';
import { createLedger } from './rig/ledger.ts';
import type { Ledger } from './rig/ledger.ts';

const DESTINATIONS = 4;

describe.each([
  { kind: 'campaign', inFlightMax: 4, batchMax: 50, events: 2000 },
  { kind: 'transactional', inFlightMax: 16, batchMax: 1, events: 400 },
] as const)('two $kind workers at once', ({ kind, inFlightMax, batchMax, events }) => {
  let rig: Rig;
  let ledger: Ledger;
  let receiver: CountingReceiver;

  beforeAll(async () => {
    ledger = createLedger();
    receiver = await startCountingReceiver(ledger, () => ({ delayMs: 15 }));
    // Few slots and short slices make the destinations change hands all the time.
    rig = await startRig({ kind, timeoutMs: 30_000, limits: { slots: 1, sliceMs: 120, batchMax } });
    await Promise.all([rig.startWorker(), rig.startWorker()]);
  });
  afterAll(async () => {
    await rig.close();
    await receiver.close();
  });

  test(`every event arrives once, each destination has at most ${inFlightMax} requests in flight`, async () => {
    const destinations = await Promise.all(
      Array.from({ length: DESTINATIONS }, (_, i) =>
        rig.destination(uniqueName('account'), `${receiver.url}/${i}`, {}),
      ),
    );
    const state = readEngineState(rig.redis, rig.queuePrefix, kind);
    const watch = watchOwners(state);
    // A worker releases an empty mailbox, so each part finds its destinations without an owner.
    for (let part = 0; part < 4; part += 1) {
      await Promise.all(
        destinations.map(async (destination, i) => {
          const made = Array.from({ length: events / 4 }, (_, n) => anEvent(kind, `${i}.${part}.${n}`));
          await rig.publish(
            made.map(({ event }) => event),
            destination,
          );
          ledger.accept(made.map(({ key }) => (kind === 'campaign' ? key : `/${i} ${key}`)));
        }),
      );
      await ledger.untilWhole(60_000);
    }
    await eventually(async () => isOver(await state.remains()), { what: 'the end of all work' });
    const owners = await watch.stop();
    expect(ledger.duplicates).toBe(0);
    expect(Math.max(...receiver.peaks.values())).toBeLessThanOrEqual(inFlightMax);
    // Otherwise this test shows nothing: several requests were in flight at once, and destinations changed hands.
    expect(Math.max(...receiver.peaks.values())).toBeGreaterThan(1);
    expect(owners).toBeGreaterThan(DESTINATIONS);
  }, 90_000);
});

function anEvent(kind: Mechanism, name: string) {
  if (kind === 'campaign')
    return { event: aCampaignEvent({ email: `r${name}@example.com` }), key: `r${name}@example.com` };
  return { event: anOpen({ messageId: `<${name}@x>` }), key: `<${name}@x>` };
}

/** Reads Redis continuously. `stop` resolves with the number of ownerships that were seen. */
function watchOwners(state: EngineState) {
  const tokens = new Set<string>();
  const watching = new AbortController();
  const reading = (async () => {
    while (!watching.signal.aborted) {
      for (const [destination, token] of await state.owners()) tokens.add(`${destination} ${token}`);
    }
  })();
  return {
    async stop(): Promise<number> {
      watching.abort();
      await reading;
      return tokens.size;
    },
  };
}
