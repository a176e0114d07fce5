import { createHmac } from 'node:crypto';

export interface DeliveryIdentity {
  /** Stable across resends of the same notification or batch. */
  readonly webhookId: string;
  readonly attempt: number;
  /** The account's signing secrets (`whsec_` and base64), oldest first. Without secrets there is no signature. */
  readonly secrets: readonly string[];
  /** The account's custom headers. They cannot replace the headers of the protocol. */
  readonly custom?: Readonly<Record<string, string>>;
}

/** The headers of every request, whatever it carries. */
export const commonHeaders = (version: string): Readonly<Record<string, string>> => ({
  'content-type': 'application/json;charset=UTF-8',
  'user-agent': `Mailhook/${version}`,
  'accept-encoding': 'identity',
});

/**
 * The headers that a receiver gets besides those of `commonHeaders` (docs/protocol.md): custom headers, `webhook-id`,
 * `webhook-timestamp` (Unix seconds) and `webhook-attempt`. Accounts with secrets also get `webhook-signature` as in
 * Standard Webhooks, an HMAC-SHA256 of `id.timestamp.body`. It has one signature per secret, newest first.
 */
export function deliveryHeaders(
  { webhookId, attempt, secrets, custom = {} }: DeliveryIdentity,
  body: string,
  nowMs: number,
): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const headers: Record<string, string> = {
    'webhook-id': webhookId,
    'webhook-timestamp': timestamp,
    'webhook-attempt': String(attempt),
  };
  if (secrets.length > 0) {
    const signed = `${webhookId}.${timestamp}.${body}`;
    headers['webhook-signature'] = secrets
      .toReversed()
      .map((secret) => `v1,${sign(secret, signed)}`)
      .join(' ');
  }
  // Few destinations have custom headers, and a spread makes the object several times as large.
  return Object.keys(custom).length === 0 ? headers : { ...custom, ...headers };
}

function sign(secret: string, text: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', key).update(text).digest('base64');
}
