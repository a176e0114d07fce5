import { createHmac } from 'node:crypto';

export interface DeliveryIdentity {
  /** Stable across resends of the same notification or batch. */
  readonly webhookId: string;
  readonly attempt: number;
  /** The account's signing secrets (`whsec_` and base64), oldest first; empty: no signature. */
  readonly secrets: readonly string[];
}

/**
 * The headers a receiver sees beside Content-Type and User-Agent (design, section 3, "What receivers see"): `webhook-id`,
 * `webhook-timestamp` (Unix seconds), `webhook-attempt`, and for accounts with secrets `webhook-signature` as Standard Webhooks has it:
 * HMAC-SHA256 over `id.timestamp.body`, one signature a secret, newest first.
 */
export function deliveryHeaders(
  { webhookId, attempt, secrets }: DeliveryIdentity,
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
  return headers;
}

function sign(secret: string, text: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', key).update(text).digest('base64');
}
