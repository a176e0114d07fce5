import { UnrecoverableError } from 'bullmq';
import { ALERTS_KEPT_MS, ALERTS_QUEUE, destinationIdOf, mechanism } from '@mailhook/core';
import type { AlertKind, OperationsMessage } from '@mailhook/core';
import type { AlertType } from '@mailhook/console';
import { operationsMessageId } from '@mailhook/delivery';
import type { Installation } from '@mailhook/delivery';
import { z } from 'zod';
import { createReaderOrder } from './reader-order.ts';
import type { ReaderOrder } from './reader-order.ts';

const MAILED = [
  'destination.failing',
  'destination.recovered',
  'destination.deactivated',
] as const satisfies readonly AlertType[];

/** How customers choose the types. */
export const KIND_OF: Readonly<Record<(typeof MAILED)[number], AlertKind>> = {
  'destination.failing': 'failing',
  'destination.recovered': 'recovered',
  'destination.deactivated': 'deactivated',
};

/** Data of an `alert` job: one message about a destination. `destination` is the engine's id. */
export const alertJob = z.object({
  account: z.string(),
  destination: z.string(),
  kind: mechanism,
  type: z.enum(MAILED),
  /** Of the destination, when the alert was decided. */
  version: z.int().optional(),
  /** Why it was switched off, packed. */
  reason: z.string().optional(),
  /** How many days of a failure are mailed. */
  round: z.int().default(0),
});
export type AlertJob = z.infer<typeof alertJob>;

/**
 * Data of a `mail` job: one e-mail to an address of an account, or one message to one of its webhooks, by the reader's
 * id. The address is only in the store, so it is gone as soon as the customer or its owner removes it. Without `alert`,
 * the mail asks to confirm the address.
 */
export const mailJob = z.object({ account: z.string(), recipient: z.string(), alert: alertJob.optional() });
type MailJob = z.infer<typeof mailJob>;

/** Throws for a job that no version of Mailhook has added. */
export function parsed<Result>(read: { readonly success: boolean; readonly data?: Result }): Result {
  if (read.success && read.data !== undefined) return read.data;
  throw new UnrecoverableError('not a job of an e-mail');
}

/** Longer than a job can run again after it has added others. */
const COMPLETED_KEPT = { age: 86_400 };
/** The wait before the second attempt at a mail. It doubles, so the last attempt is made after 11 hours. */
const BACKOFF_MS = 10_000;
const ATTEMPTS = 13;

export interface AlertQueue {
  /** Adds the messages that customers get. Each is added once, however often this runs. */
  publish(messages: readonly OperationsMessage[]): Promise<void>;
  /** Each mail is added once, by the id. */
  addMails(mails: readonly { readonly id: string; readonly data: MailJob }[]): Promise<void>;
  readonly order: ReaderOrder;
  /** Since when a destination fails, in ISO 8601. */
  failingSince(destination: string): Promise<string | undefined>;
}

export function createAlertQueue(installation: Installation): AlertQueue {
  const { redis, prefix } = installation;
  const queue = installation.queue(ALERTS_QUEUE);
  const order = createReaderOrder(queue, redis, prefix);
  const sinceKey = (destination: string): string => `${prefix}:alerts:since:${destination}`;
  return {
    async publish(messages) {
      const jobs = messages.flatMap((message) => {
        if (!isMailed(message)) return [];
        const { account, type, kind } = message;
        const reason = type === 'destination.deactivated' ? message.reason.packed : undefined;
        const destination = destinationIdOf(account, message.destination);
        const data: AlertJob = { account, destination, kind, type, reason, round: 0 };
        return [{ message, data }];
      });
      for (const { message, data } of jobs)
        if (message.type === 'destination.failing')
          await redis.set(sinceKey(data.destination), message.failingSince, 'PX', SINCE_KEPT_MS);
      if (jobs.length === 0) return;
      await queue.addBulk(
        jobs.map(({ message, data }) => ({
          name: 'alert',
          data,
          opts:
            message.type === 'destination.failing'
              ? // One job for as long as the destination fails, also if it recovers and fails again meanwhile.
                { jobId: operationsMessageId('failing alert', data.destination), removeOnComplete: true }
              : { jobId: message.id, removeOnComplete: COMPLETED_KEPT },
        })),
      );
    },
    async addMails(mails) {
      if (mails.length === 0) return;
      const opts = {
        attempts: ATTEMPTS,
        backoff: { type: 'exponential', delay: BACKOFF_MS },
        removeOnComplete: COMPLETED_KEPT,
        removeOnFail: { age: ALERTS_KEPT_MS / 1000 },
      };
      const jobs = await queue.addBulk(
        mails.map(({ id, data }) => ({ name: 'mail', data, opts: { ...opts, jobId: id } })),
      );
      await order.note(jobs.map((job, i) => ({ recipient: mails[i]?.data.recipient ?? '', job })));
    },
    order,
    failingSince: async (destination) => (await redis.get(sinceKey(destination))) ?? undefined,
  };
}

type Mailed = Extract<OperationsMessage, { readonly type: AlertType }>;

const isMailed = (message: OperationsMessage): message is Mailed => MAILED.some((type) => type === message.type);

/** Longer than a destination fails without another message. */
const SINCE_KEPT_MS = 30 * 86_400_000;
