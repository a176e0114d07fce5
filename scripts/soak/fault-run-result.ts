import { execFileSync } from 'node:child_process';
import type { CountingReceiver } from '../../test/faults/rig/counting-receiver.ts';
import { explainRepeats } from '../../test/faults/rig/explain-repeats.ts';
import type { FaultReport } from '../../test/faults/rig/fault-report.ts';
import type { FaultName } from '../../test/faults/rig/faults.ts';
import type { Ledger } from '../../test/faults/rig/ledger.ts';
import type { Customer } from '../../test/faults/rig/load.ts';
import type { Stack } from '../../test/faults/rig/stack.ts';
import type { Terminal } from '../terminal.ts';
import type { Samples } from './samples.ts';
import { percentile } from './samples.ts';

export interface FaultRunOptions {
  /** The least number of accepted events. */
  readonly events: number;
  /** The number of processes to kill with SIGKILL. */
  readonly kills: number;
  /** The most events per second. */
  readonly rate: number;
  readonly appendfsync: 'always' | 'everysec';
  readonly seed: number;
  readonly terminal: Terminal;
}

/** The data of a run, for its result. */
export interface FaultRun {
  readonly options: FaultRunOptions;
  readonly stack: Stack;
  readonly ledger: Ledger;
  readonly receiver: CountingReceiver;
  readonly customers: readonly Customer[];
  readonly reports: FaultReport<FaultName>[];
  /** By fault, the times until all events accepted before its end for healthy receivers had arrived. */
  readonly recoveriesMs: Map<FaultName, number[]>;
  /** Broken guarantees and failed steps, in sentences. */
  readonly violations: string[];
  readonly startedAtMs: number;
  /** `events` may be accepted before the next fault. `ticks` counts how often the load asked to send beyond them. */
  readonly pace: { events: number; ticks: number };
}

/** The result of a run, as it is printed and written to a file. */
export interface FaultRunResult {
  readonly command: string;
  readonly commit: string;
  readonly seed: number;
  readonly minutes: number;
  readonly accepted: number;
  readonly missing: number;
  /** Distinct acknowledged events, even those without a 202, because a lost 202 does not lose the event. */
  readonly delivered: number;
  readonly duplicates: number;
  readonly unexplained: number;
  readonly renamed: number;
  /** Events in dead letters before the redrive, which must deliver all of them. */
  readonly deadEvents: number;
  readonly requests: number;
  /** Requests that receivers refused or did not answer. */
  readonly refusals: number;
  readonly resends: number;
  /** Producers' requests without a 202. */
  readonly refusedRequests: number;
  readonly kills: number;
  readonly faults: readonly FaultRow[];
  readonly repairs: Readonly<Record<string, number>>;
  readonly memory: ReturnType<Samples['memory']>;
  readonly violations: readonly string[];
}

interface FaultRow {
  readonly fault: FaultName;
  readonly times: number;
  readonly kills: number;
  /** Events in flight at all faults of this kind together. */
  readonly eventsInFlight: number;
  /** The duplicates that these faults explain. */
  readonly twice: number;
  /**
   * From a fault's end until all events accepted before it for healthy receivers had arrived: median and longest. Null
   * if that never happened.
   */
  readonly recoveryMs: { readonly p50: number; readonly max: number } | null;
}

