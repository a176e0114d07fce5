import type { OperatorServices } from '@mailhook/core';
import type { DeadLetterBox } from '@mailhook/delivery';
import { UNJUDGED_ALERTS } from './alerts.ts';
import { findingsOf } from './findings.ts';
import type { InstallationDeps } from './installation.ts';
import { readInstallation } from './installation.ts';

interface OperationsOverviewDeps extends InstallationDeps {
  readonly overview: OperatorServices['overview'];
  readonly accounts: Pick<OperatorServices['accounts'], 'heaviest' | 'namesOf'>;
  readonly deadLetters: Pick<DeadLetterBox, 'list'>;
}

const DEAD_LETTERS_READ = 200;
const HOUR_MS = 3_600_000;

export const createReadOperations =
  (deps: OperationsOverviewDeps): OperatorServices['readOperations'] =>
  async () => {
    const [overview, installation, accounts, { items: deadLetters }] = await Promise.all([
      deps.overview(),
      readInstallation(deps),
      deps.accounts.heaviest(),
      deps.deadLetters.list({}, { limit: DEAD_LETTERS_READ }),
    ]);
    const others = [...overview.attention, ...deadLetters].map(({ account }) => account);
    const names = await deps.accounts.namesOf([...others, ...accounts.map(({ id }) => id)]);
    const newDeadEvents = deadLetters
      .filter(({ time }) => Date.parse(time) > Date.parse(overview.time) - HOUR_MS)
      .reduce((sum, { events }) => sum + events, 0);
    const findings = findingsOf({ overview, installation, accounts, newDeadEvents });
    return {
      report: { ...overview, findings, unjudgedAlerts: UNJUDGED_ALERTS, installation, accounts },
      deadLetters,
      names,
    };
  };
