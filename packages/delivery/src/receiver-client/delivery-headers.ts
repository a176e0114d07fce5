import { createHmac } from 'node:crypto';
import { MAILHOOK_VERSION } from '@mailhook/core';

export interface DeliveryIdentity {
  /** Stable across resends of the same notification or batch. */
  readonly webhookId: string;
  readonly attempt: number;
  /** The account's signing secrets (`whsec_` and base64), oldest first. Without secrets there is no signature. */
  readonly secrets: readonly string[];
  /** The account's custom headers. They cannot replace the headers of the protocol. */
  readonly custom?: Readonly<Record<string, string>>;
  /** Id of the replay that sends these events again, '' for none. */
  readonly replay?: string;
}

export type SentHeaders = Readonly<Record<string, string>>;

const PRODUCT = 'Mailhook/';
const COMMON = {
  'content-type': 'application/json;charset=UTF-8',
  'user-agent': PRODUCT + MAILHOOK_VERSION,
  'accept-encoding': 'identity',
};

/**
 * All headers of a request but those of HTTP itself (docs/protocol.md). Accounts with secrets get `webhook-signature`
 * as in Standard Webhooks, an HMAC-SHA256 of `id.timestamp.body`. It has one signature per secret, newest first.
 */
export function deliveryHeaders(
  { webhookId, attempt, secrets, custom = {}, replay = '' }: DeliveryIdentity,
  body: string,
  nowMs: number,
): SentHeaders {
  const timestamp = String(Math.floor(nowMs / 1000));
  const headers: Record<string, string> = {
    'content-type': COMMON['content-type'],
    'user-agent': COMMON['user-agent'],
    'accept-encoding': COMMON['accept-encoding'],
    'webhook-id': webhookId,
    'webhook-timestamp': timestamp,
    'webhook-attempt': String(attempt),
  };
  if (replay !== '') headers['webhook-replay'] = replay;
  if (secrets.length > 0) {
    const signed = `${webhookId}.${timestamp}.${body}`;
    headers['webhook-signature'] = secrets
      .toReversed()
      .map((secret) => `v1,${sign(secret, signed)}`)
      .join(' ');
  }
  // Few destinations have custom headers, and a spread makes the object several times as large.
  return Object.keys(custom).length === 0 ? headers : { ...COMMON, ...custom, ...headers };
}

function sign(secret: string, text: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', key).update(text).digest('base64');
}

/** What the attempt log keeps of a request's headers, because an account's rows have few bytes. */
export interface KeptHeaders {
  /** `webhook-timestamp`, in Unix seconds. */
  readonly at: number;
  readonly signatures: number;
  /** Names of custom headers. Their values are never kept. */
  readonly custom?: readonly string[];
  /** What follows the product's name in `user-agent`: the version of the worker. */
  readonly by: string;
}

export function keptHeaders(headers: SentHeaders): KeptHeaders {
  const custom = Object.keys(headers).filter(isCustom);
  return {
    at: Number(headers['webhook-timestamp']),
    signatures: headers['webhook-signature']?.split(' ').length ?? 0,
    ...(custom.length === 0 ? {} : { custom }),
    by: headers['user-agent']?.slice(PRODUCT.length) ?? '',
  };
}

/** Kept headers as people see them. `identity.secrets` sign the body again. */
export const shownHeaders = (
  { at, custom = [], by }: KeptHeaders,
  identity: Omit<DeliveryIdentity, 'custom'>,
  body: string,
): SentHeaders => {
  const names = Object.fromEntries(custom.map((name) => [name, '']));
  const headers = deliveryHeaders({ ...identity, custom: names }, body, at * 1000);
  return hideCustom({ ...headers, 'user-agent': PRODUCT + by });
};

/** Headers as people see them: no values of custom headers. */
export const hideCustom = (headers: SentHeaders): SentHeaders =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, isCustom(name) ? '(not shown)' : value]));

const isCustom = (name: string): boolean => !name.startsWith('webhook-') && !Object.hasOwn(COMMON, name);

/** undici takes a list of names and values without copying it once more. */
export function namesAndValues(headers: SentHeaders): string[] {
  const list: string[] = [];
  for (const name in headers) list.push(name, headers[name] ?? '');
  return list;
}
