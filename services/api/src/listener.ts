import type { IncomingMessage, RequestListener } from 'node:http';
import type { Express } from 'express';
import type { TakeEvents } from './intake/events-route.ts';
import { EVENTS_PATH } from './intake/events-route.ts';
import type { PublicAppDeps } from './app.ts';
import { createPublicApp } from './app.ts';
import { createClientAddress } from './auth/client-address.ts';
import type { ObserveRequest } from './http/request-observer.ts';

export interface PublicListenerDeps extends Omit<PublicAppDeps, 'events'> {
  readonly observe: ObserveRequest;
  readonly takeEvents: TakeEvents;
}

/**
 * The listener at `PORT`. It takes events of a known producer without Express, which costs more per request than all work of the intake
 * (docs/decisions/0014). Express serves everything else, including a producer's first request and the refusals of producers' requests.
 */
export function createPublicListener({ observe, takeEvents, ...deps }: PublicListenerDeps): RequestListener {
  const { authenticate } = deps;
  const failures = new WeakMap<IncomingMessage, unknown>();
  const app: Express = createPublicApp({
    ...deps,
    events: async (request, response) => {
      // The request has failed before Express, and its body cannot be read again.
      if (failures.has(request)) throw failures.get(request);
      await authenticate.producer(request);
      await takeEvents(request, response);
    },
  });
  const addressOf = createClientAddress(app);
  return (request, response) => {
    const isEvents = request.url === EVENTS_PATH && request.method === 'POST';
    if (!isEvents || !authenticate.isKnownProducer(request, addressOf(request))) {
      observe(request, response);
      app(request, response);
      return;
    }
    observe(request, response, EVENTS_PATH);
    takeEvents(request, response).catch((error: unknown) => {
      failures.set(request, error);
      app(request, response);
    });
  };
}
