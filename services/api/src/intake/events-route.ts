import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FieldError, ProblemCode, TraceContext } from '@mailhook/core';
import type { Publisher, RoutedEvent } from '@mailhook/delivery';
import { TooManyWaitingError } from '@mailhook/delivery';
import { gunzipBody, invalid, ProblemError, readBody } from '@mailhook/platform/http-server';
import type { BodyBudget } from '@mailhook/platform/http-server';
import type { Tracing } from '@mailhook/platform/tracing';
import type { Producer } from '../accounts/producer-tokens.ts';
import type { RoutingTable } from '../accounts/routing-table.ts';
import type { EventsFormat } from './events-format.ts';
import { formatOf, INTAKE_LIMIT_BYTES } from './events-format.ts';
import type { IntakeMetrics } from './intake-metrics.ts';
import type { ParsedEvents, RejectedInput } from './parse-events.ts';
import { ERRORS_MAX, IGNORED_CHARS, IGNORED_MAX, parseEvents, siftEvents } from './parse-events.ts';
import { findDestinations, findInMemory, withoutDestination } from './find-destinations.ts';
import type { Refusals } from '../accounts/refusals.ts';
import { publishTraced } from './traced-publish.ts';

export interface TakeEventsDeps {
  readonly routing: Pick<RoutingTable, 'peek' | 'load'>;
  readonly publisher: Pick<Publisher, 'publish' | 'isOverfull'>;
  readonly metrics: IntakeMetrics;
  readonly bodies: BodyBudget;
  readonly refusals: Pick<Refusals, 'note'>;
  /** Waits briefly while Redis is reconnected, so that a producer does not see a connection that is replaced. */
  readonly reconnected: () => Promise<void> | undefined;
  /** Whether `routing` hides accounts for which the producer may not send. */
  readonly isLimited?: boolean;
  /** Undefined while tracing is off. */
  readonly requests?:
    | { readonly tracing: Tracing; contextOf(response: ServerResponse): TraceContext | undefined }
    | undefined;
}

/** Path of the intake. */
export const EVENTS_PATH = '/v3/events';

/**
 * Takes a producer's events. Answers `202 {accepted}` once every event of the request is durably enqueued, or rejects
 * and enqueues none. With `?onError=skip`, enqueues the events that it can accept, and lists the others as `rejected`.
 * The answer also names ignored fields and query parameters, and counts events that no active destination takes, if
 * there are any. With `?strict=1`, an unknown field makes its event invalid.
 */
export type TakeEvents = (request: IncomingMessage, response: ServerResponse, producer: Producer) => Promise<void>;

/**
 * The hot path reads and parses the body once, takes accounts from memory, and waits only for the queue. The body's
 * bytes stay reserved until the answer, because its events stay in memory until then.
 */
export const createTakeEvents = (deps: TakeEventsDeps): TakeEvents => {
  const { metrics, bodies, reconnected, requests, refusals } = deps;
  return async (request, response, { token, accounts }) => {
    const reservation = bodies.open('producer');
    try {
      const { format, isPacked } = formatOf(request);
      const { skipsRejected, isStrict, unknown } = readQuery(request);
      const take = skipsRejected ? takeSome : takeAll;
      const rules = { limitBytes: INTAKE_LIMIT_BYTES, reservation };
      const sent = await readBody(request, response, rules);
      const body = isPacked ? await gunzipBody(sent, rules) : sent;
      const reconnecting = reconnected();
      if (reconnecting !== undefined) await reconnecting;
      const taken = await take(accounts === null ? deps : limitedTo(accounts, deps), {
        body,
        format,
        isStrict,
        parent: requests?.contextOf(response),
      });
      metrics.accepted(taken.routed);
      sendAccepted(response, { ...taken, ignored: [...unknown, ...taken.ignored] });
    } catch (error) {
      refusals.note(token, error);
      throw error;
    } finally {
      reservation.release();
    }
  };
};

