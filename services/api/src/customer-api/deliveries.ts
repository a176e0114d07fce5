import type { z } from 'zod';
import type { AttemptRequest, deliveriesQuery, DeliveryAttempt, DeliveryAttemptDetail, Page } from '@mailhook/core';
import { shownHeaders } from '@mailhook/delivery';
import type { AttemptLog, KeptAttempt, ReadHeldEvents } from '@mailhook/insight';
import { ProblemError } from '@mailhook/platform/http-server';
import type { RequestLimits } from '../auth/request-limits.ts';

/** Recent attempts of the account's deliveries, newest first. */
export type Deliveries = (account: string, query: z.infer<typeof deliveriesQuery>) => Promise<Page<DeliveryAttempt>>;

interface DeliveriesDeps {
  readonly attempts: Pick<AttemptLog, 'list'>;
  readonly limits: Pick<RequestLimits, 'scan'>;
}

export const createDeliveries =
  ({ attempts, limits }: DeliveriesDeps): Deliveries =>
  async (account, { from, to, ...query }) => {
    const times = {
      ...(from === undefined ? {} : { fromMs: Date.parse(from) }),
      ...(to === undefined ? {} : { toMs: Date.parse(to) }),
    };
    const list = () => attempts.list(account, { ...query, ...times });
    // Without a filter, the newest rows suffice. An open settings page asks for them every few seconds.
    const isScan = [query.destination, query.status, query.type, query.cursor, from, to].some(
      (one) => one !== undefined,
    );
    return isScan ? limits.scan(account, list) : list();
  };

/** One attempt with its request, its reply and the events that are still held. Rejects with a 404. */
export type ReadAttempt = (account: string, id: string) => Promise<DeliveryAttemptDetail>;

interface ReadAttemptDeps {
  readonly attempts: Pick<AttemptLog, 'read'>;
  readonly readHeldEvents: ReadHeldEvents;
  readonly limits: Pick<RequestLimits, 'scan'>;
}

export const createReadAttempt =
  ({ attempts, readHeldEvents, limits }: ReadAttemptDeps): ReadAttempt =>
  (account, id) =>
    limits.scan(account, async () => {
      const kept = await attempts.read(account, id);
      if (kept === undefined) {
        throw new ProblemError('not_found', {
          detail: 'There is no such attempt: it is over 7 days old, or newer ones took its place in the log.',
        });
      }
      const { attempt, facts } = kept;
      const held = attempt.status === 'delivered' ? undefined : await readHeldEvents(account, kept);
      return {
        ...attempt,
        ...(facts === undefined ? {} : { wasSent: facts.request !== undefined, eventKeys: [...facts.eventKeys] }),
        ...(facts?.request === undefined ? {} : { request: requestOf(attempt, facts.request) }),
        ...(facts?.reply === undefined ? {} : { reply: facts.reply }),
        ...(held === undefined ? {} : { held }),
      };
    });

type KeptRequest = NonNullable<NonNullable<KeptAttempt['facts']>['request']>;

function requestOf(
  { attempt, webhookId = '' }: DeliveryAttempt,
  { bytes, isRepeated, ...kept }: KeptRequest,
): AttemptRequest {
  const headers = shownHeaders(kept, { webhookId, attempt });
  const { signatures } = kept;
  return { method: 'POST', headers, signatures, bytes, ...(isRepeated === true ? { isRepeated } : {}) };
}
