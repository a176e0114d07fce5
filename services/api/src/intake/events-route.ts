import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TraceContext } from '@mailhook/core';
import type { Publisher } from '@mailhook/delivery';
import { ProblemError, readBody } from '@mailhook/platform/http-server';
import type { BodyBudget } from '@mailhook/platform/http-server';
import type { Tracing } from '@mailhook/platform/tracing';
import type { RoutingTable } from '../accounts/routing-table.ts';
import { formatOf, INTAKE_LIMIT_BYTES } from './events-format.ts';
import type { IntakeMetrics } from './intake-metrics.ts';
import type { ParsedEvents } from './parse-events.ts';
import { ERRORS_MAX, parseEvents } from './parse-events.ts';
import { routeEvents, routeFromMemory } from './route-events.ts';
import { publishTraced } from './traced-publish.ts';

export interface TakeEventsDeps {
  readonly routing: Pick<RoutingTable, 'peek' | 'load'>;
  readonly publisher: Pick<Publisher, 'publish'>;
  readonly metrics: IntakeMetrics;
  readonly bodies: BodyBudget;
  /** Undefined while tracing is off. */
  readonly requests?:
    { readonly tracing: Tracing; contextOf(response: ServerResponse): TraceContext | undefined } | undefined;
}

/** Path of the intake. */
export const EVENTS_PATH = '/v3/events';

/** Takes a producer's events. Answers `202 {accepted}` once every event of the request is durably enqueued, or rejects and enqueues none. */
export type TakeEvents = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * The hot path reads and parses the body once, takes accounts from memory, and waits only for the queue. The body's bytes stay reserved
 * until the answer, because its events stay in memory until then.
 */
export const createTakeEvents = (deps: TakeEventsDeps): TakeEvents => {
  const { routing, publisher, metrics, bodies, requests } = deps;
  const tracing = requests?.tracing;
  return async (request, response) => {
    const format = formatOf(request);
    const reservation = bodies.open('producer');
    try {
      const rules = { limitBytes: INTAKE_LIMIT_BYTES, reservation };
      const parsed = parseEvents(await readBody(request, response, rules), format);
      const { routed, unknown } =
        routeFromMemory(parsed.events, routing) ?? (await routeEvents(parsed.events, routing));
      if (unknown.length > 0) throw unknownAccounts(parsed, unknown);
      await publishTraced({ publisher, tracing }, { events: routed, parent: requests?.contextOf(response) });
      metrics.accepted(parsed.events);
      sendAccepted(response, parsed.events.length);
    } finally {
      reservation.release();
    }
  };
};

/** With a content length, headers and body leave in one write, without chunked encoding. */
function sendAccepted(response: ServerResponse, accepted: number): void {
  const body = `{"accepted":${accepted}}`;
  response.writeHead(202, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  response.end(body);
}

function unknownAccounts({ events, prefixOf }: ParsedEvents, unknown: readonly number[]): ProblemError {
  const names = [...new Set(unknown.map((position) => events[position]?.account ?? ''))].slice(0, 3);
  const errors = unknown.slice(0, ERRORS_MAX).map((position) => {
    const prefix = prefixOf(position);
    return { path: prefix === '' ? 'account' : `${prefix}.account`, message: 'there is no such account' };
  });
  return new ProblemError('unknown_account', { detail: `There is no account ${names.join(', ')}.`, errors });
}
