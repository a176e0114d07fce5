import type { LocalFault } from '@mailhook/core';
import type { GivenUp, MailboxCommands } from '../mailbox/commands.ts';
import type { FollowUpRecord } from '../mailbox/settle-arguments.ts';
import type { Attempt } from '../record/attempt.ts';
import type { EngineMetrics, Repair } from '../record/metrics.ts';
import { reportAttempt } from '../record/report-attempt.ts';
import type { EngineOptions } from './engine.ts';
import type { EngineJobs } from './jobs.ts';
import type { LocalFaults } from './local-faults.ts';

/**
 * Hears of everything that an engine does and that is reported, counted, or needs a job. No method rejects or throws.
 */
export interface EngineObserver {
  /** An attempt whose outcome is certain. */
  attempt(attempt: Attempt): void;
  /** A batch could not be sent. It is sent later. */
  localFault(fault: LocalFault): void;
  /** Follow-ups that Redis has written: resends, which need wake-up jobs, and dead letters. */
  followUps(destination: string, account: string, followUps: readonly FollowUpRecord[]): void;
  /** A destination waits for its breaker's probe or the end of a pause. Unix milliseconds. */
  parked(destination: string, untilMs: number): void;
  /** A receiver answered 410, and Redis has deactivated the destination. */
  gone(destination: string, account: string, gone: { readonly version: number; readonly reason: string }): void;
  givenUp(destination: string, givenUp: GivenUp): void;
  /** Events of deleted destinations. */
  dropped(events: number): void;
  repaired(repair: Repair, count: number): void;
  /** Destinations of a dead worker are back on the ready lists. */
  recovered(destinations: number): void;
  /** A step failed. The engine repeats it. */
  error(error: Error): void;
}

export interface EngineReportsDeps {
  readonly options: EngineOptions;
  readonly metrics: EngineMetrics;
  readonly faults: LocalFaults;
  readonly jobs: EngineJobs;
  readonly commands: Pick<MailboxCommands, 'forgetDeactivation'>;
  readonly shard: number;
}

/** Counts, logs and reports what the engine of one mechanism and shard does, and adds the jobs that follow from it. */
export class EngineReports implements EngineObserver {
  readonly #deps: EngineReportsDeps;
  readonly #report: (attempt: Attempt) => void;
  #isStopped = false;

  constructor(deps: EngineReportsDeps) {
    this.#deps = deps;
    this.#report = reportAttempt({ ...deps.options, metrics: deps.metrics });
  }

  /** Errors of a worker that stops are not logged. */
  stop(): void {
    this.#isStopped = true;
  }

  attempt(attempt: Attempt): void {
    this.#deps.faults.attempted();
    this.#report(attempt);
  }

  localFault(fault: LocalFault): void {
    this.#deps.faults.met(fault);
  }

  followUps(destination: string, account: string, followUps: readonly FollowUpRecord[]): void {
    const { metrics, jobs } = this.#deps;
    metrics.gaveUp(followUps.reduce((sum, { type, events }) => sum + (type === 'dead' ? events : 0), 0));
    this.#later(jobs.addFollowUps(destination, account, followUps));
  }

  parked(destination: string, untilMs: number): void {
    this.#later(this.#deps.jobs.addPark(destination, untilMs));
  }

  gone(destination: string, account: string, gone: { readonly version: number; readonly reason: string }): void {
    this.#later(this.#deactivate(destination, account, gone));
  }

  givenUp(destination: string, { dead, dropped, deadLetters, account, reason }: GivenUp): void {
    const { metrics, jobs } = this.#deps;
    metrics.gaveUp(dead);
    metrics.droppedEvents(dropped);
    if (deadLetters.length === 0) return;
    const common = { account, destination, error: reason };
    this.#later(
      jobs.addDeadLetters(deadLetters.map(({ id, ...counts }) => ({ deadLetter: id, ...counts, ...common }))),
    );
  }

  dropped(events: number): void {
    this.#deps.metrics.droppedEvents(events);
  }

  repaired(repair: Repair, count: number): void {
    if (count === 0) return;
    const { metrics, options, shard } = this.#deps;
    metrics.repaired(repair, count);
    const fields = { kind: options.kind, shard, repair, count };
    options.logger.warn('the reconciler or a heartbeat made a repair', fields);
  }

  recovered(destinations: number): void {
    const { options, shard } = this.#deps;
    const fields = { kind: options.kind, shard, destinations };
    options.logger.info('claimed the destinations of a worker with an expired lease', fields);
  }

  error(error: Error): void {
    if (this.#isStopped) return;
    const { options, shard } = this.#deps;
    const fields = { kind: options.kind, shard, error: error.message };
    options.logger.warn('an engine step failed; the worker will retry', fields);
  }

  async #deactivate(
    destination: string,
    account: string,
    { version, reason }: { readonly version: number; readonly reason: string },
  ): Promise<void> {
    const { options, jobs, commands } = this.#deps;
    await jobs.addDeactivation({ v: 1, destination, account, kind: options.kind, version, reason });
    await commands.forgetDeactivation(destination);
  }

  #later(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.error(error as Error));
  }
}
