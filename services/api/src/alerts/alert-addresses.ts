import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import {
  addAlertAddress,
  ALERT_KINDS,
  chooseAlerts,
  confirmAlertAddress,
  mailboxOf,
  removeAlertAddress,
  StoreConflictError,
} from '@mailhook/core';
import type { AlertAddress, Store, StoredAlertAddress, AlertLinks, CustomerServices } from '@mailhook/core';
import { ProblemError } from '@mailhook/platform/http-server';
import type { Redis } from '@mailhook/platform/redis';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { accountGone } from '../accounts/change-account.ts';
import { hashToken, newId } from '../accounts/tokens.ts';
import { createWindowCounter } from '../auth/window-counter.ts';
import type { AlertFailures } from './alert-failures.ts';
import type { AlertQueue } from './alert-queue.ts';

interface AlertAddressesDeps {
  readonly store: Pick<Store, 'load'>;
  readonly writer: AccountWriter;
  readonly queue: Pick<AlertQueue, 'addMails'>;
  readonly failures: AlertFailures;
  readonly redis: Redis;
  readonly prefix: string;
  /** Whether the installation has `SMTP_URL`. */
  readonly sendsMails: boolean;
}

const DAY_S = 86_400;
/** Mails a day that ask for a confirmation. Nobody can use Mailhook to fill a stranger's mailbox. */
const PER_ACCOUNT = 20;
const PER_MAILBOX = 3;
/** A mailbox whose owner has confirmed lately is no stranger's. */
const PER_CONFIRMED_MAILBOX = 20;
const CONFIRMED_S = 30 * DAY_S;

const TOKEN = /^[A-Za-z0-9_-]{43}$/;
/** Longer than an account is read, so that the time of an answer does not tell whether the account exists. */
const FIND_MIN_MS = 25;

const NO_MAILS =
  'This installation of Mailhook sends no e-mails: its operator has not set SMTP_URL. Add a webhook instead.';

const shown = (
  { token: _token, ...address }: StoredAlertAddress,
  lastFailure: AlertAddress['lastFailure'] = null,
): AlertAddress => ({ ...address, lastFailure });

export function createAlertAddresses(
  deps: AlertAddressesDeps,
): Omit<CustomerServices['alerts'], 'webhooks'> & { readonly links: AlertLinks } {
  const { store, writer, queue, failures, sendsMails } = deps;
  const asked = confirmationLimit(deps);
  const find = async (account: string, token: string): Promise<StoredAlertAddress | undefined> => {
    if (!TOKEN.test(token)) return undefined;
    const [stored] = await Promise.all([store.load(account), wait(FIND_MIN_MS)]);
    // Digests, so that the time of the comparison says nothing about the token.
    return stored?.alertAddresses.find((one) => hashToken(one.token) === hashToken(token));
  };
  const removeFound = async (account: string, token: string): Promise<StoredAlertAddress | undefined> => {
    const found = await find(account, token);
    if (found === undefined) return undefined;
    await writer.change(account, (stored) => removeAlertAddress(stored, found.id), { evenWhenFull: true });
    return found;
  };
  return {
    sendsMails,
    list: async (account) => {
      const stored = (await store.load(account))?.alertAddresses ?? [];
      const last = await failures.read(stored.map(({ id }) => id));
      return stored.map((one, i) => shown(one, last[i]));
    },
    async create(account, { email, language = 'en' }) {
      if (!sendsMails) throw new ProblemError('conflict', { detail: NO_MAILS });
      const created: StoredAlertAddress = {
        id: newId(),
        email,
        language,
        confirmed: false,
        createdAt: new Date().toISOString(),
        token: randomBytes(32).toString('base64url'),
        kinds: [...ALERT_KINDS],
        muted: [],
      };
      const stored = await store.load(account);
      const added = stored && addAlertAddress(stored, created);
      // Before the limit, because it counts mails.
      if (added instanceof StoreConflictError) throw added;
      await asked.admit(account, email);
      if ((await writer.change(account, (current) => addAlertAddress(current, created))) === undefined)
        throw accountGone();
      await queue.addMails([{ id: `confirm-${created.id}`, data: { account, recipient: created.id } }]);
      return shown(created);
    },
    async remove(account, id) {
      if ((await writer.change(account, (stored) => removeAlertAddress(stored, id))) === undefined)
        throw new ProblemError('not_found', { detail: 'This account has no e-mail address for alerts with this id.' });
    },
    async choose(account, id, choice) {
      if ((await writer.change(account, (stored) => chooseAlerts(stored, id, choice))) === undefined)
        throw new ProblemError('not_found', { detail: 'This account has no reader of alerts with this id.' });
      return choice;
    },
    links: {
      find: async (account, token) => {
        const found = await find(account, token);
        return found && shown(found);
      },
      confirm: async (account, token) => {
        const found = await find(account, token);
        if (found === undefined) return undefined;
        await writer.change(account, (stored) => confirmAlertAddress(stored, found.id));
        await asked.noteConfirmed(found.email);
        return shown({ ...found, confirmed: true });
      },
      unsubscribe: async (account, token) => {
        const found = await removeFound(account, token);
        if (found?.confirmed === true) await asked.forgetConfirmed(found.email);
        return found && shown(found);
      },
      refuseAll: async (account, token) => {
        const found = await find(account, token);
        if (found === undefined) return undefined;
        await asked.refuse(found.email);
        return shown((await removeFound(account, token)) ?? found);
      },
    },
  };
}

