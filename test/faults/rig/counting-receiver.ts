import { setTimeout as wait } from 'node:timers/promises';
import { acknowledge, startReceiver } from '@mailhook/testing';
import type { ReceivedRequest, ReplyAction } from '@mailhook/testing';
import type { Ledger } from './ledger.ts';

/** What a `Treat` function sees of a request. */
interface SeenRequest {
  readonly webhookId: string;
  readonly attempt: number;
  /** The key of the first event in the ledger. */
  readonly firstKey: string;
  /** The body. */
  readonly text: string;
}

/**
 * How the receiver treats a request: it acknowledges after `delayMs`, refuses all of it with a status, or never
 * answers.
 */
interface Treatment {
  readonly delayMs: number;
  readonly status?: number;
  /** The length of the body when a request is refused. */
  readonly bodyBytes?: number;
  readonly hangs?: boolean;
  /** Returns true for campaign events that the reply does not acknowledge. */
  readonly leavesOut?: (key: string) => boolean;
}

/** One server for all destinations of a run. It keeps counts and no bodies, so that a long run needs little memory. */
export interface CountingReceiver {
  readonly url: string;
  readonly requests: number;
  /** The most requests in flight at once, by path. */
  readonly peaks: ReadonlyMap<string, number>;
  /** Requests that were refused or not answered. */
  readonly refusals: number;
  /** Requests with a `webhook-attempt` above 1. */
  readonly resends: number;
  /** The `webhook-id` of each request that was refused and not acknowledged later. */
  readonly refused: ReadonlySet<string>;
  /** Sets how requests are treated from now on. */
  treat(treatment: Treat): void;
  close(): Promise<void>;
}

export type Treat = (path: string, request: SeenRequest) => Treatment;

/**
 * Confirms the events of each request in the ledger at the moment of the 200. The key of a notification is its path and
 * `messageId`, the key of a campaign event its `email`. Refusals concern the whole request, so that an event keeps its
 * `webhook-id`.
 */
export async function startCountingReceiver(
  ledger: Pick<Ledger, 'confirm'>,
  first: Treat = () => ({ delayMs: 0 }),
): Promise<CountingReceiver> {
  let treatment = first;
  let [requests, refusals, resends] = [0, 0, 0];
  const refused = new Set<string>();
  const peaks = new Map<string, number>();
  const inFlight = new Map<string, number>();

  const count = ({ path, over }: ReceivedRequest): void => {
    requests += 1;
    const now = (inFlight.get(path) ?? 0) + 1;
    inFlight.set(path, now);
    if (now > (peaks.get(path) ?? 0)) peaks.set(path, now);
    void over.then(() => inFlight.set(path, (inFlight.get(path) ?? 1) - 1));
  };

  const refuse = (webhookId: string, { status, bodyBytes }: Treatment): ReplyAction => {
    refusals += 1;
    refused.add(webhookId);
    if (status === undefined) return { hang: 'reply' };
    return { status, ...(bodyBytes === undefined ? {} : { fillBytes: bodyBytes }) };
  };

  const reply = async (request: ReceivedRequest): Promise<ReplyAction> => {
    count(request);
    const { path, headers, text } = request;
    const body = request.json as Body;
    const [webhookId, attempt] = [String(headers['webhook-id']), Number(headers['webhook-attempt'])];
    if (attempt > 1) resends += 1;
    const how = treatment(path, { webhookId, attempt, firstKey: keysOf(path, body)[0] ?? '', text });
    if (how.delayMs > 0) await wait(how.delayMs);
    if (how.hangs === true || how.status !== undefined) return refuse(webhookId, how);
    refused.delete(webhookId);
    const events = isBatch(body) ? body.filter(({ email }) => how.leavesOut?.(email) !== true) : body;
    for (const key of keysOf(path, events)) ledger.confirm(key, webhookId, path);
    return isBatch(events) ? acknowledge(events) : {};
  };

  const receiver = await startReceiver({ keepsRequests: false, reply });
  return {
    url: receiver.url,
    get requests() {
      return requests;
    },
    get refusals() {
      return refusals;
    },
    get resends() {
      return resends;
    },
    refused,
    peaks,
    treat: (next) => {
      treatment = next;
    },
    close: () => receiver.close(),
  };
}

interface ReceivedEvent {
  readonly email: string;
  readonly messageId: string;
  readonly hash: string;
}

type Body = ReceivedEvent | readonly ReceivedEvent[];

/** Returns the events' keys in the ledger: `email` in a batch, path and `messageId` of a notification. */
const keysOf = (path: string, body: Body): string[] =>
  isBatch(body) ? body.map(({ email }) => email) : [`${path} ${body.messageId}`];

const isBatch = (body: Body): body is readonly ReceivedEvent[] => Array.isArray(body);
