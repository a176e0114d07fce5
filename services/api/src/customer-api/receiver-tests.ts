import { createHash, randomUUID } from 'node:crypto';
import {
  asTested,
  attemptReplyOf,
  batchBody,
  batchOutcome,
  capitalized,
  coded,
  connectionTestDetail,
  connectionTestFault,
  editedSample,
  fieldErrors,
  KINDS,
  localFaultReason,
  moduleOf,
  notificationOutcome,
  sampleEvent,
  sampleNotification,
  sentence,
  unknownFields,
  validateEvent,
  webPageFault,
} from '@mailhook/core';
import type {
  CodedText,
  EventModule,
  EventTypeName,
  ProducerEvent,
  ReceiverExchange,
  Shape,
  ShownDestination,
  SubscriptionType,
  TestResult,
} from '@mailhook/core';
import { factsOf, fragmentOf, hideCustom, requestOf } from '@mailhook/delivery';
import { invalid } from '@mailhook/platform/http-server';
import type { AttemptRecorder, ReceiverClient } from '@mailhook/delivery';
import { ONE_OF_EACH, sampleBatch } from '@mailhook/doctor';
import type { RequestLimiter } from './check-limiter.ts';
import type { ReadCredentials, TestTarget } from './credentials.ts';

/**
 * The tests that a customer runs. Each sends one request at once, and is listed among the deliveries. The result shows
 * the request and the reply. Rejects with a 429 after too many tests of the account.
 */
export interface ReceiverTests {
  /** Sends a sample notification. `destination`: public id of the tested one, if it is known. */
  notification(account: string, address: string, type: SubscriptionType, destination?: string): Promise<TestResult>;
  /** Runs the connection test of a campaign webhook (docs/protocol.md). */
  connection(account: string, address: string): Promise<TestResult>;
  /** Sends a batch with a sample event of each campaign type. */
  batch(account: string, address: string): Promise<TestResult>;
  /**
   * Sends a sample event of this type as the destination would get it. Without an id, it is found by its address.
   *
   * @param edited fields in place of those of the sample. Rejects with a 422 that names a wrong one.
   */
  sample(
    account: string,
    destination: SampledDestination,
    type: EventTypeName,
    edited?: Readonly<Record<string, unknown>>,
  ): Promise<TestResult>;
}

export type SampledDestination = Pick<ShownDestination, 'module' | 'address' | 'version' | 'shape'> &
  Partial<Pick<ShownDestination, 'id'>>;

interface ReceiverTestsDeps {
  readonly client: Pick<ReceiverClient, 'post'>;
  readonly turns: RequestLimiter;
  readonly attempts: Pick<AttemptRecorder, 'record' | 'flush'>;
  readonly credentials: ReadCredentials;
  /** Unix milliseconds. */
  readonly now: () => number;
}

export function createReceiverTests(deps: ReceiverTestsDeps): ReceiverTests {
  const sendNow = sendTest(deps);
  const send: typeof sendNow = (account, ...test) => deps.turns.run(account, () => sendNow(account, ...test));
  return {
    notification: (account, address, type, destination) => {
      const sample = { name: type, messageId: `test-${randomUUID()}`, what: 'a test from Mailhook', nowMs: deps.now() };
      const body = sampleNotification(sample);
      const target = { address, kind: 'transactional', type, destination } as const;
      return send(account, target, { body, needsBody: false, shape: 'single' }, NOTIFICATION);
    },
    connection: (account, address) => {
      const body = JSON.stringify({ test: 'This is a connection test from Mailhook' });
      return send(account, { address, kind: 'campaign' }, { body, needsBody: true }, CONNECTION);
    },
    batch: (account, address) => {
      const run = randomUUID().slice(0, 8);
      const { fragments, hashes } = sampleBatch(run, ONE_OF_EACH, deps.now());
      const request = {
        body: batchBody(fragments, 1),
        needsBody: true,
        events: hashes.length,
        shape: 'batch',
      } as const;
      return send(account, { address, kind: 'campaign' }, request, {
        faultOf: (exchange) => batchOutcome(exchange, hashes).error,
      });
    },
    sample: async (account, { id, module, address, version, shape }, type, edited) => {
      const event = sampleOf(module, type, deps.now(), edited);
      const fragment = fragmentOf(event, version, digest);
      const isNotification = version === 1 && module === 'transactional_email';
      const fragments = isNotification ? `msg_test\n${fragment}` : fragment;
      const { body, needsBody, outcomeOf } = requestOf({ fragments, attempt: 1, shape });
      const faultOf = (exchange: ReceiverExchange) => outcomeOf(exchange).error;
      const judge = needsBody ? { faultOf } : { ...NOTIFICATION, faultOf };
      const target = { address, kind: KINDS[module], destination: id };
      return send(account, target, { body, needsBody, shape }, judge);
    },
  };
}

