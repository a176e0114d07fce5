import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request } from 'express';
import { SECURITY_EVENTS } from '@mailhook/core';
import type { SecurityEvent } from '@mailhook/core';
import type { Closeable } from '@mailhook/platform/lifecycle';
import type { Logger } from '@mailhook/platform/logger';
import type { Metrics } from '@mailhook/platform/metrics';
import { requestIdOf } from '@mailhook/platform/http-server';
import type { ProblemError } from '@mailhook/platform/http-server';
import { clientAddressOf, clientKey } from './client-address.ts';

/** Whom an event is about, by the names that the log uses. Never a token. */
export interface SecuritySubject {
  readonly account?: string | undefined;
  /** The label or id of an access token or producer token, or `portal link`. */
  readonly token?: string | undefined;
  /** The label of an admin token. */
  readonly operator?: string | undefined;
  /** Whom the sign-in proxy of operators names. */
  readonly person?: string | undefined;
  /** What the event is about, such as the id of a token that was revoked. */
  readonly object?: string | undefined;
}

/** Logs and counts sign-ins, refusals, and changes of who may sign in. */
export interface SecurityEvents extends Closeable {
  /** @param response the response to the request that caused the event. */
  readonly note: (event: SecurityEvent, response: ServerResponse, subject?: SecuritySubject) => void;
  /**
   * Notes a request that is answered with 401, 403 or 429, except 429 of an account with too many events. Ignores other
   * problems.
   */
  readonly noteRefusal: (problem: ProblemError, response: ServerResponse) => void;
}

interface SecurityEventsDeps {
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly windowMs?: number;
}

/**
 * Lines per minute: of one event from one client, and of one event from all clients. The other ones are counted in a
 * line at the end of the minute.
 */
const LINES_MAX = { client: 10, all: 200 };
/** Clients per event that are counted separately. */
const CLIENTS_MAX = 1000;
const WINDOW_MS = 60_000;
const EXPECTED: ReadonlySet<SecurityEvent> = new Set([
  ...(['sign_in', 'sign_out', 'token_created', 'token_revoked'] as const),
  ...(['portal_link_created', 'portal_link_used', 'portal_sessions_ended'] as const),
]);

export function createSecurityEvents({ metrics, logger, windowMs = WINDOW_MS }: SecurityEventsDeps): SecurityEvents {
  const total = metrics.counter({
    name: 'mailhook_security_events_total',
    help: 'Sign-ins, refused requests, and changes of who may sign in, by what happened.',
    labels: ['event'],
  });
  for (const event of SECURITY_EVENTS) total.inc({ event }, 0);
  let lines = new Map<SecurityEvent, EventLines>();
  const logRest = (): void => {
    for (const [event, { unlogged }] of lines) {
      for (const [client, count] of unlogged) logger.warn('further security events', { event, client, count });
    }
    lines = new Map();
  };
  const timer = setInterval(logRest, windowMs);
  const note: SecurityEvents['note'] = (event, response, subject) => {
    total.inc({ event });
    const { req: request } = response;
    const client = addressOf(request);
    const ofEvent = lines.get(event) ?? new EventLines();
    lines.set(event, ofEvent);
    if (!ofEvent.takes(clientKey(client))) return;
    const { url = '', method } = request;
    const facts = { ...subjectOf(response), ...subject };
    const path = url.split('?', 1)[0];
    const line = { event, client, requestId: requestIdOf(request, response), method, path, ...facts };
    if (EXPECTED.has(event)) logger.info('security event', line);
    else logger.warn('security event', line);
  };
  return {
    note,
    noteRefusal(problem, response) {
      const event = SECURITY_EVENTS.find((one) => one === problem.reason) ?? EVENT_OF_CODE[problem.code];
      if (event !== undefined) note(event, response);
    },
    close: () => {
      clearInterval(timer);
      logRest();
      return Promise.resolve();
    },
  };
}

const EVENT_OF_CODE: Readonly<Record<string, SecurityEvent>> = {
  unauthorized: 'token_missing',
  forbidden: 'forbidden',
  rate_limited: 'rate_limited',
};

/** The lines of one event in the current minute. */
class EventLines {
  readonly unlogged = new Map<string, number>();
  readonly #logged = new Map<string, number>();
  #count = 0;

  /** Whether the next event of this client gets a line. If not, it is counted. */
  takes(client: string): boolean {
    const logged = this.#logged.get(client) ?? 0;
    if (logged < LINES_MAX.client && this.#count < LINES_MAX.all) {
      this.#logged.set(client, logged + 1);
      this.#count += 1;
      return true;
    }
    const name = this.unlogged.has(client) || this.unlogged.size < CLIENTS_MAX ? client : 'other clients';
    this.unlogged.set(name, (this.unlogged.get(name) ?? 0) + 1);
    return false;
  }
}

/** Requests of known producers never see Express. */
const addressOf = (request: IncomingMessage): string =>
  'app' in request ? clientAddressOf(request as Request) : (request.socket.remoteAddress ?? 'unknown');

/** Who made a request, as far as its sign-in has noted it. */
function subjectOf(response: ServerResponse): SecuritySubject {
  const { locals = {} } = response as { readonly locals?: SecuritySubject };
  const { account, token, operator, person } = locals;
  return { account, token, operator, person };
}
