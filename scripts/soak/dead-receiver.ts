import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '@mailhook/testing';
import { startCountingReceiver } from '../../test/faults/rig/counting-receiver.ts';
import type { CountingReceiver } from '../../test/faults/rig/counting-receiver.ts';
import { createLedger } from '../../test/faults/rig/ledger.ts';
import type { Ledger } from '../../test/faults/rig/ledger.ts';
import { createCustomers, post } from '../../test/faults/rig/load.ts';
import type { Customer } from '../../test/faults/rig/load.ts';
import { startStack } from '../../test/faults/rig/stack.ts';
import type { Stack } from '../../test/faults/rig/stack.ts';
import type { Terminal } from '../terminal.ts';
import { cpuSeconds, residentMb } from './samples.ts';

const PER_REQUEST = 10_000;
const IDLE_WATCHED_MS = 20_000;
/** The most events that may have been tried while the receiver was down. They have a separate schedule. */
const TRIED_MAX = 6000;
const PARK_MAX_MS = 20_000;
const PATIENCE_MS = 900_000;

interface World {
  readonly stack: Stack;
  readonly ledger: Ledger;
  readonly receiver: CountingReceiver;
  readonly customer: Customer;
  readonly terminal: Terminal;
}

/**
 * Lets events pile up for a receiver that is down, and then brings it back. Measures the memory of the backlog, the
 * workers' CPU time meanwhile, and how the backlog drains. Resolves with `true` if everything arrived.
 */
export async function soakDeadReceiver(options: {
  readonly events: number;
  readonly terminal: Terminal;
}): Promise<boolean> {
  const { events, terminal } = options;
  terminal.line(`A dead receiver with ${events} waiting events`);
  const ledger = createLedger();
  const receiver = await startCountingReceiver(ledger, () => ({ delayMs: 0, status: 503 }));
  const stack = await startStack({
    workers: { 'transactional-notifier': 1, 'campaign-batcher': 1 },
    appendfsync: 'everysec',
    env: { BREAKER_PARK_MAX: `${PARK_MAX_MS}ms` },
  });
  try {
    const [customer] = await createCustomers(stack, receiver.url, 1);
    if (customer === undefined) return false;
    const world: World = { stack, ledger, receiver, customer, terminal };
    await fill(world, events);
    await watchIdle(world);
    await recover(world);
    return ledger.outstanding === 0;
  } finally {
    await stack.close();
    await receiver.close();
  }
}

const line = ({ terminal }: Pick<World, 'terminal'>, name: string, text: string) =>
  terminal.line(`  ${name.padEnd(34)}${text}`);

async function fill(world: World, events: number): Promise<void> {
  const { stack, ledger, terminal } = world;
  const before = await usedBytes(stack);
  const startedAtMs = performance.now();
  let raw = 0;
  for (let from = 0; from < events; from += PER_REQUEST) {
    const some = Array.from({ length: Math.min(PER_REQUEST, events - from) }, (_, i) => anEvent(world, from + i));
    raw += JSON.stringify(some).length;
    if ((await post(stack, some)) !== 202) throw new Error('the api refused the events');
    ledger.accept(some.map(({ email }) => email));
    terminal.progress(`  ${from + some.length} of ${events} accepted `);
  }
  const state = stack.state['campaign-batcher'];
  await eventually(async () => (await state.remains()).chunks === 0, {
    withinMs: PATIENCE_MS,
    what: 'all mail in its mailbox',
  });
  const seconds = (performance.now() - startedAtMs) / 1000;
  const used = (await usedBytes(stack)) - before;
  line(world, 'accepted and stored', `${Math.round(events / seconds)} events/s`);
  line(
    world,
    'Redis bytes per waiting event',
    `${Math.round(used / events)} (JSON as sent: ${Math.round(raw / events)})`,
  );
}

const anEvent = ({ customer }: World, i: number) => ({
  account: customer.account,
  module: 'campaign',
  event: 'open',
  campaign: 'aBcDeFgHiJ',
  email: `recipient.${i}@example.com`,
  timestamp: 1_700_000_000 + (i % 100_000),
});

async function usedBytes(stack: Stack): Promise<number> {
  return Number(/used_memory:(\d+)/.exec(await stack.client.info('memory'))?.[1]);
}

async function watchIdle(world: World): Promise<void> {
  const { stack, receiver } = world;
  const processes = [
    ...stack.workers.map(({ name, process: child }) => ({ name, pid: child.pid })),
    { name: 'redis', pid: stack.redis.pid },
  ];
  const before = processes.map(({ pid }) => cpuSeconds(pid));
  const requests = receiver.requests;
  await wait(IDLE_WATCHED_MS);
  for (const [i, { name, pid }] of processes.entries()) {
    const share = ((cpuSeconds(pid) - (before[i] ?? 0)) / (IDLE_WATCHED_MS / 1000)) * 100;
    line(world, `parked: ${name}`, `${share.toFixed(1)} % of a core, ${residentMb(pid)} MB`);
  }
  line(world, 'parked: probes', `${receiver.requests - requests} in ${IDLE_WATCHED_MS / 1000} s`);
}

async function recover(world: World): Promise<void> {
  const { ledger, receiver, terminal } = world;
  const waiting = ledger.outstanding;
  const requestsBefore = receiver.requests;
  receiver.treat(() => ({ delayMs: 5 }));
  await eventually(() => ledger.delivered > 0, { withinMs: PATIENCE_MS, what: 'the first probe that succeeds' });
  const startedAtMs = performance.now();
  await wait(1000);
  const firstSecond = receiver.requests - requestsBefore;
  const untilLeft = async (left: number): Promise<number> => {
    await eventually(
      () => {
        terminal.progress(`  ${ledger.outstanding} left `);
        return ledger.outstanding <= left;
      },
      { withinMs: PATIENCE_MS, what: 'the backlog' },
    );
    return (performance.now() - startedAtMs) / 1000;
  };
  const bulk = Math.max(0, waiting - TRIED_MAX);
  const seconds = await untilLeft(waiting - bulk);
  line(world, 'drained', `${bulk} events in ${seconds.toFixed(1)} s, ${Math.round(bulk / seconds)} events/s`);
  line(world, 'the last event', `after ${(await untilLeft(0)).toFixed(1)} s: resends leave when their schedule says`);
  line(world, 'requests', `${receiver.requests - requestsBefore} in all, ${firstSecond} in the first second`);
  line(world, 'most requests at a time', String(Math.max(...receiver.peaks.values())));
  line(world, 'twice', String(ledger.duplicates));
}
