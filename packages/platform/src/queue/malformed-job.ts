import { UnrecoverableError } from 'bullmq';
import type { Job } from 'bullmq';
import { z } from 'zod';
import { jsonFault } from '@mailhook/core';

/** The data of a job is not JSON. BullMQ adds no such jobs, but a person or another client can. */
export class MalformedJobError extends UnrecoverableError {
  override readonly name = 'MalformedJobError';
  readonly text: string;

  constructor(text: string) {
    super(`the job's data ${jsonFault(text)}`);
    this.text = text;
  }
}

/** Parses the text of a job's data, or throws a MalformedJobError. */
export function parseJobData(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new MalformedJobError(text);
  }
}

const malformed = z.strictObject({ malformedData: z.string() });

/** Whether data could be a replacement. Every job comes here, and a failed `safeParse` costs much more. */
export const hasField = (data: unknown, field: string): boolean =>
  typeof data === 'object' && data !== null && field in data;

/**
 * Replaces data that is not JSON. With the data itself, BullMQ cannot read the job, and Bull Board shows no job of the
 * same page.
 */
export const malformedData = (text: string): z.infer<typeof malformed> => ({ malformedData: text });

type Process<Result> = (job: Job<unknown>, token?: string) => Promise<Result>;

/**
 * Fails a job whose data is not JSON, and keeps the text of the data, or its first `charsMax` characters, as
 * `malformedData`.
 */
export const failMalformed =
  <Result>(process: Process<Result>, charsMax?: number): Process<Result> =>
  async (job, token) => {
    try {
      const text = hasField(job.data, 'malformedData') ? malformed.safeParse(job.data).data?.malformedData : undefined;
      if (text !== undefined) throw new MalformedJobError(text);
      return await process(job, token);
    } catch (error) {
      if (error instanceof MalformedJobError) await job.updateData(malformedData(error.text.slice(0, charsMax)));
      throw error;
    }
  };
