import type { RequestListener } from 'node:http';
import type { TakeEvents } from '../intake/events-route.ts';
import { EVENTS_PATH } from '../intake/events-route.ts';
import type { PublicAppDeps } from '../app.ts';
import { createPublicApp, createRefusal } from '../app.ts';
import { createClientAddress } from '../auth/client-address.ts';
import type { ObserveRequest } from '../http/request-observer.ts';
import type { RequestTracing } from '../http/request-tracing.ts';

export interface PublicListenerDeps extends Omit<PublicAppDeps, 'events'> {
  readonly observe: ObserveRequest;
  readonly takeEvents: TakeEvents;
  /** Continues the trace of an authenticated producer. */
  readonly joinTrace?: RequestTracing['join'] | undefined;
}

/**
 * The listener at `PORT`. It takes events of a known producer without Express, which costs more per request than all
 * work of the intake (docs/decisions/0014). Express serves everything else, including a producer's first request.
 */
export function createPublicListener({ observe, takeEvents, joinTrace, ...deps }: PublicListenerDeps): RequestListener {
  const { authenticate } = deps.protection;
  const refuse = createRefusal(deps);
  const app = createPublicApp({
    ...deps,
    events: async (request, response) => {
      const producer = await authenticate.producer(request);
      joinTrace?.(request, response);
      await takeEvents(request, response, producer);
    },
  });
  const addressOf = createClientAddress(app);
  return (request, response) => {
    const isEvents = request.url === EVENTS_PATH && request.method === 'POST';
    const producer = isEvents ? authenticate.knownProducer(request, addressOf(request)) : undefined;
    if (producer === undefined) {
      observe(request, response);
      app(request, response);
      return;
    }
    observe(request, response, EVENTS_PATH);
    joinTrace?.(request, response);
    takeEvents(request, response, producer).catch((error: unknown) => refuse(error, request, response));
  };
}
