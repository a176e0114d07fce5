import type { FaultReport } from './fault-report.ts';
import type { Repeat } from './ledger.ts';
import type { Customer } from './load.ts';

/** What the faults of a run explain. */
export interface Explained {
  /** Events that arrived again, by fault. */
  readonly byFault: ReadonlyMap<FaultReport, readonly Repeat[]>;
  /** Events that arrived again though no fault met them in flight. */
  readonly unexplained: readonly Repeat[];
}

/** A request in flight at a fault may be acknowledged so much later, or its acknowledgement may have been waiting so long for its settle. */
const REQUEST_MS = 10_000;

/**
 * Explains every event that arrived again by a fault that met it in flight: the result of its attempt was lost, so the attempt was made again. A fault
 * explains, per destination, at most as many events as were in flight there.
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
  const left = reports.map(({ eventsOf }) => new Map(eventsOf));
  const byFault = new Map<FaultReport, Repeat[]>();
  const unexplained: Repeat[] = [];
  for (const repeat of repeats) {
    const destination = destinationOf.get(repeat.path) ?? '';
    const at = reports.findIndex(
      ({ fromMs, untilMs }, i) =>
        (left[i]?.get(destination) ?? 0) > 0 &&
        repeat.againMs >= fromMs &&
        repeat.beforeMs >= fromMs - REQUEST_MS &&
        repeat.beforeMs <= untilMs + REQUEST_MS,
    );
    const report = reports[at];
    if (report === undefined) {
      unexplained.push(repeat);
      continue;
    }
    left[at]?.set(destination, (left[at].get(destination) ?? 0) - 1);
    byFault.set(report, [...(byFault.get(report) ?? []), repeat]);
  }
  return { byFault, unexplained };
}
