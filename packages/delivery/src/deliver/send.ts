import { LRUCache } from 'lru-cache';
import type { Credentials, LocalFault, Outcome, SentBatch, SettlePolicy, Settlement } from '@mailhook/core';
import { errorText, parseCredentials, partToSend, settlement } from '@mailhook/core';
import { SealedError, SIGNING_SECRET } from '@mailhook/platform/sealing';
import type { Sealing } from '@mailhook/platform/sealing';
import type { RequestHandle } from '../receiver-client/exchange.ts';
import type { FrozenBatch, SendTarget } from '../mailbox/replies.ts';
import type { Attempt, Sent } from '../record/attempt.ts';

/** What differs between the two mechanisms. */
export interface Sender {
  /** The `webhook-id` of a batch that is sent for the first time. */
  webhookId(batch: FrozenBatch): string;
  /** Sends the events of `batch`. Resolves even when the receiver fails. */
  readonly send: (
    batch: FrozenBatch,
    target: SendTarget,
    webhookId: string,
    handle: RequestHandle,
  ) => Promise<Sent | NotSent>;
}

/** Nothing was sent because of a local fault. No attempt is used up, and the same batch is sent later. */
export interface NotSent {
  readonly localFault: LocalFault;
}

/** The batch in the form that `core` works with. */
const sentBatchOf = ({ content, events, step, search }: FrozenBatch): SentBatch => ({
  fragments: content,
  events,
  step,
  search,
});

/**
 * The part of a batch that the next request carries, usually all of it. During a poison search and after a 413 it is
 * smaller. Its `webhook-id` then names the positions of its events.
 */
function requestFor(batch: FrozenBatch, whole: SentBatch, webhookId: string): { sent: FrozenBatch; webhookId: string } {
  if (batch.search === '') return { sent: batch, webhookId };
  const { fragments, events, from } = partToSend(whole);
  const sent = { ...batch, content: fragments, events };
  return { sent, webhookId: events === batch.events ? webhookId : `${webhookId}-${from}-${from + events}` };
}

/** A batch and its target. */
interface Order {
  readonly destination: string;
  readonly batch: FrozenBatch;
  readonly target: SendTarget;
}

/** Sends a batch and decides what follows, or returns why nothing was sent. Never rejects. */
export async function sendBatch(
  deps: { readonly sender: Sender; readonly policy: SettlePolicy; readonly onError: (error: Error) => void },
  { destination, batch, target }: Order,
  handle: RequestHandle,
): Promise<Attempt | NotSent> {
  const whole = sentBatchOf(batch);
  const request = requestFor(batch, whole, batch.webhookId === '' ? deps.sender.webhookId(batch) : batch.webhookId);
  const { webhookId } = request;
  const startedAtMs = performance.now();
  let sent: Sent | NotSent;
  try {
    sent = await deps.sender.send(request.sent, target, webhookId, handle);
  } catch (error) {
    // A bug in Mailhook must not lose the batch, so it counts as a failed attempt.
    deps.onError(error as Error);
    sent = {
      outcome: internalFailure(error as Error),
      durationMs: performance.now() - startedAtMs,
      events: request.sent.events,
      fragments: '',
      eventKeys: [],
    };
  }
  if ('localFault' in sent) return sent;
  const endedAtMs = Date.now();
  const settle = (outcome: Outcome): Settlement => settlement(whole, outcome, deps.policy, Math.random(), endedAtMs);
  let result: Settlement;
  try {
    result = settle(sent.outcome);
  } catch (error) {
    deps.onError(error as Error);
    sent = { ...sent, outcome: internalFailure(error as Error) };
    result = settle(sent.outcome);
  }
  return { destination, batch, target, webhookId, sent, settlement: result, endedAtMs };
}

const internalFailure = (error: Error): Outcome => ({
  name: 'unreachable',
  httpStatus: undefined,
  error: errorText(`the request could not be made: ${error.message}`),
  unconfirmed: 'all',
  retryAfter: undefined,
});

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
 * Opens the credentials of each target. If they cannot be read, nothing is sent: a request without its login or
 * signature would be refused, and the receiver is not at fault.
 */
export function withOpenCredentials(sender: OpenSender, sealing: Pick<Sealing, 'open'>): Sender {
  const open = ({ account, credentials: text }: SendTarget): Credentials => {
    const { secrets, headers, ...others } = parseCredentials(text);
    return {
      ...others,
      secrets: secrets.map((secret) => sealing.open(secret, { account, field: SIGNING_SECRET })),
      headers: Object.fromEntries(
        Object.entries(headers).map(([field, value]) => [field, sealing.open(value, { account, field })]),
      ),
    };
  };
  const known = new LRUCache<string, Credentials, SendTarget>({
    max: KNOWN_MAX,
    memoMethod: (_key, _stale, { context }) => open(context),
  });
  return {
    webhookId: (batch) => sender.webhookId(batch),
    send(batch, target, webhookId, handle) {
      let credentials: Credentials;
      try {
        // An account id has no line break.
        credentials = known.memo(`${target.account}\n${target.credentials}`, { context: target });
      } catch (error) {
        if (!(error instanceof SealedError)) throw error;
        const localFault = { type: 'local-fault', cause: 'secrets-key', detail: error.message } as const;
        return Promise.resolve({ localFault });
      }
      return sender.send(batch, target, credentials, webhookId, handle);
    },
  };
}
