import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { TracingOptions } from './tracing.ts';

/** Node's channel of replies to this process. The exporter hides the status of some failures. */
const REPLIES = 'http.client.response.finish';
const PATH = '/v1/traces';

/** Of a collector that fails now and then. */
const WARNING_EVERY_MS = 60_000;

/** Logs when exports begin to fail, and when they work again, at most once a minute. */
export class ExportReport {
  readonly #url: URL;
  readonly #logger: TracingOptions['logger'];
  #isWarned = false;
  #warnedMs = Number.NEGATIVE_INFINITY;
  #lostSpans = 0;
  #status: number | undefined;

  constructor(url: string, logger: TracingOptions['logger']) {
    this.#url = new URL(url);
    this.#logger = logger;
    subscribe(REPLIES, this.#onReply);
  }

  /** Ends the watch of replies. */
  close(): void {
    unsubscribe(REPLIES, this.#onReply);
  }

  succeed(): void {
    this.#status = undefined;
    if (!this.#isWarned) return;
    this.#isWarned = false;
    this.#logger.info('traces are exported again', { lostSpans: this.#lostSpans });
    this.#lostSpans = 0;
  }

  fail(error: Error, spans = 0): void {
    this.#lostSpans += spans;
    const nowMs = performance.now();
    if (this.#isWarned || nowMs - this.#warnedMs < WARNING_EVERY_MS) return;
    this.#isWarned = true;
    this.#warnedMs = nowMs;
    const { origin, pathname } = this.#url;
    this.#logger.warn('traces cannot be exported', {
      variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
      url: `${origin}${pathname}`,
      ...(this.#status === undefined ? {} : { status: this.#status }),
      error: error.message || String(Reflect.get(error, 'code')),
      ...(pathname.endsWith(`${PATH}${PATH}`)
        ? { fix: `remove ${PATH} from the end of the variable, because it is added` }
        : {}),
    });
  }

  readonly #onReply = (message: unknown): void => {
    const { request, response } = message as { request: ClientRequest; response: IncomingMessage };
    const { host, pathname, search } = this.#url;
    if (request.path !== `${pathname}${search}` || request.getHeader('host') !== host) return;
    if ((response.statusCode ?? 0) > 299) this.#status = response.statusCode;
  };
}
