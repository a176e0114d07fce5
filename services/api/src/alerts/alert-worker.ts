import { DelayedError, UnrecoverableError } from 'bullmq';
import type { Job } from 'bullmq';
import { alertMail, confirmationMail } from '@mailhook/console';
import type { Mail } from '@mailhook/console';
import { ALERTS_QUEUE, readCoded, SETTINGS_PAGE_PATH } from '@mailhook/core';
import type { Store, StoredAccount, StoredAlertAddress } from '@mailhook/core';
import type { FindDestination } from '@mailhook/insight';
import type { Logger } from '@mailhook/platform/logger';
import { openWatchedWorker } from '@mailhook/platform/queue';
import type { WatchedWorker } from '@mailhook/platform/queue';
import { setIfAbsent } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { PORTAL_LINK_MAX_S } from '../auth/portal-links.ts';
import type { PortalLinks } from '../auth/portal-links.ts';
import { REPEATED_JOBS, requeueAfterFailure } from '../intake/requeue.ts';
import { alertJob, mailJob } from './alert-queue.ts';
import type { AlertJob, AlertQueue } from './alert-queue.ts';
import type { Mailer } from './mailer.ts';

export interface AlertWorkerDeps {
  readonly queue: AlertQueue;
  readonly mailer: Mailer;
  readonly store: Pick<Store, 'load'>;
  readonly links: Pick<PortalLinks, 'create'>;
  readonly findDestination: FindDestination;
  readonly redis: Redis;
  readonly prefix: string;
  /** `BRAND_NAME` and `PUBLIC_URL`. */
  readonly brand: string;
  readonly publicUrl: string;
  /** The page of an address, for its owner. */
  readonly ownUrl: (account: string, token: string) => string;
  readonly logger: Logger;
}

/** At most one mail about a failing destination in this time. */
const DAY_MS = 86_400_000;
/** Longer than a destination may fail before its events are given up. */
const TOLD_MS = 30 * DAY_MS;
const CONCURRENCY = 4;

/** Decides which messages become mails, and sends the mails. `connection` is for blocking reads. */
export function startAlertWorker(deps: AlertWorkerDeps, connection: Redis): WatchedWorker {
  const { prefix, logger } = deps;
  const decide = requeueAfterFailure(decideAlert(deps), logger);
  const send = sendMail(deps);
  const watched = openWatchedWorker({
    queue: ALERTS_QUEUE,
    connection,
    prefix,
    concurrency: CONCURRENCY,
    process: async (job, token) => {
      if (job.name === 'mail') return send(job);
      const waitMs = await decide(job, token);
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

const confirmedOf = (account: StoredAccount | undefined): readonly StoredAlertAddress[] =>
  (account?.alertAddresses ?? []).filter(({ confirmed }) => confirmed);

function parsed<Result>(read: { readonly success: boolean; readonly data?: Result }): Result {
  if (read.success && read.data !== undefined) return read.data;
  throw new UnrecoverableError('not a job of an e-mail');
}

/**
 * Adds the mails of a message. Every step can be repeated. Resolves with how long the job has to wait for its next run,
 * or undefined at its end: the job of a failing destination runs once a day until the destination no longer fails.
 */
const decideAlert =
  (deps: AlertWorkerDeps) =>
  async (job: Job): Promise<number | undefined> => {
    const { redis, prefix, store, queue } = deps;
    const alert = parsed(alertJob.safeParse(job.data));
    const { account, destination, type, round } = alert;
    /** Set while the last mail about the destination says that it fails. */
    const toldKey = `${prefix}:alerts:told:${destination}`;
    const recipients = confirmedOf(await store.load(account));
    const add = (id: string) =>
      queue.addMails(recipients.map((one) => ({ id: `${id}-${one.id}`, data: { account, recipient: one.id, alert } })));
    if (type === 'destination.failing') {
      if (recipients.length === 0 || !(await isFailing(deps, alert))) return undefined;
      const today = await claimDay(deps, destination, `${job.timestamp}-${round}`);
      if (today.isMine) {
        await add(`${job.id ?? ''}-${job.timestamp}-${round}`);
        await redis.set(toldKey, '1', 'PX', TOLD_MS);
        // A run after a crash between this and the wait finds the day taken by another round, and only waits.
        await job.updateData({ ...alert, round: round + 1 } satisfies AlertJob);
      }
      return today.leftMs;
    }
    if (type === 'destination.deactivated' || (await redis.exists(toldKey)) === 1) await add(job.id ?? '');
    await redis.del(toldKey);
    return undefined;
  };

async function isFailing({ findDestination }: AlertWorkerDeps, { destination }: AlertJob): Promise<boolean> {
  const found = await findDestination(destination);
  return found !== undefined && found.state !== 'inactive' && found.failures > 0;
}

/** Whether this round may mail about the destination, and how long its day, or that of another one, lasts. */
async function claimDay({ redis, prefix }: AlertWorkerDeps, destination: string, round: string) {
  const key = `${prefix}:alerts:day:${destination}`;
  await setIfAbsent(redis, key, round, DAY_MS);
  const [holder, leftMs] = await Promise.all([redis.get(key), redis.pttl(key)]);
  return { isMine: holder === round, leftMs: Math.max(0, leftMs) };
}

/** Sends a mail to the current address of its recipient. An address that is gone, or not confirmed, gets none. */
const sendMail =
  (deps: AlertWorkerDeps) =>
  async (job: Job): Promise<void> => {
    const { store, mailer, brand, ownUrl } = deps;
    const { account: id, recipient, alert } = parsed(mailJob.safeParse(job.data));
    const account = await store.load(id);
    const address = account?.alertAddresses.find((one) => one.id === recipient);
    if (account === undefined || address === undefined || address.confirmed !== (alert !== undefined)) return;
    const to = { language: address.language, account: account.name, ownUrl: ownUrl(id, address.token) };
    const mail = alert === undefined ? confirmationMail(brand, to) : await compose(deps, account, alert, to);
    if (mail === undefined) return;
    await mailer.send(mail, {
      to: address.email,
      id: job.id ?? '',
      unsubscribeUrl: alert === undefined ? undefined : to.ownUrl,
    });
  };

/** Undefined if the destination no longer exists. */
async function compose(
  { findDestination, queue, links, brand, publicUrl }: AlertWorkerDeps,
  account: StoredAccount,
  { destination, kind, type, reason }: AlertJob,
  to: Parameters<typeof alertMail>[2],
): Promise<Mail | undefined> {
  const found = await findDestination(destination);
  if (found === undefined) return undefined;
  const shown = kind === 'campaign' ? kind : destination;
  const path = `${SETTINGS_PAGE_PATH}/endpoints/${shown}`;
  const { token } = await links.create(account.id, { path, language: to.language }, PORTAL_LINK_MAX_S);
  const failure = reason === undefined ? found.lastError : readCoded(reason);
  return alertMail(
    {
      type,
      events: account.subscriptions.find(({ id }) => id === destination)?.type,
      address: found.address,
      failingSince: type === 'destination.deactivated' ? undefined : await queue.failingSince(destination),
      failure: type === 'destination.recovered' ? undefined : failure,
      waiting: found.undelivered,
    },
    brand,
    to,
    new URL(`/settings/portal?link=${token}`, publicUrl).href,
  );
}
