import type { IncomingMessage, RequestListener } from 'node:http';
import type { Express } from 'express';
import type { TakeEvents } from '../intake/events-route.ts';
import { EVENTS_PATH } from '../intake/events-route.ts';
import type { PublicAppDeps } from './app.ts';
import { createPublicApp } from './app.ts';
import { createClientAddress } from './client-address.ts';
import type { ObserveRequest } from './request-observer.ts';

export interface PublicListenerDeps extends Omit<PublicAppDeps, 'events'> {
  readonly observe: ObserveRequest;
  readonly takeEvents: TakeEvents;
}

/**
 * What listens at `PORT`. Events of a known producer are taken before Express, which costs more for each request than all of the intake's own
 * work (docs/decisions/0014). Express serves everything else, refusals of such requests and a producer's first one included.
 */
export function createPublicListener({ observe, takeEvents, ...deps }: PublicListenerDeps): RequestListener {
  const { authenticate } = deps;
  const failures = new WeakMap<IncomingMessage, unknown>();
  const app: Express = createPublicApp({
    ...deps,
    events: async (request, response) => {
      // The body has been read: the error that was met then is the answer.
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