/** To a token with a list of accounts, all others do not exist, so that it cannot find out which do. */
const limitedTo = (accounts: ReadonlySet<string>, deps: TakeEventsDeps): TakeEventsDeps => ({
  ...deps,
  isLimited: true,
  routing: {
    peek: (account) => (accounts.has(account) ? deps.routing.peek(account) : null),
    load: async (account) => (accounts.has(account) ? deps.routing.load(account) : null),
  },
});

interface QueryOptions {
  readonly skipsRejected: boolean;
  readonly isStrict: boolean;
  /** Other parameters, such as `?stric`. */
  readonly unknown: readonly string[];
}

/** Reads `onError` (`reject`, the default, or `skip`) and `strict` (`0`, the default, or `1`) from the query. */
function readQuery({ url = '' }: IncomingMessage): QueryOptions {
  const start = url.indexOf('?');
  if (start < 0) return { skipsRejected: false, isStrict: false, unknown: [] };
  const query = new URLSearchParams(url.slice(start));
  const onError = query.get('onError') ?? 'reject';
  const strict = query.get('strict') ?? '0';
  const errors: FieldError[] = [];
  if (onError !== 'skip' && onError !== 'reject') errors.push({ path: 'onError', message: 'must be reject or skip' });
  if (strict !== '0' && strict !== '1') errors.push({ path: 'strict', message: 'must be 0 or 1' });
  if (errors.length > 0) throw invalid(errors);
  const names = [...new Set(query.keys())].filter((name) => name !== 'onError' && name !== 'strict');
  const unknown = names.slice(0, IGNORED_MAX).map((name) => `?${name.slice(0, IGNORED_CHARS)}`);
  return { skipsRejected: onError === 'skip', isStrict: strict === '1', unknown };
}

interface EventsRequest {
  readonly body: Buffer;
  readonly format: EventsFormat;
  /** Whether an unknown field is a fault. */
  readonly isStrict: boolean;
  readonly parent: TraceContext | undefined;
}

interface TakenEvents {
  /** The published events. */
  readonly routed: readonly RoutedEvent[];
  readonly ignored: Iterable<string>;
  /** Undefined unless the request skips rejected events. */
  readonly rejected?: readonly RejectedInput[];
}

/** Publishes all events of a request, or throws a problem that lists every fault, and publishes none. */
async function takeAll(deps: TakeEventsDeps, { body, format, isStrict, parent }: EventsRequest): Promise<TakenEvents> {
  const { routing, publisher, requests } = deps;
  const parsed = parseEvents(body, format, isStrict);
  const { routed, unknown } =
    findInMemory(parsed.events, routing.peek) ?? (await findDestinations(parsed.events, routing, ERRORS_MAX));
  const unknownErrors = unknown.map((position) => accountError(parsed.prefixOf(position), noAccount(deps)));
  if (parsed.errors.length > 0) throw invalid([...parsed.errors, ...unknownErrors].sort(byIndex), ERRORS_MAX);
  if (unknown.length > 0) throw unknownAccounts(parsed, unknown, unknownErrors, deps);
  try {
    await publishTraced({ publisher, tracing: requests?.tracing }, { events: routed, parent });
  } catch (error) {
    throw error instanceof TooManyWaitingError ? overfullAccounts(parsed, publisher, error) : error;
  }
  return { routed, ignored: parsed.ignored };
}

/** Sorts errors of an array or of lines by the index at the start of their paths. */
const byIndex = (one: FieldError, other: FieldError): number => Number.parseInt(one.path) - Number.parseInt(other.path);

