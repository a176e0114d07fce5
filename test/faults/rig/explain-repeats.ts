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
 * explains, per destination, at most as many events as were in flight there. Of several faults, the nearest in time explains it.
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
  const unexplained: Repeat[] = [];
  for (const repeat of repeats) {
    const destination = destinationOf.get(repeat.path) ?? '';
    const candidates = reports.filter((report) => mayExplain(report, repeat) && leftOf(report, destination) > 0);
    const [nearest] = candidates.sort((one, other) => distanceMs(one, repeat) - distanceMs(other, repeat));
    if (nearest === undefined) {
      unexplained.push(repeat);
      continue;
    }
    left.get(nearest)?.set(destination, leftOf(nearest, destination) - 1);
    byFault.set(nearest, [...(byFault.get(nearest) ?? []), repeat]);
  }
  return { byFault, unexplained };
}

const mayExplain = ({ fromMs, untilMs }: FaultReport, { beforeMs, againMs }: Repeat): boolean =>
  againMs >= fromMs && beforeMs >= fromMs - REQUEST_MS && beforeMs <= untilMs + REQUEST_MS;

/** From the earlier arrival to the fault. */
const distanceMs = ({ fromMs, untilMs }: FaultReport, { beforeMs }: Repeat): number =>
  Math.max(0, fromMs - beforeMs, beforeMs - untilMs);
