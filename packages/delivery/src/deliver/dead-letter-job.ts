import type { DeadLetterJob } from '@mailhook/core';
import { deadLetterJob } from '@mailhook/core';
import type { Job } from 'bullmq';
import { UnrecoverableError } from 'bullmq';

/**
 * Bull Board shows a dead letter as a failed job, so that operators can see and retry it there. The first run of the job always fails, with the
 * dead letter's error. A later run is an operator's retry and re-drives the dead letter.
 */
export const deadLetterProcessor =
  (deps: { readonly redrive: (deadLetter: string) => Promise<'redriven' | 'gone' | 'inactive'> }) =>
  async (job: Job<unknown>): Promise<void> => {
    const parsed = deadLetterJob.safeParse(job.data);
    if (!parsed.success) throw new UnrecoverableError('malformed dead letter');
    if (job.attemptsMade === 0) throw new UnrecoverableError(describe(parsed.data));
    const result = await deps.redrive(parsed.data.deadLetter);
    if (result === 'redriven') return;
    throw new UnrecoverableError(
      result === 'gone'
        ? 'not redriven: the dead letter no longer exists'
        : 'not redriven: the destination of the dead letter is inactive or deleted',
    );
  };

const describe = ({ events, attempts, error }: DeadLetterJob): string =>
  `${events} ${events === 1 ? 'event' : 'events'} given up after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}: ${error}`;
