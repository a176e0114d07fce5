import type { DeadLetterJob } from '@mailhook/core';
import { deadLetterJob } from '@mailhook/core';
import type { Job } from 'bullmq';
import { UnrecoverableError } from 'bullmq';

/**
 * A dead letter stands on Bull Board as a failed job, so that it is seen, and retried, with the tools operators have: the first run fails by
 * design with the dead letter's error; a run after that is an operator's retry, and re-drives it.
 */
export const deadLetterProcessor =
  (deps: { readonly redrive: (deadLetter: string) => Promise<boolean> }) =>
  async (job: Job<unknown>): Promise<void> => {
    const parsed = deadLetterJob.safeParse(job.data);
    if (!parsed.success) throw new UnrecoverableError('malformed dead letter');
    if (job.attemptsMade === 0) throw new UnrecoverableError(describe(parsed.data));
    if (await deps.redrive(parsed.data.deadLetter)) return;
    throw new UnrecoverableError('not re-driven: its destination is inactive or deleted, or the letter is gone');
  };

const describe = ({ events, attempts, error }: DeadLetterJob): string =>
  `${events} ${events === 1 ? 'event' : 'events'} given up after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}: ${error}`;
