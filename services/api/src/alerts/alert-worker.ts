import { DelayedError } from 'bullmq';
import type { Job } from 'bullmq';
import { ALERTS_QUEUE, publicIdOf, wantsAlert } from '@mailhook/core';
import type { StoredAccount } from '@mailhook/core';
import type { Logger } from '@mailhook/platform/logger';
import { openWatchedWorker } from '@mailhook/platform/queue';
import type { WatchedWorker } from '@mailhook/platform/queue';
import { claimKey } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { REPEATED_JOBS, requeueAfterFailure } from '../intake/requeue.ts';
import { alertJob, KIND_OF, parsed } from './alert-queue.ts';
import type { AlertJob } from './alert-queue.ts';
import { createMailSender, isFailing, versionOf } from './mail-sender.ts';
import type { MailSenderDeps } from './mail-sender.ts';

export interface AlertWorkerDeps extends MailSenderDeps {
  readonly logger: Logger;
}

/** At most one mail about a failing destination in this time. */
const DAY_MS = 86_400_000;
const CONCURRENCY = 4;

/** Decides which messages become alerts, and sends them. `connection` is for blocking reads. */
export function startAlertWorker(deps: AlertWorkerDeps, connection: Redis): WatchedWorker {
  const { prefix, logger } = deps;
  const decide = requeueAfterFailure(decideAlert(deps), logger);
  const send = createMailSender(deps);
  const watched = openWatchedWorker({
    queue: ALERTS_QUEUE,
    connection,
    prefix,
    concurrency: CONCURRENCY,
    process: async (job, token) => {
      const waitMs = await (job.name === 'mail' ? send(job) : decide(job, token));
      if (waitMs === undefined) return;
      await job.moveToDelayed(Date.now() + waitMs, token);
      throw new DelayedError();
    },
    onError: (error) => logger.warn('the worker of e-mails had an error', { error }),
    ...REPEATED_JOBS,
  });
  watched.worker.on('failed', (job, error) =>
    logger.warn('an e-mail could not be sent', { job: job?.id, attempts: job?.attemptsMade, error }),
  );
  return watched;
}

/** Who gets the alert: confirmed addresses and webhooks that want this kind about this destination. */
const readersOf = (account: StoredAccount | undefined, { type, destination }: AlertJob, sendsMails: boolean) => {
  if (account === undefined) return [];
  const { alertAddresses, alertWebhooks } = account;
  const publicId = publicIdOf(account.id, destination);
  return [...alertAddresses.filter(({ confirmed }) => sendsMails && confirmed), ...alertWebhooks].filter((one) =>
    wantsAlert(one, KIND_OF[type], publicId),
  );
};

/**
 * Adds the mails of a message. Every step can be repeated. Resolves with how long the job has to wait for its next run,
 * or undefined at its end: the job of a failing destination runs once a day until the destination no longer fails.
 */
const decideAlert =
  (deps: AlertWorkerDeps) =>
  async (job: Job): Promise<number | undefined> => {
    const { store, queue } = deps;
    const alert = parsed(alertJob.safeParse(job.data));
    const { account, destination, type, round } = alert;
    const stored = await store.load(account);
    const recipients = readersOf(stored, alert, deps.mailer !== undefined);
    const decided = { ...alert, version: versionOf(stored, destination) };
    const add = (id: string) =>
      queue.addMails(
        recipients.map((one) => ({ id: `${id}-${one.id}`, data: { account, recipient: one.id, alert: decided } })),
      );
    if (type === 'destination.failing') {
      if (recipients.length === 0 || !(await isFailing(deps.findDestination, alert))) return undefined;
      const today = await claimDay(deps, destination, `${job.timestamp}-${round}`);
      if (today.isMine) {
        await add(`${job.id ?? ''}-${job.timestamp}-${round}`);
        // A run after a crash between this and the wait finds the day taken by another round, and only waits.
        await job.updateData({ ...alert, round: round + 1 } satisfies AlertJob);
      }
      return today.leftMs;
    }
    await add(job.id ?? '');
    return undefined;
  };

/** Whether this round may mail about the destination, and how long its day, or that of another one, lasts. */
async function claimDay({ redis, prefix }: AlertWorkerDeps, destination: string, round: string) {
  const key = `${prefix}:alerts:day:${destination}`;
  const holder = await claimKey(redis, key, round, DAY_MS);
  return { isMine: holder === round, leftMs: Math.max(0, await redis.pttl(key)) };
}
