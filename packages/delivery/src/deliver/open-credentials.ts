import type { Credentials } from '@mailhook/core';
import { parseCredentials } from '@mailhook/core';
import { SealedError, SIGNING_SECRET } from '@mailhook/platform/sealing';
import type { Sealing } from '@mailhook/platform/sealing';
import type { FrozenBatch, SendTarget } from '../mailbox/replies.ts';
import type { RequestHandle } from '../receiver-client/exchange.ts';
import type { Sender } from './send-batch.ts';

/** A sender that needs the secrets and headers of its target in the clear. */
export interface OpenSender extends Pick<Sender, 'webhookId'> {
  readonly send: (
    batch: FrozenBatch,
    target: SendTarget,
    credentials: Credentials,
    webhookId: string,
    handle: RequestHandle,
  ) => ReturnType<Sender['send']>;
}

const KNOWN_MAX = 10_000;

/**
 * Opens the credentials of each target. If they cannot be read, nothing is sent: a request without its login or signature would be refused, and the
 * receiver is not at fault.
 */
export function withOpenCredentials(sender: OpenSender, sealing: Pick<Sealing, 'open'>): Sender {
  const known = new Map<string, Credentials>();
  const open = ({ account, credentials: text }: SendTarget): Credentials => {
    // An account id has no line break.
    const key = `${account}\n${text}`;
    const found = known.get(key);
    if (found !== undefined) return found;
    const { secrets, headers, ...others } = parseCredentials(text);
    const opened = {
      ...others,
      secrets: secrets.map((secret) => sealing.open(secret, { account, field: SIGNING_SECRET })),
      headers: Object.fromEntries(
        Object.entries(headers).map(([field, value]) => [field, sealing.open(value, { account, field })]),
      ),
    };
    if (known.size >= KNOWN_MAX) known.clear();
    known.set(key, opened);
    return opened;
  };
  return {
    webhookId: (batch) => sender.webhookId(batch),
    send(batch, target, webhookId, handle) {
      let credentials: Credentials;
      try {
        credentials = open(target);
      } catch (error) {
        if (!(error instanceof SealedError)) throw error;
        const localFault = { type: 'local-fault', cause: 'secrets-key', detail: error.message } as const;
        return Promise.resolve({ localFault });
      }
      return sender.send(batch, target, credentials, webhookId, handle);
    },
  };
}
