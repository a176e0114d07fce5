import { setTimeout as wait } from 'node:timers/promises';
import { longerWaitMs, retryAfterMs } from '@mailhook/core';
import { createProducer, SendError, sliceEvents } from './producer.ts';
import type { EventSlice, Producer, ProducerOptions } from './producer.ts';

export interface HttpProducerOptions extends ProducerOptions {
  /** The base URL of the api, such as `http://mailhook:3000`. */
  readonly url: string;
  /** The producer token. */
  readonly token: string;
  /** The deadline of one request in milliseconds. The default is 30 s. */
  readonly timeoutMs?: number;
  /** The maximum number of tries per request, the first one included. The default is 5. */
  readonly attempts?: number;
  /** The longest wait between two tries in milliseconds, even if `Retry-After` asks for more. The default is 30 s. */
  readonly maxWaitMs?: number;
}

/** The api accepts bodies of up to 16 MiB on `/v3/events`. */
const BODY_MAX_BYTES = 16 * 1024 * 1024;
const FIRST_WAIT_MS = 250;

/**
 * Creates a producer that sends events to `POST /v3/events`.
 *
 * Only Mailhook's own 202, with the number of events in `accepted`, is a success: gateways and bot protections send 2xx
 * with other bodies too. After those, a 408, 425, 429 or 5xx, and no reply, it repeats a request if every event in it
 * has an `id`, which it has unless `addIds` is false. Mailhook delivers an account's `id` once within 24 hours
 * (`EVENT_ID_WINDOW`), so the repeated request duplicates no event.
 */
export function createHttpProducer(options: HttpProducerOptions): Producer {
  const endpoint = endpointAt(options.url);
  const closing = new AbortController();
  const post = postWith({ ...options, endpoint, signal: closing.signal });
  return createProducer(
    async (events) => {
      let accepted = 0;
      for (const slice of sliceEvents(events, BODY_MAX_BYTES)) {
        await post(slice, accepted);
        accepted += slice.events.length;
      }
      return { accepted };
    },
    () => {
      closing.abort();
      return Promise.resolve();
    },
    options,
  );
}

/** The URL of the intake. Keeps the path of the base URL. @throws if `url` has another scheme or none. */
function endpointAt(url: string): URL {
  const base = `${url}/`.replace(/\/\/$/, '/');
  if (/^https?:\/\//i.test(base) && URL.canParse(base)) return new URL('v3/events', base);
  throw new TypeError(`url must be an http or https URL, such as http://mailhook:3000, but is ${JSON.stringify(url)}`);
}

/** Statuses below 500 after which the same request may succeed: no time, too early, too many. */
const PASSING: readonly number[] = [408, 425, 429];

/** Why one try did not succeed. */
interface Failure {
  readonly error: SendError;
  readonly mayPass: boolean;
  /** What `Retry-After` asks for. */
  readonly askedMs: number;
}

type PostDeps = HttpProducerOptions & { readonly endpoint: URL; readonly signal: AbortSignal };

const postWith = (deps: PostDeps) => {
  const attempts = deps.attempts ?? 5;
  const maxWaitMs = deps.maxWaitMs ?? 30_000;
  return async (slice: EventSlice, accepted: number): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      const failure = await tryOnce(deps, slice, accepted);
      if (failure === undefined) return;
      const { error, mayPass, askedMs } = failure;
      if (!mayPass || !slice.isRepeatable || attempt >= attempts || deps.signal.aborted) throw error;
      const backoffMs = FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
      const waitMs = longerWaitMs(Math.min(backoffMs, maxWaitMs), askedMs, maxWaitMs);
      await wait(waitMs, undefined, { signal: deps.signal }).catch(() => {
        const { message, status, cause } = error;
        throw new SendError(`${message}\nThe producer was closed before another try`, { accepted, status, cause });
      });
    }
  };
};

/** Sends a request once. Returns undefined if the api accepted all of its events. */
async function tryOnce(deps: PostDeps, slice: EventSlice, accepted: number): Promise<Failure | undefined> {
  const timeoutMs = deps.timeoutMs ?? 30_000;
  try {
    const reply = await fetch(deps.endpoint, {
      method: 'POST',
      headers: { authorization: `Bearer ${deps.token}`, 'content-type': 'application/json;charset=UTF-8' },
      body: slice.json,
      redirect: 'manual',
      signal: AbortSignal.any([deps.signal, AbortSignal.timeout(timeoutMs)]),
    });
    const { status } = reply;
    const body = await reply.text();
    if (status === 202 && propertiesOf(body)['accepted'] === slice.events.length) return undefined;
    const head = `Mailhook answered ${status}${reply.ok ? ` without "accepted": ${slice.events.length}` : ''}`;
    return {
      error: new SendError(refusal(head, body, accepted), { accepted, status }),
      mayPass: reply.ok || status >= 500 || PASSING.includes(status),
      askedMs: retryAfterMs(reply.headers.get('retry-after'), Date.now()),
    };
  } catch (cause) {
    const fault = deps.signal.aborted
      ? 'The producer was closed before Mailhook answered'
      : `${deps.endpoint.href} gave no answer (${reasonOf(cause)})`;
    const message = `${fault}; whether it took these events is unknown`;
    return { error: new SendError(message, { accepted, cause }), mayPass: true, askedMs: 0 };
  }
}

/** The api's error message, with indexes of events within the whole call, or the start of another body. */
function refusal(head: string, body: string, offset: number): string {
  const { title, detail, errors } = propertiesOf(body);
  const texts = [title, detail].filter((text) => typeof text === 'string').join('. ');
  const shown = texts === '' ? body.replace(/\s+/g, ' ').trim().slice(0, BODY_SHOWN_CHARS) : texts;
  const lines = (Array.isArray(errors) ? (errors as unknown[]) : []).flatMap((one) => {
    const { path, message } = { ...(one as object) } as Readonly<Record<string, unknown>>;
    const isFault = typeof path === 'string' && typeof message === 'string';
    return isFault ? [`  events${shiftedPath(path, offset)}: ${message}`] : [];
  });
  return [shown === '' ? head : `${head}: ${shown}`, ...lines].join('\n');
}

const BODY_SHOWN_CHARS = 200;

function shiftedPath(path: string, offset: number): string {
  const found = /^(\d+)(\..*)?$/.exec(path);
  return found === null ? ` ${path}` : `[${Number(found[1]) + offset}]${found[2] ?? ''}`;
}

/** The properties of a JSON object, or none of any other text. */
function propertiesOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return { ...(JSON.parse(text) as object) };
  } catch {
    return {};
  }
}

/** `fetch` puts the reason of a failed connection into the error's cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
