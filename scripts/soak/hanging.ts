import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '@mailhook/testing';
import { startCountingReceiver } from '../../test/faults/rig/counting-receiver.ts';
import { createLedger } from '../../test/faults/rig/ledger.ts';
import type { Ledger } from '../../test/faults/rig/ledger.ts';
import { createCustomers, post, startLoad } from '../../test/faults/rig/load.ts';
import type { Customer } from '../../test/faults/rig/load.ts';
import { createRandom } from '../../test/faults/rig/random.ts';
import { startStack } from '../../test/faults/rig/stack.ts';
import type { Stack } from '../../test/faults/rig/stack.ts';
import type { Terminal } from '../terminal.ts';
import { percentile } from './samples.ts';

/** The number of healthy customers, each with two destinations. */
const HEALTHY = 50;
const EVENTS_PER_SECOND = 300;
const MEASURED_MS = 15_000;
const CUSTOMERS_AT_ONCE = 50;
const LAST_MAIL_MS = 60_000;

export interface HangingSoakOptions {
  /** The number of destinations that never answer. */
  readonly hanging: number;
  readonly seed: number;
  readonly terminal: Terminal;
}

/**
 * Measures healthy traffic without and with receivers that never answer. Resolves with `true` if all events of healthy
 * customers arrived.
 */
export async function soakHanging({ hanging, seed, terminal }: HangingSoakOptions): Promise<boolean> {
  terminal.line(`${hanging} hanging destinations beside ${HEALTHY * 2} healthy ones, seed ${seed}`);
  const watched = watchLatency(createLedger());
  const hangs = (path: string): boolean => Number(path.slice(2)) >= HEALTHY;
  const receiver = await startCountingReceiver(watched.ledger, (path) => ({ delayMs: 2, hangs: hangs(path) }));
  const stack = await startStack({
    workers: { 'transactional-notifier': 1, 'campaign-batcher': 1 },
    appendfsync: 'everysec',
  });
  try {
    const healthy = await createCustomers(stack, receiver.url, HEALTHY);
    const sick: Customer[] = [];
    while (sick.length < hanging / 2) {
      const count = Math.min(CUSTOMERS_AT_ONCE, Math.ceil(hanging / 2) - sick.length);
      sick.push(...(await createCustomers(stack, receiver.url, count, HEALTHY + sick.length)));
      terminal.progress(`  ${sick.length * 2} of ${hanging} hanging destinations made `);
    }
    const phase = async (name: string, series: string): Promise<boolean> => {
      const { ledger, latenciesMs } = watched;
      latenciesMs.length = 0;
      const random = createRandom(seed);
      const common = { stack, ledger, random, customers: healthy, series, everyMs: 50 };
      const load = startLoad({
        ...common,
        notifications: EVENTS_PER_SECOND / 40,
        campaignEvents: EVENTS_PER_SECOND / 40,
      });
      await wait(MEASURED_MS);
      await load.stop();
      const isWhole = await eventually(() => ledger.outstanding === 0, { withinMs: LAST_MAIL_MS, what: name }).catch(
        () => false,
      );
      const [p50, p99] = [0.5, 0.99].map((share) => percentile(latenciesMs, share).toFixed(0));
      terminal.line(
        `  ${name.padEnd(22)}${ledger.outstanding} missing, accepted to confirmed p50 ${p50} ms, p99 ${p99} ms`,
      );
      return isWhole;
    };
    const without = await phase('none hanging', 'a');
    await burden(stack, sick);
    return (await phase(`${hanging} hanging`, 'b')) && without;
  } finally {
    await stack.close();
    await receiver.close();
  }
}

/** Measures the time from a producer's 202 to the receiver's confirmation. 0 if the confirmation came first. */
function watchLatency(ledger: Ledger) {
  const acceptedAt = new Map<string, number>();
  const latenciesMs: number[] = [];
  const watched = Object.create(ledger) as Ledger;
  return {
    latenciesMs,
    ledger: Object.assign(watched, {
      accept(keys: readonly string[]): void {
        for (const key of keys) acceptedAt.set(key, performance.now());
        ledger.accept(keys);
      },
      confirm(key: string, webhookId: string): void {
        const from = acceptedAt.get(key);
        latenciesMs.push(from === undefined ? 0 : performance.now() - from);
        acceptedAt.delete(key);
        ledger.confirm(key, webhookId);
      },
    }),
  };
}

/** Sends three events to every hanging destination. */
async function burden(stack: Stack, sick: readonly Customer[]): Promise<void> {
  const time = Math.floor(Date.now() / 1000);
  const events = sick.flatMap(({ account }, i) =>
    [0, 1, 2].flatMap((n) => [
      { account, module: 'transactional_email', name: 'open', messageId: `<sick.${i}.${n}@x>`, time, ip: '192.0.2.7' },
      {
        account,
        module: 'campaign',
        event: 'open',
        campaign: 'aBcDeFgHiJ',
        email: `sick${i}.${n}@example.com`,
        timestamp: time,
      },
    ]),
  );
  for (let from = 0; from < events.length; from += 5000) await post(stack, events.slice(from, from + 5000));
}
