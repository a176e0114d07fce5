import { coded } from '@mailhook/core';
import type { AttemptRequest, DeliveryAttempt, DeliveryAttemptDetail, CustomerServices } from '@mailhook/core';
import { shownHeaders } from '@mailhook/delivery';
import type { AttemptLog, KeptAttempt, ReadHeldEvents } from '@mailhook/insight';
import { ProblemError } from '@mailhook/platform/http-server';
import type { RequestLimits } from '../auth/request-limits.ts';
import type { ReadCredentials } from './credentials.ts';

interface DeliveriesDeps {
  readonly attempts: Pick<AttemptLog, 'list'>;
  readonly limits: Pick<RequestLimits, 'scan'>;
}

export const createDeliveries =
  ({ attempts, limits }: DeliveriesDeps): CustomerServices['deliveries'] =>
  async (account, { from, to, ...query }) => {
    const times = {
      ...(from === undefined ? {} : { fromMs: Date.parse(from) }),
      ...(to === undefined ? {} : { toMs: Date.parse(to) }),
    };
    const list = () => attempts.list(account, { ...query, ...times });
    // Without a filter, the newest rows suffice. An open settings page asks for them every few seconds.
    const { destination, status, type, kind, reply, attempt, text, cursor } = query;
    const isScan = [destination, status, type, kind, reply, attempt, text, cursor, from, to].some(
      (one) => one !== undefined,
    );
    return isScan ? limits.scan(account, list) : list();
  };

interface ReadAttemptDeps {
  readonly attempts: Pick<AttemptLog, 'read' | 'readBody' | 'findBatch'>;
  readonly readHeldEvents: ReadHeldEvents;
  readonly credentials: ReadCredentials;
  readonly limits: Pick<RequestLimits, 'scan'>;
}

/** Rejects with a 404. */
export const createReadAttempt =
  ({ attempts, readHeldEvents, credentials, limits }: ReadAttemptDeps): CustomerServices['readAttempt'] =>
  (account, id) =>
    limits.scan(account, async () => {
      const kept = await attempts.read(account, id);
      if (kept === undefined) {
        throw new ProblemError('not_found', {
          detail: coded('unknown-attempt'),
        });
      }
      const { attempt, facts } = kept;
      const [held, keptBody, batchAttempts] = await Promise.all([
        attempt.status === 'delivered' ? undefined : readHeldEvents(account, kept),
        attempts.readBody(account, attempt),
        attempts.findBatch(account, kept),
      ]);
      const body = facts?.request === undefined ? undefined : (keptBody ?? bodyOf(attempt, facts.request.bytes, held));
      const secrets = body === undefined ? [] : await secretsOf(credentials, account, attempt);
      return {
        ...attempt,
        ...(facts === undefined ? {} : { wasSent: facts.request !== undefined, eventKeys: [...facts.eventKeys] }),
        ...(facts?.request === undefined ? {} : { request: requestOf(attempt, facts.request, body, secrets) }),
        ...(facts?.reply === undefined ? {} : { reply: facts.reply }),
        ...(held === undefined ? {} : { held }),
        ...(batchAttempts.length === 0 ? {} : { batchAttempts }),
      };
    });

type KeptRequest = NonNullable<NonNullable<KeptAttempt['facts']>['request']>;

/** The body, if Mailhook still holds all of its events, in a resend or a dead letter. */
function bodyOf(
  { attempt, shape }: DeliveryAttempt,
  bytes: number,
  held: DeliveryAttemptDetail['held'],
): string | undefined {
  const [first] = held?.payloads ?? [];
  if (held === undefined || first === undefined || shape === undefined) return undefined;
  // A resend has the number of a later attempt.
  const sent = shape === 'batch' ? held.payloads.map((event) => ({ ...event, attempt })) : held.payloads;
  const body = JSON.stringify(shape === 'single' ? first : sent);
  return Buffer.byteLength(body) === bytes ? body : undefined;
}

/** The secrets that sign requests to the destination now. Empty if they cannot be read. */
async function secretsOf(
  credentials: ReadCredentials,
  account: string,
  { kind, address, destination }: DeliveryAttempt,
): Promise<readonly string[]> {
  if (kind === 'test') return [];
  const { secrets } = await credentials(account, { address, kind, destination }).catch(() => ({
    secrets: [],
  }));
  return secrets;
}

function requestOf(
  { attempt, webhookId = '' }: DeliveryAttempt,
  { bytes, isRepeated, ...kept }: KeptRequest,
  body: string | undefined,
  secretsInForce: readonly string[],
): AttemptRequest {
  const { signatures } = kept;
  const secrets = secretsInForce.length === signatures ? secretsInForce : [];
  return {
    method: 'POST',
    headers: shownHeaders(kept, { webhookId, attempt, secrets }, body ?? ''),
    signatures,
    bytes,
    ...(body === undefined ? {} : { body }),
    ...(isRepeated === true ? { isRepeated } : {}),
  };
}
