import type { FaultReport } from './fault-report.ts';
import type { Repeat } from './ledger.ts';
import type { Customer } from './load.ts';

/** Which duplicates the faults of a run explain. */
export interface Explained {
  /** Duplicates, by the fault that explains them. */
  readonly byFault: ReadonlyMap<FaultReport, readonly Repeat[]>;
  /**
   * Duplicates that no fault met in flight. `near` names the faults that may have caused each, and how many events they
   * met at its destination.
   */
  readonly unexplained: readonly (Repeat & { readonly near: readonly string[] })[];
}

/**
 * How long before or after a fault the first arrival may be: a request may be answered late, and a settle may come
 * late.
 */
const REQUEST_MS = 10_000;

/**
 * Explains each duplicate by a fault that met the event in flight. The attempt's result was lost, so the worker made
 * the attempt again. Per destination, a fault explains at most as many duplicates as events were in flight there. Among
 * several faults, the nearest in time explains the duplicate.
 */
export function explainRepeats(
  repeats: readonly Repeat[],
  reports: readonly FaultReport[],
  customers: readonly Customer[],
): Explained {
  const destinationOf = new Map(
    customers.flatMap(({ account, subscription, notificationPath, campaignPath }) => [
      [notificationPath, subscription],
      [campaignPath, `campaign-${account}`],
    ]),
  );
  const left = new Map(reports.map((report) => [report, new Map(report.eventsOf)]));
  const leftOf = (report: FaultReport, destination: string): number => left.get(report)?.get(destination) ?? 0;
  const byFault = new Map<FaultReport, Repeat[]>();
  const unexplained: Explained['unexplained'][number][] = [];
  for (const repeat of repeats) {
    const destination = destinationOf.get(repeat.path) ?? '';
    const near = reports
      .filter((report) => mayExplain(report, repeat))
      .sort((one, other) => distanceMs(one, repeat) - distanceMs(other, repeat));
    const nearest = near.find((report) => leftOf(report, destination) > 0);
    if (nearest === undefined) {
      const describe = (one: FaultReport): string =>
        `${one.fault}, ${Math.round(distanceMs(one, repeat))} ms away, met ${one.eventsOf.get(destination) ?? 0}`;
      unexplained.push({ ...repeat, near: near.map(describe) });
      continue;
    }
    left.get(nearest)?.set(destination, leftOf(nearest, destination) - 1);
    byFault.set(nearest, [...(byFault.get(nearest) ?? []), repeat]);
  }
  return { byFault, unexplained };
}

const mayExplain = ({ fromMs, untilMs }: FaultReport, { beforeMs, againMs }: Repeat): boolean =>
  againMs >= fromMs && beforeMs >= fromMs - REQUEST_MS && beforeMs <= untilMs + REQUEST_MS;

/** The time between the first arrival and the fault. */
const distanceMs = ({ fromMs, untilMs }: FaultReport, { beforeMs }: Repeat): number =>
  Math.max(0, fromMs - beforeMs, beforeMs - untilMs);