export function resultOf(
  run: FaultRun,
  more: Pick<FaultRunResult, 'deadEvents' | 'refusedRequests' | 'memory'>,
): FaultRunResult {
  const { options, stack, ledger, receiver, customers, reports, violations, startedAtMs } = run;
  const { byFault, unexplained } = explainRepeats(ledger.repeats, reports, customers);
  const names = [...new Set(reports.map(({ fault }) => fault))].sort();
  const own = stack.endedThemselves.filter((words) => !words.includes('SIGKILL'));
  const unlessEmpty = (texts: readonly string[], what: string): string[] =>
    texts.length === 0 ? [] : [`${texts.length} ${what}: ${texts.slice(0, 3).join('; ')}`];
  return {
    command:
      `npx mailhook faults --events ${options.events} --kills ${options.kills} --rate ${options.rate} --appendfsync ` +
      `${options.appendfsync} --seed ${options.seed}`,
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
    seed: options.seed,
    minutes: Math.round((performance.now() - startedAtMs) / 6000) / 10,
    accepted: ledger.accepted,
    missing: ledger.outstanding,
    delivered: ledger.delivered,
    duplicates: ledger.duplicates,
    unexplained: unexplained.length,
    renamed: ledger.renamed.length,
    requests: receiver.requests,
    refusals: receiver.refusals,
    resends: receiver.resends,
    ...more,
    kills: reports.reduce((sum, one) => sum + one.kills, 0),
    faults: names.map((fault) => {
      const these = reports.filter((one) => one.fault === fault);
      const recoveries = run.recoveriesMs.get(fault) ?? [];
      return {
        fault,
        times: these.length,
        kills: these.reduce((sum, one) => sum + one.kills, 0),
        eventsInFlight: these.flatMap(({ eventsOf }) => [...eventsOf.values()]).reduce((sum, one) => sum + one, 0),
        twice: these.reduce((sum, one) => sum + (byFault.get(one)?.length ?? 0), 0),
        recoveryMs: recoveries.length === 0 ? null : { p50: percentile(recoveries, 0.5), max: Math.max(...recoveries) },
      };
    }),
    repairs: Object.fromEntries(stack.repairs),
    violations: [
      ...violations,
      ...(reports.some(({ acceptedDuring }) => (acceptedDuring ?? 0) > 0) ? ['a 202 while Redis was paused'] : []),
      ...unlessEmpty(ledger.renamed, 'events came again under another webhook-id'),
      ...unlessEmpty(
        unexplained.map((one) => JSON.stringify(one)),
        'events came twice without a fault that met them in flight',
      ),
      ...unlessEmpty(own, 'processes ended by themselves'),
    ],
  };
}

export function printResult(result: FaultRunResult, terminal: Terminal): void {
  const line = (name: string, text: string | number) => terminal.line(`  ${name.padEnd(28)}${text}`);
  line('command', result.command);
  line('commit, minutes', `${result.commit}, ${result.minutes}`);
  line('accepted', `${result.accepted} events (${result.refusedRequests} requests got no 202)`);
  line('missing', result.missing);
  line('delivered', `${result.delivered} different events in ${result.requests} requests`);
  line('twice', `${result.duplicates}, ${result.unexplained} of them unexplained, ${result.renamed} renamed`);
  line('refused by receivers', `${result.refusals} requests; ${result.resends} requests were resends`);
  line('dead letters', `${result.deadEvents} events, all delivered by the redrive`);
  line('SIGKILLs', result.kills);
  terminal.line('\n  | fault | times | SIGKILLs | events in flight | came twice | recovery p50 / max, s |');
  terminal.line('  |---|---|---|---|---|---|');
  for (const { fault, times, kills, eventsInFlight, twice, recoveryMs } of result.faults) {
    const seconds =
      recoveryMs === null ? '-' : `${(recoveryMs.p50 / 1000).toFixed(1)} / ${(recoveryMs.max / 1000).toFixed(1)}`;
    terminal.line(`  | ${fault} | ${times} | ${kills} | ${eventsInFlight} | ${twice} | ${seconds} |`);
  }
  const repairs = Object.entries(result.repairs).map(([name, count]) => `${name} ${count}`);
  line('\n  repairs', repairs.length === 0 ? 'none' : repairs.join(', '));
  line('resident memory, MB', '(first, highest, last)');
  for (const { name, firstMb, highestMb, lastMb } of result.memory)
    line(`  ${name}`, `${firstMb}, ${highestMb}, ${lastMb}`);
  for (const violation of result.violations) terminal.warn(`  NOT SO: ${violation}`);
}
