import {
  addAlertWebhook,
  ALERT_KINDS,
  localFaultReason,
  notificationOutcome,
  removeAlertWebhook,
} from '@mailhook/core';
import type { AlertWebhook, CodedText, CustomerServices, Store, StoredAlertWebhook } from '@mailhook/core';
import { alertSample } from '@mailhook/console';
import type { ReceiverClient } from '@mailhook/delivery';
import { ProblemError } from '@mailhook/platform/http-server';
import type { AccountWriter } from '../accounts/account-writer.ts';
import { accountGone } from '../accounts/change-account.ts';
import { newId } from '../accounts/tokens.ts';
import type { AlertFailures } from './alert-failures.ts';

/**
 * Sends a message to a webhook of alerts. Resolves with the fault, or undefined if it was taken: a status of 2xx. The
 * request follows the rules of every request to an address that a customer chooses.
 */
export type PostAlert = (
  account: string,
  webhook: Pick<StoredAlertWebhook, 'address'>,
  message: { readonly id: string; readonly text: string },
) => Promise<CodedText | undefined>;

export const createPostAlert =
  (client: Pick<ReceiverClient, 'post'>): PostAlert =>
  async (account, { address }, { id, text }) => {
    const body = JSON.stringify({ text });
    const identity = { webhookId: id, attempt: 1, secrets: [] };
    const sent = await client.post({ account, address, body, needsBody: false, ...identity });
    return sent.type === 'local-fault' ? localFaultReason(sent) : notificationOutcome(sent).error;
  };

const END_CHARS = 4;

/** The path of such an address is a password, so that only its end is shown. */
const shown = (webhook: StoredAlertWebhook, lastFailure: AlertWebhook['lastFailure'] = null): AlertWebhook => ({
  ...webhook,
  address: `${new URL(webhook.address).origin}/…${webhook.address.slice(-END_CHARS)}`,
  lastFailure,
});

/** The rules of every address that a customer chooses. */
export interface WebhookRules {
  /** Runs a test if it is the account's turn. Otherwise rejects with a 429. */
  readonly inTurn: <Result>(account: string, work: () => Promise<Result>) => Promise<Result>;
  /** Rejects with a 422 for an address that Mailhook must not call. */
  readonly checkAddress: (address: string) => Promise<void>;
}

interface AlertWebhooksDeps {
  readonly store: Pick<Store, 'load'>;
  readonly writer: AccountWriter;
  readonly failures: AlertFailures;
  readonly post: PostAlert;
  readonly rules: WebhookRules;
  /** `BRAND_NAME`. */
  readonly brand: string;
}

type AlertWebhooks = CustomerServices['alerts']['webhooks'];

export function createAlertWebhooks(deps: AlertWebhooksDeps): AlertWebhooks {
  const { store, writer, failures, post, rules } = deps;
  return {
    async list(account) {
      const stored = (await store.load(account))?.alertWebhooks ?? [];
      const last = await failures.read(stored.map(({ id }) => id));
      return stored.map((one, i) => shown(one, last[i]));
    },
    async create(account, { address, language = 'en' }) {
      await rules.checkAddress(address);
      const created: StoredAlertWebhook = {
        id: newId(),
        address,
        language,
        createdAt: new Date().toISOString(),
        kinds: [...ALERT_KINDS],
        muted: [],
      };
      if ((await writer.change(account, (current) => addAlertWebhook(current, created))) === undefined)
        throw accountGone();
      return shown(created);
    },
    async remove(account, id) {
      if ((await writer.change(account, (stored) => removeAlertWebhook(stored, id))) === undefined)
        throw unknownWebhook();
      await failures.forget(id);
    },
    test: (account, id) =>
      rules.inTurn(account, async () => {
        const stored = await store.load(account);
        const webhook = stored?.alertWebhooks.find((one) => one.id === id);
        if (stored === undefined || webhook === undefined) throw unknownWebhook();
        const text = alertSample(deps.brand, { language: webhook.language, account: stored.name });
        const reason = await post(account, webhook, { id: `test-${newId()}`, text });
        if (reason === undefined) await failures.forget(id);
        return reason === undefined ? { success: true } : { success: false, reason };
      }),
  };
}

const unknownWebhook = (): ProblemError =>
  new ProblemError('not_found', { detail: 'This account has no webhook for alerts with this id.' });
