import type { DeadLetter, Overview } from '@mailhook/core';
import type { DeadLetterBox, ReadOverview } from '@mailhook/delivery';
import type { AccountRow, AccountsOverview } from './accounts-overview.ts';
import { UNJUDGED_ALERTS } from './alerts.ts';
import { findingsOf } from './findings.ts';
import type { Finding } from './findings.ts';
import type { InstallationDeps, InstallationReport } from './installation.ts';
import { readInstallation } from './installation.ts';

/** The whole answer to "is anything stuck, and what does the installation lack?", from one reading. */
interface OperationsReport extends Overview {
  /** The worst first. Empty if nothing needs an operator. */
  readonly findings: readonly Finding[];
  /** Alerts that only Prometheus can judge, with the reason. */
  readonly unjudgedAlerts: Readonly<Record<string, string>>;
  readonly installation: InstallationReport;
  /** The accounts with the most events or bytes, those nearest to a limit first. */
  readonly accounts: readonly AccountRow[];
}

interface OperationsReading {
  readonly report: OperationsReport;
  /** The newest dead letters. */
  readonly deadLetters: readonly (DeadLetter & { readonly account: string })[];
  /** Names by account id, of all accounts in the report. Empty while the store is away. */
  readonly names: ReadonlyMap<string, string>;
}

/** Rejects while Redis is away. */
export type ReadOperations = () => Promise<OperationsReading>;

interface OperationsOverviewDeps extends InstallationDeps {
  readonly overview: ReadOverview;
  readonly accounts: Pick<AccountsOverview, 'heaviest' | 'namesOf'>;
  readonly deadLetters: Pick<DeadLetterBox, 'list'>;
}

const DEAD_LETTERS_READ = 200;
const HOUR_MS = 3_600_000;

export const createReadOperations =
  (deps: OperationsOverviewDeps): ReadOperations =>
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
