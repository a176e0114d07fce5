import { randomBytes } from 'node:crypto';
import type { AlertLinks } from '@mailhook/console';
import { addAlertAddress, confirmAlertAddress, removeAlertAddress, StoreConflictError } from '@mailhook/core';
import type { AlertAddress, AlertAddressInput, Store, StoredAlertAddress } from '@mailhook/core';
import { ProblemError } from '@mailhook/platform/http-server';
import type { Redis } from '@mailhook/platform/redis';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { accountGone } from '../accounts/change-account.ts';
import { hashToken, newId } from '../accounts/tokens.ts';
import { createWindowCounter } from '../auth/window-counter.ts';
import type { AlertQueue } from './alert-queue.ts';

/** The e-mail addresses of an account that get alerts. */
export interface AlertAddresses {
  /** Oldest first. */
  list(account: string): Promise<AlertAddress[]>;
  /**
   * Sends the address a mail that asks its owner to confirm. Rejects with a 429 after too many such mails, or with
   * StoreConflictError.
   */
  readonly create: (account: string, input: AlertAddressInput) => Promise<AlertAddress>;
  remove(account: string, id: string): Promise<void>;
}

interface AlertAddressesDeps {
  readonly store: Pick<Store, 'load'>;
  readonly writer: AccountWriter;
  readonly queue: Pick<AlertQueue, 'addMails'>;
  readonly redis: Redis;
  readonly prefix: string;
}

const DAY_S = 86_400;
/** Mails a day that ask for a confirmation. Nobody can use Mailhook to fill a stranger's mailbox. */
const PER_ACCOUNT = 20;
const PER_ADDRESS = 3;

const shown = ({ token: _token, ...address }: StoredAlertAddress): AlertAddress => address;

export function createAlertAddresses(deps: AlertAddressesDeps): AlertAddresses & { readonly links: AlertLinks } {
  const { store, writer, queue } = deps;
  const admit = confirmationLimit(deps);
  const find = async (account: string, token: string): Promise<StoredAlertAddress | undefined> =>
    // Digests, so that the time of the comparison says nothing about the token.
    (await store.load(account))?.alertAddresses.find((one) => hashToken(one.token) === hashToken(token));
  return {
    list: async (account) => ((await store.load(account))?.alertAddresses ?? []).map(shown),
    async create(account, { email, language = 'en' }) {
      const created: StoredAlertAddress = {
        id: newId(),
        email,
        language,
        confirmed: false,
        createdAt: new Date().toISOString(),
        token: randomBytes(32).toString('base64url'),
      };
      const stored = await store.load(account);
      const added = stored && addAlertAddress(stored, created);
      // Before the limit, because it counts mails.
      if (added instanceof StoreConflictError) throw added;
      await admit(account, email);
      if ((await writer.change(account, (current) => addAlertAddress(current, created))) === undefined)
        throw accountGone();
      await queue.addMails([{ id: `confirm-${created.id}`, data: { account, recipient: created.id } }]);
      return shown(created);
    },
    async remove(account, id) {
      if ((await writer.change(account, (stored) => removeAlertAddress(stored, id))) === undefined)
        throw new ProblemError('not_found', { detail: 'This account has no e-mail address for alerts with this id.' });
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
        return shown({ ...found, confirmed: true });
      },
      unsubscribe: async (account, token) => {
        const found = await find(account, token);
        if (found === undefined) return undefined;
        await writer.change(account, (stored) => removeAlertAddress(stored, found.id), { evenWhenFull: true });
        return shown(found);
      },
    },
  };
}

/** Redis stores only a digest of the address. */
function confirmationLimit({ redis, prefix }: AlertAddressesDeps) {
  const counter = (of: string) =>
    createWindowCounter({ redis, prefix: `${prefix}:alerts:asked-${of}`, windowS: DAY_S });
  const [ofAccount, ofAddress] = [counter('account'), counter('address')];
  return async (account: string, email: string): Promise<void> => {
    const asked = await ofAccount.penalty(account);
    if (asked.consumedPoints > PER_ACCOUNT) {
      throw tooMany(asked.msBeforeNext, `This account added more than ${PER_ACCOUNT} e-mail addresses within a day.`);
    }
    const got = await ofAddress.penalty(hashToken(email.toLowerCase()));
    if (got.consumedPoints > PER_ADDRESS)
      throw tooMany(got.msBeforeNext, `This e-mail address was asked to confirm ${PER_ADDRESS} times within a day.`);
  };
}

const tooMany = (waitMs: number, detail: string): ProblemError =>
  new ProblemError('rate_limited', {
    detail: `${detail} Try again tomorrow.`,
    headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) },
  });
