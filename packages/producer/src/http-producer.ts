import { setTimeout as wait } from 'node:timers/promises';
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
 * After a 429, a 503 or no reply, it repeats a request if every event in it has an `id`, which it has unless `addIds`
 * is false. Mailhook delivers an account's `id` once within 24 hours, so the repeated request duplicates no event.
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

/** The result of one try. If `failure` is undefined, the api accepted the events. */
interface Try {
  readonly failure: SendError | undefined;
  readonly mayPass: boolean;
  readonly retryAfterMs: number | undefined;
}

type PostDeps = HttpProducerOptions & { readonly endpoint: URL; readonly signal: AbortSignal };

const postWith = (deps: PostDeps) => {
  const attempts = deps.attempts ?? 5;
  const maxWaitMs = deps.maxWaitMs ?? 30_000;
  return async (slice: EventSlice, accepted: number): Promise<void> => {
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await tryOnce(deps, slice, accepted);
      if (outcome.failure === undefined) return;
      if (!outcome.mayPass || !slice.isRepeatable || attempt >= attempts || deps.signal.aborted) throw outcome.failure;
      const backoffMs = FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
      const waitMs = Math.min(outcome.retryAfterMs ?? backoffMs, maxWaitMs);
      const { failure } = outcome;
      await wait(waitMs, undefined, { signal: deps.signal }).catch(() => {
        const { message, status, cause } = failure;
        throw new SendError(`${message}\nThe producer was closed before another try`, { accepted, status, cause });
      });
    }
  };
};

async function tryOnce(deps: PostDeps, slice: EventSlice, accepted: number): Promise<Try> {
  const timeoutMs = deps.timeoutMs ?? 30_000;
  try {
    const reply = await fetch(deps.endpoint, {
      method: 'POST',
      headers: { authorization: `Bearer ${deps.token}`, 'content-type': 'application/json;charset=UTF-8' },
      body: slice.json,
      redirect: 'error',
      signal: AbortSignal.any([deps.signal, AbortSignal.timeout(timeoutMs)]),
    });
    const text = await reply.text();
    if (reply.status === 202) return { failure: undefined, mayPass: false, retryAfterMs: undefined };
    const failure = new SendError(refusal(reply.status, text, accepted), { accepted, status: reply.status });
    return {
      failure,
      mayPass: reply.status === 429 || reply.status === 503,
      retryAfterMs: retryAfterMs(reply.headers.get('retry-after'), Date.now()),
    };
  } catch (cause) {
    const fault = deps.signal.aborted
      ? 'The producer was closed before Mailhook answered'
      : `${deps.endpoint.href} gave no answer (${reasonOf(cause)})`;
    const message = `${fault}; whether it took these events is unknown`;
    return { failure: new SendError(message, { accepted, cause }), mayPass: true, retryAfterMs: undefined };
  }
}

/**
 * Reads `Retry-After` (seconds or an HTTP date) as a wait in milliseconds. Returns undefined if it is absent or
 * unreadable.
 */
export function retryAfterMs(header: string | null, nowMs: number): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

/** The api's error message, with indexes of events within the whole call. */
function refusal(status: number, body: string, offset: number): string {
  const problem = parseProblem(body);
  const head = `Mailhook answered ${status}${problem.title === '' ? '' : `: ${problem.title}`}`;
  return [head, ...problem.errors.map(({ path, message }) => `  events${shiftedPath(path, offset)}: ${message}`)].join(
    '\n',
  );
}

function shiftedPath(path: string, offset: number): string {
  const found = /^(\d+)(\..*)?$/.exec(path);
  return found === null ? ` ${path}` : `[${Number(found[1]) + offset}]${found[2] ?? ''}`;
}

function parseProblem(body: string): { title: string; errors: { path: string; message: string }[] } {
  try {
    const value = JSON.parse(body) as { title?: unknown; detail?: unknown; errors?: unknown };
    const texts = [value.title, value.detail].filter((text) => typeof text === 'string');
    const errors = Array.isArray(value.errors) ? (value.errors as { path: unknown; message: unknown }[]) : [];
    return {
      title: texts.join('. '),
      errors: errors.map((one) => ({ path: String(one.path), message: String(one.message) })),
    };
  } catch {
    return { title: body.slice(0, 200), errors: [] };
  }
}

/** `fetch` puts the reason of a failed connection into the error's cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || error.message : error.message;
}