function sampleOf(
  module: EventModule,
  type: EventTypeName,
  nowMs: number,
  edited: Readonly<Record<string, unknown>> | undefined,
): ProducerEvent {
  const id = `test-${randomUUID()}`;
  if (edited === undefined) return sampleEvent(module, type, id, nowMs);
  const event = editedSample(module, type, id, nowMs, edited);
  const found = validateEvent(event);
  const faults = 'errors' in found ? fieldErrors(found.errors, 'event') : unknownFields(event, UNKNOWN_MAX);
  if ('value' in found && faults.length === 0) return found.value;
  throw invalid(faults.map(({ path, message }) => ({ path: path.replace(/^(?!event\.)/, 'event.'), message })));
}

/** Unknown fields of an edited sample that an answer names. */
const UNKNOWN_MAX = 10;

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');

interface TestRequest {
  readonly body: string;
  readonly needsBody: boolean;
  /** Default: 1. */
  readonly events?: number;
  /** Undefined: it carries no event. */
  readonly shape?: Shape;
}

/** What a reply means. */
interface Judge {
  readonly faultOf: (exchange: ReceiverExchange) => CodedText | undefined;
  readonly detailOf?: (exchange: ReceiverExchange) => CodedText | undefined;
  /** Of a success. */
  readonly warningOf?: (exchange: ReceiverExchange) => CodedText | undefined;
}

const NOTIFICATION: Judge = {
  faultOf: (exchange) => notificationOutcome(exchange).error,
  warningOf: (exchange) => {
    const fault = webPageFault(exchange);
    if (fault === undefined || exchange.type !== 'reply') return undefined;
    return coded('test-page', { status: exchange.status, fault });
  },
};

const CONNECTION: Judge = {
  faultOf: connectionTestFault,
  detailOf: connectionTestDetail,
  warningOf: (exchange) =>
    exchange.type === 'reply' && exchange.status !== 200
      ? coded('test-not-200', { status: exchange.status })
      : undefined,
};

const sendTest =
  ({ client, attempts, credentials, now }: ReceiverTestsDeps) =>
  async (
    account: string,
    target: TestTarget,
    { body, needsBody, events = 1, shape }: TestRequest,
    { faultOf, detailOf, warningOf }: Judge,
  ): Promise<TestResult> => {
    const { address } = target;
    const { secrets, headers: custom } = await credentials(account, target);
    const id = `test-${randomUUID()}`;
    const sentAtMs = now();
    const identity = { webhookId: id, attempt: 1, secrets, custom };
    const sent = await client.post({ account, address, body, needsBody, readsStart: true, ...identity });
    // Nothing was sent, so there is nothing to list.
    if (sent.type === 'local-fault') return { success: false, message: localFaultReason(sent) };
    const exchange = asTested(sent);
    const fault = faultOf(exchange);
    const detail = detailOf?.(exchange);
    attempts.record({
      id,
      account,
      time: new Date(sentAtMs).toISOString(),
      kind: 'test',
      module: moduleOf(target.kind),
      ...(shape === undefined ? {} : { shape }),
      ...(target.destination === undefined ? {} : { destination: target.destination }),
      webhookId: id,
      eventKeys: [],
      facts: factsOf({ ...exchange, body }, true),
      address,
      events,
      attempt: 1,
      status: fault === undefined ? 'delivered' : 'failed',
      durationMs: exchange.durationMs,
      ...(exchange.type === 'reply' ? { httpStatus: exchange.status } : {}),
      ...(fault === undefined ? {} : { error: detail === undefined ? fault : coded('test-fault', { fault: detail }) }),
    });
    // The page that shows the result also lists the test.
    await attempts.flush();
    const traffic = {
      ...(exchange.wasSent ? { request: { headers: hideCustom(exchange.headers), body } } : {}),
      ...(exchange.received === undefined ? {} : { reply: attemptReplyOf(exchange.received) }),
    };
    if (fault === undefined) {
      const warning = warningOf?.(exchange);
      return {
        success: true,
        ...(warning === undefined ? {} : { warning: warning.shownAs(sentence(String(warning))) }),
        ...traffic,
      };
    }
    return {
      success: false,
      message: fault.shownAs(capitalized(String(fault))),
      ...(detail === undefined ? {} : { detail: detail.shownAs(sentence(String(detail))) }),
      ...traffic,
    };
  };
