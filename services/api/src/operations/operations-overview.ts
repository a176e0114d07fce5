import type { OperatorServices, Trend } from '@mailhook/core';
import type { DeadLetterBox } from '@mailhook/delivery';
import { UNJUDGED_ALERTS } from './alerts.ts';
import { findingsOf } from './findings.ts';
import type { Pace } from './findings.ts';
import type { InstallationDeps } from './installation.ts';
import { readInstallation } from './installation.ts';

interface OperationsOverviewDeps extends InstallationDeps {
  readonly overview: OperatorServices['overview'];
  readonly accounts: Pick<OperatorServices['accounts'], 'heaviest' | 'namesOf'>;
  readonly deadLetters: Pick<DeadLetterBox, 'list'>;
  readonly trends: OperatorServices['trends'];
}

const DEAD_LETTERS_READ = 200;
const HOUR_MS = 3_600_000;
/** Whole minutes that give the present pace. */
const PACE_MINUTES = 3;

export const createReadOperations =
  (deps: OperationsOverviewDeps): OperatorServices['readOperations'] =>
  async () => {
    const [overview, installation, accounts, { items: deadLetters }, trends] = await Promise.all([
      deps.overview(),
      readInstallation(deps),
      deps.accounts.heaviest(),
      deps.deadLetters.list({}, { limit: DEAD_LETTERS_READ }),
      deps.trends.read(PACE_MINUTES + 1, Date.now()),
    ]);
    const others = [...overview.attention, ...deadLetters].map(({ account }) => account);
    const names = await deps.accounts.namesOf([...others, ...accounts.map(({ id }) => id)]);
    const newDeadEvents = deadLetters
      .filter(({ time }) => Date.parse(time) > Date.parse(overview.time) - HOUR_MS)
      .reduce((sum, { events }) => sum + events, 0);
    const pace = paceOf(trends.slice(0, PACE_MINUTES));
    const findings = findingsOf({ overview, installation, accounts, names, pace, newDeadEvents });
    return {
      report: { ...overview, findings, unjudgedAlerts: UNJUDGED_ALERTS, installation, accounts },
      deadLetters,
      names,
    };
  };

/** Events per second. */
const paceOf = (minutes: readonly Trend[]): Pace => {
  const seconds = Math.max(1, minutes.length) * 60;
  const perSecond = (name: 'accepted' | 'delivered'): number =>
    minutes.reduce((sum, minute) => sum + minute[name], 0) / seconds;
  return { accepted: perSecond('accepted'), delivered: perSecond('delivered') };
};
