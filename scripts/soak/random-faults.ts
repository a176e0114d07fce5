import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '@mailhook/testing';
import { startCountingReceiver } from '../../test/faults/rig/counting-receiver.ts';
import { isOver } from '../../test/faults/rig/engine-state.ts';
import { FAULTS, inflictFault } from '../../test/faults/rig/faults.ts';
import type { FaultName, FaultReport } from '../../test/faults/rig/faults.ts';
import { createLedger } from '../../test/faults/rig/ledger.ts';
import type { Ledger } from '../../test/faults/rig/ledger.ts';
import { createCustomers, startLoad } from '../../test/faults/rig/load.ts';
import type { Load } from '../../test/faults/rig/load.ts';
import { createRandom } from '../../test/faults/rig/random.ts';
import type { Random } from '../../test/faults/rig/random.ts';
import { startStack } from '../../test/faults/rig/stack.ts';
import type { Stack } from '../../test/faults/rig/stack.ts';
import type { Terminal } from '../terminal.ts';
import { percentile, startSamples } from './samples.ts';

export interface FaultSoakOptions {
  readonly minutes: number;
  /** Events a second. */
  readonly rate: number;
  readonly appendfsync: 'always' | 'everysec';
  readonly seed: number;
  readonly terminal: Terminal;
}

interface Run {
  readonly stack: Stack;
  readonly ledger: Ledger;
  readonly load: Load;
  readonly random: Random;
  readonly recoveriesMs: Map<FaultName, number[]>;
  readonly reports: FaultReport[];
}

const DESTINATIONS = 20;
const REQUEST_EVERY_MS = 100;
const NOTIFICATIONS_SHARE = 0.2;
const PAUSE_MS = { min: 500, max: 5000 };
const LAST_MAIL_MS = 300_000;

/**
 * Random faults at random times under load: kills of every process, cuts, stalls and pauses.
 * Resolves with whether everything held: nothing missing, nothing renamed, nothing left.
 */
export async function soakFaults(options: FaultSoakOptions): Promise<boolean> {
  const { minutes, rate, appendfsync, seed, terminal } = options;
  terminal.line(`Random faults for ${minutes} min at ${rate} events/s, appendfsync ${appendfsync}, seed ${seed}`);
  const random = createRandom(seed);
  const ledger = createLedger();
  const receiver = await startCountingReceiver(ledger, () => ({
    delayMs: random.between(5, 50),
    ...(random.next() < 0.02 ? { status: 500 } : {}),
  }));
  const stack = await startStack({
    workers: { 'transactional-notifier': 2, 'campaign-batcher': 2 },
    appendfsync,
    env: { RETRY_SCHEDULE: Array.from({ length: 50 }, () => '500ms').join(','), BREAKER_FAILURES: '1000' },
  });
  try {
    const customers = await createCustomers(stack, receiver.url, DESTINATIONS / 2);
    const perRequest = Math.max(1, Math.round((rate * REQUEST_EVERY_MS) / 1000));
    const notifications = Math.round(perRequest * NOTIFICATIONS_SHARE);
    const campaignEvents = perRequest - notifications;
    const common = { stack, ledger, random, customers, series: 's', everyMs: REQUEST_EVERY_MS };
    const load = startLoad({ ...common, notifications, campaignEvents });
    const run: Run = { stack, ledger, load, random, recoveriesMs: new Map(), reports: [] };
    const samples = startSamples(() => [
      { name: 'api', pid: stack.api.pid },
      ...stack.workers.map(({ name, process: child }) => ({ name, pid: child.pid })),
      { name: 'redis', pid: stack.redis.pid },
    ]);
    await inflictFaults(run, minutes * 60_000, terminal);
    await load.stop();
    const isSound = await ends(run, terminal);
    samples.stop();
    report(run, samples.memory(), terminal);
    return isSound;
  } finally {
    await stack.close();
    await receiver.close();
  }
}

async function inflictFaults(run: Run, forMs: number, terminal: Terminal): Promise<void> {
  const { stack, ledger, load, random, recoveriesMs, reports } = run;
  const endMs = performance.now() + forMs;
  const restarts: Promise<unknown>[] = [];
  const onRestart = (restart: Promise<unknown>): void => void restarts.push(restart);
  while (performance.now() < endMs) {
    await wait(random.between(PAUSE_MS.min, PAUSE_MS.max));
    const fault = random.pick(FAULTS);
    reports.push(await inflictFault(fault, { stack, ledger, load, random, onRestart }));
    void ledger.caughtUp().then((ms) => recoveriesMs.set(fault, [...(recoveriesMs.get(fault) ?? []), ms]));
    terminal.progress(
      `  ${Math.ceil((endMs - performance.now()) / 1000)} s left, ${reports.length} faults, ${ledger.accepted} accepted, ${ledger.outstanding} under way, ${ledger.duplicates} twice `,
    );
  }
  await Promise.all(restarts);
}

async function ends({ stack, ledger, reports }: Run, terminal: Terminal): Promise<boolean> {
  const faults: string[] = [];
  const check = async (what: string, holds: () => boolean | Promise<boolean>): Promise<void> => {
    await eventually(holds, { withinMs: LAST_MAIL_MS, what }).catch(() => faults.push(what));
  };
  await check('every accepted event arrived', () => ledger.outstanding === 0);
  for (const [name, state] of Object.entries(stack.state))
    await check(`nothing is left at the ${name}`, async () => isOver(await state.remains()));
  if (ledger.renamed.length > 0) faults.push('what came twice came under the same webhook-id');
  if (reports.some(({ acceptedDuring }) => (acceptedDuring ?? 0) > 0)) faults.push('no 202 while Redis was paused');
  for (const fault of faults)
    terminal.warn(`  NOT SO: ${fault} (${ledger.missing(5).join(', ')} ${ledger.renamed.slice(0, 3).join('; ')})`);
  return faults.length === 0;
}

function report(run: Run, memory: ReturnType<ReturnType<typeof startSamples>['memory']>, terminal: Terminal): void {
  const { ledger, load, reports, recoveriesMs, stack } = run;
  const kills = reports.reduce((sum, one) => sum + one.kills, 0);
  const line = (name: string, text: string) => terminal.line(`  ${name.padEnd(26)}${text}`);
  line('accepted', `${ledger.accepted} events (${load.refused} requests refused or cut short)`);
  line('missing', String(ledger.outstanding));
  line(
    'delivered',
    `${ledger.delivered} different, ${ledger.duplicates} twice or more, ${ledger.renamed.length} of them renamed`,
  );
  line('faults', `${reports.length}, among them ${kills} SIGKILLs`);
  terminal.line('  until all that was accepted before the end of a fault had arrived, ms (p50, max):');
  for (const [fault, all] of [...recoveriesMs].sort())
    line(`  ${fault} (${all.length})`, `${percentile(all, 0.5)}, ${Math.max(...all)}`);
  line('repairs', stack.repairs.size === 0 ? 'none' : [...stack.repairs].map(([name, n]) => `${name} ${n}`).join(', '));
  terminal.line('  resident memory, MB (first, highest, last):');
  for (const { name, firstMb, highestMb, lastMb } of memory) line(`  ${name}`, `${firstMb}, ${highestMb}, ${lastMb}`);
}
