import { LRUCache } from 'lru-cache';
import type { Credentials, LocalFault, Outcome, SettlePolicy, Settlement } from '@mailhook/core';
import { coded, parseCredentials, partToSend, secretsAt, settlement } from '@mailhook/core';
import { SealedError, SIGNING_SECRET } from '@mailhook/platform/sealing';
import type { Sealing } from '@mailhook/platform/sealing';
import type { RequestHandle } from '../receiver-client/exchange.ts';
import type { ReceiverClient } from '../receiver-client/receiver-client.ts';
import type { FrozenBatch, SendTarget } from '../mailbox/replies.ts';
import { requestOf, webhookIdOf } from './requests.ts';
import type { Attempt, Sent } from '../record/attempt.ts';
import { createRuntime } from './runtime.ts';
import type { Runtime } from './runtime.ts';

export interface Sender {
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

/**
 * The part of a batch that the next request carries, usually all of it. During a poison search and after a 413 it is
 * smaller. Its `webhook-id` then names the positions of its events.
 */
function requestFor(batch: FrozenBatch, webhookId: string): { sent: FrozenBatch; webhookId: string } {
  if (batch.search === '') return { sent: batch, webhookId };
  const { fragments, events, from } = partToSend(batch);
  const sent = { ...batch, fragments, events };
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
  deps: {
    readonly sender: Sender;
    readonly runtime: Runtime;
    readonly policy: SettlePolicy;
    readonly onError: (error: Error) => void;
  },
  { destination, batch, target }: Order,
  handle: RequestHandle,
): Promise<Attempt | NotSent> {
  const { runtime } = deps;
  const request = requestFor(batch, batch.webhookId === '' ? webhookIdOf(batch) : batch.webhookId);
  const { webhookId } = request;
  const startedAtMs = runtime.now();
  let sent: Sent | NotSent;
  try {
    sent = await deps.sender.send(request.sent, target, webhookId, handle);
  } catch (error) {
    // A bug in Mailhook must not lose the batch, so it counts as a failed attempt.
    deps.onError(error as Error);
    sent = {
      outcome: INTERNAL_FAILURE,
      durationMs: runtime.now() - startedAtMs,
      events: request.sent.events,
      fragments: '',
      eventKeys: [],
    };
  }
  if ('localFault' in sent) return sent;
  const endedAtMs = runtime.wall();
  const settle = (outcome: Outcome): Settlement => settlement(batch, outcome, deps.policy, runtime.random(), endedAtMs);
  let result: Settlement;
  try {
    result = settle(sent.outcome);
  } catch (error) {
    deps.onError(error as Error);
    sent = { ...sent, outcome: INTERNAL_FAILURE };
    result = settle(sent.outcome);
  }
  return { destination, batch, target, webhookId, sent, settlement: result, endedAtMs };
}

/** The error itself is in the log. */
const INTERNAL_FAILURE: Outcome = {
  name: 'unreachable',
  httpStatus: undefined,
  error: coded('internal'),
  unconfirmed: 'all',
  retryAfter: undefined,
};

export interface SenderDeps {
  readonly client: Pick<ReceiverClient, 'post'>;
  readonly sealing: Pick<Sealing, 'open'>;
}

/**
 * Sends batches. If the credentials of a target cannot be read, nothing is sent: a request without
 * its login or signature would be refused, and the receiver is not at fault.
 */
export function createSender({ client, sealing }: SenderDeps): Sender {
  const open = credentialsOpener(sealing);
  const runtime = createRuntime();
  return {
    async send(batch, target, webhookId, handle) {
      let credentials: Credentials;
      try {
        credentials = open(target);
      } catch (error) {
        if (!(error instanceof SealedError)) throw error;
        return { localFault: { type: 'local-fault', cause: 'secrets-key', detail: error.message } };
      }
      const { body, needsBody, eventKeys, outcomeOf } = requestOf(batch);
      const { headers: custom } = credentials;
      const { account, address } = target;
      const { attempt, events, replay } = batch;
      const secrets = secretsAt(credentials, runtime.wall());
      const identity = { webhookId, attempt, secrets, custom, replay };
      const exchange = await client.post({ account, address, body, needsBody, handle, ...identity });
      if (exchange.type === 'local-fault') return { localFault: exchange };
      const { durationMs, wasSent, isRepeated, headers, received } = exchange;
      const request = { wasSent, isRepeated, headers, body, received };
      return { outcome: outcomeOf(exchange), durationMs, events, fragments: batch.fragments, eventKeys, request };
    },
  };
}

const KNOWN_MAX = 10_000;

/** Opens the credentials of each target once. Throws a SealedError if they cannot be read. */
function credentialsOpener(sealing: Pick<Sealing, 'open'>): (target: SendTarget) => Credentials {
  const open = ({ account, credentials }: SendTarget): Credentials => {
    const { secrets, endingSecrets, headers, ...others } = parseCredentials(credentials);
    const openSecret = (secret: string): string => sealing.open(secret, { account, field: SIGNING_SECRET });
    return {
      ...others,
      secrets: secrets.map(openSecret),
      endingSecrets: endingSecrets?.map(([secret, untilMs]) => [openSecret(secret), untilMs]),
      headers: Object.fromEntries(
        Object.entries(headers).map(([field, value]) => [field, sealing.open(value, { account, field })]),
      ),
    };
  };
  const known = new LRUCache<string, Credentials, SendTarget>({
    max: KNOWN_MAX,
    memoMethod: (_key, _stale, { context }) => open(context),
  });
  // An account id has no line break.
  return (target) => known.memo(`${target.account}\n${target.credentials}`, { context: target });
}