/** Counts the mails that ask for a confirmation. Redis stores only digests of addresses. */
function confirmationLimit({ redis, prefix }: AlertAddressesDeps) {
  const counter = (of: string) =>
    createWindowCounter({ redis, prefix: `${prefix}:alerts:asked-${of}`, windowS: DAY_S });
  const [ofAccount, ofMailbox] = [counter('account'), counter('address')];
  const digestOf = (email: string): string => hashToken(mailboxOf(email));
  const confirmedKey = (digest: string): string => `${prefix}:alerts:confirmed:${digest}`;
  const refusedKey = (digest: string): string => `${prefix}:alerts:never:${digest}`;
  return {
    async admit(account: string, email: string): Promise<void> {
      const digest = digestOf(email);
      if ((await redis.exists(refusedKey(digest))) === 1)
        throw new ProblemError('conflict', { detail: 'The owner of this e-mail address wants no such e-mails.' });
      const byAccount = await ofAccount.penalty(account);
      if (byAccount.consumedPoints > PER_ACCOUNT)
        throw tooMany(
          byAccount.msBeforeNext,
          `This account added more than ${PER_ACCOUNT} e-mail addresses within a day.`,
        );
      const max = (await redis.exists(confirmedKey(digest))) === 1 ? PER_CONFIRMED_MAILBOX : PER_MAILBOX;
      const got = await ofMailbox.penalty(digest);
      if (got.consumedPoints <= max) return;
      // What is refused sends no mail.
      await ofMailbox.reward(digest);
      throw tooMany(got.msBeforeNext, `This e-mail address was asked to confirm ${max} times within a day.`);
    },
    async noteConfirmed(email: string): Promise<void> {
      const digest = digestOf(email);
      await redis.set(confirmedKey(digest), '1', 'EX', CONFIRMED_S);
      await ofMailbox.delete(digest);
    },
    async forgetConfirmed(email: string): Promise<void> {
      await redis.del(confirmedKey(digestOf(email)));
    },
    async refuse(email: string): Promise<void> {
      await redis.set(refusedKey(digestOf(email)), '1');
    },
  };
}

const tooMany = (waitMs: number, detail: string): ProblemError =>
  new ProblemError('rate_limited', {
    detail: `${detail} Try again tomorrow.`,
    headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) },
  });
