import { createHmac } from 'node:crypto';

interface WebhookHeadersInput {
  /** Stable across resends of the same notification or batch. */
  readonly id: string;
  readonly attempt: number;
  /** The body exactly as it will be sent. */
  readonly body: string;
  /** The account's signing secrets, `whsec_` and base64; none: no signature. */
  readonly secrets: readonly string[];
  readonly nowMs: number;
}

/** The headers of every request to a receiver (design, section 3, "What receivers see"), signed as Standard Webhooks has it. */
export function webhookHeaders({ id, attempt, body, secrets, nowMs }: WebhookHeadersInput): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const headers = { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-attempt': String(attempt) };
  if (secrets.length === 0) return headers;
  const content = `${id}.${timestamp}.${body}`;
  return { ...headers, 'webhook-signature': secrets.map((secret) => `v1,${signature(secret, content)}`).join(' ') };
}

const SECRET_PREFIX = 'whsec_';

const signature = (secret: string, content: string): string =>
  createHmac('sha256', Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64'))
    .update(content)
    .digest('base64');