/** Publishes the events that can be accepted, and lists the others. */
async function takeSome(deps: TakeEventsDeps, { body, format, isStrict, parent }: EventsRequest): Promise<TakenEvents> {
  const { routing, publisher, metrics, requests } = deps;
  const { events, indexOf, ignored, rejected: invalidOnes } = siftEvents(body, format, isStrict);
  const { routed, unknown } = await findDestinations(events, routing);
  const full = new Set(events.map(({ account }) => account).filter((account) => publisher.isOverfull(account)));
  const here = await publishUnlessFull(full, routed, (some) =>
    publishTraced({ publisher, tracing: requests?.tracing }, { events: some, parent }),
  );
  const refused = (position: number, code: ProblemCode, detail: string): RejectedInput => ({
    index: indexOf(position),
    account: events[position]?.account ?? '',
    code,
    detail,
  });
  const unknownErrors = unknown.map((position) => refused(position, 'unknown_account', noAccount(deps)));
  const isUnknown = new Set(unknown);
  const overfull = events.flatMap(({ account }, position) =>
    full.has(account) && !isUnknown.has(position) ? [refused(position, 'too_many_waiting', TOO_MANY)] : [],
  );
  metrics.skipped('invalid', invalidOnes.length);
  metrics.skipped('unknown_account', unknownErrors.length);
  metrics.skipped('too_many_waiting', overfull.length);
  const rejected = [...invalidOnes, ...unknownErrors, ...overfull].sort((one, other) => one.index - other.index);
  return { routed: here, ignored, rejected };
}

/**
 * Publishes the events of all accounts but these. Adds accounts that turn out to be overfull. Resolves with the
 * published events.
 */
async function publishUnlessFull(
  full: Set<string>,
  routed: readonly RoutedEvent[],
  publish: (events: readonly RoutedEvent[]) => Promise<void>,
): Promise<readonly RoutedEvent[]> {
  const here = routed.filter(({ event }) => !full.has(event.account));
  try {
    if (here.length > 0) await publish(here);
    return here;
  } catch (error) {
    if (!(error instanceof TooManyWaitingError) || full.has(error.account)) throw error;
    return publishUnlessFull(full.add(error.account), routed, publish);
  }
}

/** With a content length and a text, headers and body leave in one write, without chunked encoding. */
function sendAccepted(
  response: ServerResponse,
  { routed, ignored, rejected }: TakenEvents & { readonly ignored: readonly string[] },
): void {
  const unrouted = withoutDestination(routed).length;
  const body = JSON.stringify({
    accepted: routed.length,
    withoutDestination: unrouted === 0 ? undefined : unrouted,
    ignored: ignored.length === 0 ? undefined : ignored,
    rejected,
  });
  response.writeHead(202, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}

/** Long, because a person may have to fix a receiver first. */
const OVERFULL_RETRY_AFTER_S = '30';
const noAccount = ({ isLimited = false }: TakeEventsDeps): string =>
  isLimited ? 'there is no such account, or this producer token may not send for it' : 'there is no such account';
const TOO_MANY = 'has too many undelivered events or dead letters';

function unknownAccounts(
  { events }: ParsedEvents,
  unknown: readonly number[],
  errors: readonly FieldError[],
  deps: TakeEventsDeps,
): ProblemError {
  const names = [...new Set(unknown.map((position) => events[position]?.account ?? ''))].slice(0, 3).join(', ');
  const detail =
    deps.isLimited === true
      ? `There is no account ${names}, or this producer token may not send for it.`
      : `There is no account ${names}.`;
  return new ProblemError('unknown_account', { detail, errors: errors.slice(0, ERRORS_MAX) });
}

/** Lists every event of an overfull account, because the first one is not the only one to hold back. */
function overfullAccounts(
  { events, prefixOf }: ParsedEvents,
  { isOverfull }: Pick<Publisher, 'isOverfull'>,
  error: TooManyWaitingError,
): Error {
  const errors = events.flatMap(({ account }, position) =>
    account === error.account || isOverfull(account)
      ? [accountError(prefixOf(position), `(${account}) ${TOO_MANY}`)]
      : [],
  );
  return new ProblemError('too_many_waiting', {
    detail: `Account ${error.account} has too many undelivered events or dead letters. Send these events again later.`,
    headers: { 'retry-after': OVERFULL_RETRY_AFTER_S },
    errors: errors.slice(0, ERRORS_MAX),
    cause: error,
  });
}

const accountError = (prefix: string, message: string): FieldError => ({
  path: prefix === '' ? 'account' : `${prefix}.account`,
  message,
});
