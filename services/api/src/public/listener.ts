import type { IncomingMessage, RequestListener } from 'node:http';
import type { Express } from 'express';
import type { TakeEvents } from '../intake/events-route.ts';
import { EVENTS_PATH, eventsRoute } from '../intake/events-route.ts';
import type { PublicAppDeps } from './app.ts';
import { createPublicApp } from './app.ts';
import type { Authenticate } from './authenticate.ts';
import type { ObserveRequest } from './request-observer.ts';

export interface PublicListenerDeps extends Omit<PublicAppDeps, 'events'> {
  readonly observe: ObserveRequest;
  readonly takeEvents: TakeEvents;
}

/**
 * What listens at `PORT`. A producer's events are taken before Express, which costs more for each request than all of the intake's own work
 * (docs/decisions/0014); everything else, refusals of such requests included, is Express's.
 */
export function createPublicListener({ observe, takeEvents, ...deps }: PublicListenerDeps): RequestListener {
  const failures = new WeakMap<IncomingMessage, unknown>();
  const take: TakeEvents = async (request, response) => {
    // The body has been read: the error that was met then is the answer.
    if (failures.has(request)) throw failures.get(request);
    await takeEvents(request, response);
  };
  const app: Express = createPublicApp({ ...deps, events: eventsRoute(take, deps.authenticate) });
  return (request, response) => {
    if (!isProducersEvents(request, deps.authenticate)) {
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

const isProducersEvents = (request: IncomingMessage, { isProducer }: Pick<Authenticate, 'isProducer'>): boolean =>
  request.url === EVENTS_PATH && request.method === 'POST' && isProducer(request);
