import { UnrecoverableError } from 'bullmq';
import type { Job } from 'bullmq';
import { alertMail, confirmationMail, limitMail } from '@mailhook/console';
import type { Mail } from '@mailhook/console';
import { coded, publicIdOf, readCoded, shownDestinations, withoutQuotations } from '@mailhook/core';
import type { CodedText, DestinationView, Language, ShownDestination, Store, StoredAccount } from '@mailhook/core';
import type { FindDestination } from '@mailhook/insight';
import type { Redis } from '@mailhook/platform/redis';
import type { AlertFailures } from './alert-failures.ts';
import type { AlertLinkUrls } from './alert-link-urls.ts';
import { mailJob, parsed } from './alert-queue.ts';
import type { AlertJob, AlertQueue } from './alert-queue.ts';
import { ALERTS_PER_DAY, createMailLimit } from './mail-limit.ts';
import type { Mailer } from './mailer.ts';
import type { PostAlert } from './alert-webhooks.ts';

export interface MailSenderDeps {
  readonly queue: AlertQueue;
  /** Undefined without `SMTP_URL`. */
  readonly mailer: Mailer | undefined;
  /** Sends to webhooks. */
  readonly post: PostAlert;
  readonly failures: AlertFailures;
  readonly store: Pick<Store, 'load'>;
  readonly findDestination: FindDestination;
  readonly redis: Redis;
  readonly prefix: string;
  /** `BRAND_NAME`. */
  readonly brand: string;
  /** `DELIVERY_TIMEOUT_MS`. */
  readonly deadlineMs: number;
  readonly urls: AlertLinkUrls;
}

/** Longer than a destination may fail before its events are given up. */
const TOLD_S = 30 * 86_400;

export async function isFailing(
  findDestination: FindDestination,
  { destination }: Pick<AlertJob, 'destination'>,
): Promise<boolean> {
  const found = await findDestination(destination);
  return found !== undefined && fails(found);
}

const fails = ({ state, failures }: DestinationView): boolean => state !== 'inactive' && failures > 0;

/** Every change of a destination by its customer, or by a 410, has a new version. */
export const versionOf = (account: StoredAccount | undefined, destination: string): number | undefined =>
  account?.destinations.find(({ id }) => id === destination)?.version;

/** Whether what an alert says is still so. Between its message and the e-mail there may be hours. */
function isStillSo({ type, version, destination }: AlertJob, found: DestinationView, account: StoredAccount): boolean {
  switch (type) {
    case 'destination.failing':
      return fails(found);
    case 'destination.recovered':
      return found.state !== 'inactive' && found.breaker === 'closed';
    case 'destination.deactivated':
      return found.state === 'inactive' && versionOf(account, destination) === version;
  }
}

/**
 * Sends a mail to the current address of its recipient, or a message to its webhook, if it is still true. An address
 * that is gone, or not confirmed, gets none. Resolves with how long the mail has to wait for an earlier one, in ms.
 */
export const createMailSender = (deps: MailSenderDeps) => {
  const { order } = deps.queue;
  const write = createWriter(deps);
  return async (job: Job): Promise<number | undefined> => {
    const { recipient, ...data } = parsed(mailJob.safeParse(job.data));
    const waitMs = await order.waitMs(recipient, job);
    if (waitMs !== undefined) return waitMs;
    try {
      const account = await deps.store.load(data.account);
      if (account !== undefined) await write(job, account, recipient, data.alert);
    } catch (error) {
      const isLast = error instanceof UnrecoverableError || job.attemptsMade + 1 >= (job.opts.attempts ?? 1);
      await deps.failures.note(recipient, reasonOf(error));
      if (isLast) await order.end(recipient, job);
      throw error;
    }
    await order.end(recipient, job);
    return undefined;
  };
};

/** An address or a webhook of an account that may get this message. */
interface Reader {
  readonly id: string;
  readonly language: Language;
  /** In its mails: the page of the address. */
  readonly ownUrl: string;
  /** What the limit of a day counts. */
  readonly mailbox: string;
  readonly send: (mail: Mail, unsubscribeUrl?: string) => Promise<void>;
}

