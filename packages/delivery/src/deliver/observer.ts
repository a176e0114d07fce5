import type { LocalFault, Mechanism } from '@mailhook/core';
import type { Logger } from '@mailhook/platform/logger';
import type { GivenUp, MailboxCommands } from '../mailbox/commands/engine.ts';
import { logLostWrites } from '../mailbox/heartbeat.ts';
import type { LostWrites, Violation } from '../mailbox/heartbeat.ts';
import type { FollowUpRecord } from '../mailbox/settle-arguments.ts';
import type { Attempt } from '../record/attempt.ts';
import type { EngineMetrics, Repair } from '../record/metrics.ts';
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
  /** A destination waits for its breaker's probe or the end of a pause. */
  parked(destination: string, waitMs: number): void;
  /** A receiver answered 410, and Redis has deactivated the destination. */
  gone(destination: string, account: string, gone: { readonly version: number; readonly reason: string }): void;
  givenUp(destination: string, givenUp: GivenUp): void;
  /** Events of deleted destinations. */
  dropped(events: number): void;
  repaired(repair: Repair, count: number): void;
  /** Destinations of a dead worker are back on the ready lists. */
  recovered(destinations: number): void;
  /** Redis has lost its last writes, and this worker is the first to find that. */
  lostWrites(span: LostWrites): void;
  violation(violation: Violation): void;
  /** A step failed. The engine repeats it. */
  error(error: Error): void;
}

export interface EngineReportsDeps {
  readonly kind: Mechanism;
  readonly shard: number;
  readonly logger: Logger;
  /** Counts, logs and traces an attempt. */
  readonly report: (attempt: Attempt) => void;
  readonly metrics: EngineMetrics;
  readonly faults: LocalFaults;
  readonly jobs: EngineJobs;
  readonly commands: Pick<MailboxCommands, 'forgetDeactivation'>;
}

/** Counts, logs and reports what the engine of one mechanism and shard does, and adds the jobs that follow from it. */
export class EngineReports implements EngineObserver {
  readonly #deps: EngineReportsDeps;
  #isStopped = false;

  constructor(deps: EngineReportsDeps) {
    this.#deps = deps;
  }

  /** Errors of a worker that stops are not logged. */
  stop(): void {
    this.#isStopped = true;
  }

  attempt(attempt: Attempt): void {
    this.#deps.faults.attempted();
    this.#deps.report(attempt);
  }

  localFault(fault: LocalFault): void {
    this.#deps.faults.met(fault);
  }

  followUps(destination: string, account: string, followUps: readonly FollowUpRecord[]): void {
    const { metrics, jobs } = this.#deps;
    metrics.gaveUp(followUps.reduce((sum, { type, events }) => sum + (type === 'dead' ? events : 0), 0));
    this.#later(jobs.addFollowUps(destination, account, followUps));
  }

  parked(destination: string, waitMs: number): void {
    this.#later(this.#deps.jobs.addPark(destination, waitMs));
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
    const { kind, metrics, logger, shard } = this.#deps;
    metrics.repaired(repair, count);
    const fields = { kind, shard, repair, count };
    logger.warn('the reconciler or a heartbeat made a repair', fields);
  }

  recovered(destinations: number): void {
    const { kind, logger, shard } = this.#deps;
    const fields = { kind, shard, destinations };
    logger.info('claimed the destinations of a worker with an expired lease', fields);
  }

  lostWrites(span: LostWrites): void {
    const { kind, logger, shard } = this.#deps;
    logLostWrites(logger, { kind, shard }, span);
  }

  violation({ what, name }: Violation): void {
    const { kind, metrics, logger, shard } = this.#deps;
    metrics.violated(what);
    logger.error('an invariant of the mailboxes was violated', { kind, shard, what, name });
  }

  error(error: Error): void {
    if (this.#isStopped) return;
    const { kind, logger, shard } = this.#deps;
    const fields = { kind, shard, error: error.message };
    logger.warn('an engine step failed; the worker will retry', fields);
  }

  async #deactivate(
    destination: string,
    account: string,
    { version, reason }: { readonly version: number; readonly reason: string },
  ): Promise<void> {
    const { kind, jobs, commands } = this.#deps;
    await jobs.addDeactivation({ v: 1, destination, account, kind, version, reason });
    await commands.forgetDeactivation(destination);
  }

  #later(work: Promise<unknown>): void {
    work.catch((error: unknown) => this.error(error as Error));
  }
}