/** Undefined: it is gone, or an address that is not confirmed or that no mail server serves. */
const createFindReader =
  ({ mailer, post, urls }: MailSenderDeps) =>
  ({ id: job = '' }: Job, account: StoredAccount, recipient: string, isAlert: boolean): Reader | undefined => {
    const address = account.alertAddresses.find(({ id }) => id === recipient);
    if (address !== undefined) {
      if (address.confirmed !== isAlert || mailer === undefined) return undefined;
      const { id, email, language, token } = address;
      const send: Reader['send'] = (mail, unsubscribeUrl) => mailer.send(mail, { to: email, id: job, unsubscribeUrl });
      return { id, language, ownUrl: urls.own(account.id, token), mailbox: email, send };
    }
    const webhook = account.alertWebhooks.find(({ id }) => id === recipient);
    if (webhook === undefined) return undefined;
    const { id, language } = webhook;
    const send: Reader['send'] = async ({ chat }) => {
      const fault = await post(account.id, webhook, { id: job, text: chat });
      if (fault !== undefined) throw new AlertFault(fault);
    };
    return { id, language, ownUrl: urls.settings(account.id), mailbox: `${id}@webhook`, send };
  };

/** A webhook did not take an alert. */
class AlertFault extends Error {
  readonly fault: CodedText;
  constructor(fault: CodedText) {
    super(withoutQuotations(String(fault)));
    this.fault = fault;
  }
}

/** What a mail server replies is for operators. */
const reasonOf = (error: unknown): CodedText => (error instanceof AlertFault ? error.fault : coded('mail-server'));

function createWriter(deps: MailSenderDeps) {
  const { findDestination, redis, prefix, brand, urls, failures } = deps;
  const admit = createMailLimit(redis, prefix);
  const compose = createComposer(deps);
  const findReader = createFindReader(deps);
  /** Set while the last mail to the reader about the destination says that it fails. */
  const toldKeyOf = (destination: string, recipient: string): string =>
    `${prefix}:alerts:told:${destination}:${recipient}`;
  return async (job: Job, account: StoredAccount, recipient: string, alert?: AlertJob) => {
    const reader = findReader(job, account, recipient, alert !== undefined);
    if (reader === undefined) return;
    const { language, ownUrl, mailbox } = reader;
    const send: Reader['send'] = async (mail, unsubscribeUrl) => {
      await reader.send(mail, unsubscribeUrl);
      await failures.forget(recipient);
    };
    const to = { language, account: account.name, ownUrl };
    if (alert === undefined) {
      const token = account.alertAddresses.find(({ id }) => id === recipient)?.token ?? '';
      return send(confirmationMail(brand, { ...to, neverUrl: urls.never(account.id, token) }));
    }
    const toldKey = toldKeyOf(alert.destination, recipient);
    const found = await findDestination(alert.destination);
    const endpoint = shownDestinations(account).find(
      ({ id: own }) => own === publicIdOf(account.id, alert.destination),
    );
    if (found === undefined || endpoint === undefined || !isStillSo(alert, found, account)) return;
    if (alert.type === 'destination.recovered' && (await redis.exists(toldKey)) === 0) return;
    const admission = await admit(mailbox, job.id ?? '');
    if (admission.as === 'nothing') return;
    if (admission.as === 'summary') {
      const until = new Date(Date.now() + admission.leftMs).toISOString();
      return send(limitMail({ max: ALERTS_PER_DAY, until }, brand, to, urls.settings(account.id)), to.ownUrl);
    }
    await send(await compose(endpoint, found, alert, to), to.ownUrl);
    if (alert.type === 'destination.failing') await redis.set(toldKey, '1', 'EX', TOLD_S);
    else await redis.del(toldKey);
  };
}

const createComposer =
  ({ queue, brand, deadlineMs, urls }: MailSenderDeps) =>
  async (
    endpoint: ShownDestination,
    found: DestinationView,
    { account, destination, type, reason }: AlertJob,
    to: Parameters<typeof alertMail>[2],
  ): Promise<Mail> => {
    const failure =
      type === 'destination.failing' ? found.lastError : reason === undefined ? undefined : readCoded(reason);
    return alertMail(
      {
        type,
        endpoint,
        failingSince: type === 'destination.deactivated' ? undefined : await queue.failingSince(destination),
        failure: type === 'destination.recovered' ? undefined : failure,
        waiting: found.undelivered,
        deadlineMs,
      },
      brand,
      to,
      urls.settings(account, endpoint.id),
    );
  };
