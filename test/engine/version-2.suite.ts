import type { Destination, EventTypeName, Mechanism, ProducerEvent, Route, Shape } from '@mailhook/core';
import { exampleCampaignEvent, exampleEvent, SHAPE_LIMITS } from '@mailhook/core';
import type { ReceivedRequest } from '@mailhook/testing';
import type { Rig } from './rig.ts';

/** An event of version 2, as a receiver got it. One of version 1 has neither `id` nor, in a batch, `version`. */
interface ReceivedEvent {
  readonly id: string;
  readonly event: string;
  readonly version?: number;
  readonly hash?: string;
  readonly attempt?: number;
}

/** Events of version 2 with the ids `event-<from>` to `event-<to - 1>`. */
export const eventsOf = (kind: Mechanism, from: number, to: number, type: EventTypeName = 'delivered') =>
  Array.from({ length: to - from }, (_, i): ProducerEvent => {
    const example = kind === 'campaign' ? exampleCampaignEvent(type as 'delivered') : exampleEvent(type as 'delivered');
    return { ...example, id: `event-${from + i}` };
  });

export const eventsIn = ({ json }: ReceivedRequest): ReceivedEvent[] => [json].flat() as ReceivedEvent[];

export const idsIn = (requests: readonly ReceivedRequest[]): string[] =>
  requests.flatMap((request) => eventsIn(request).map(({ id }) => id));

/** The fields of a destination with this shape. */
export const inShape = (shape: Shape, more: Partial<Destination> = {}): Partial<Destination> => ({
  shape,
  ...SHAPE_LIMITS[shape],
  ...more,
});

/** Publishes events as version 2, as the api does for a destination of this shape. */
export function publishVersion2(rig: Rig, destination: Destination, events: readonly ProducerEvent[]): Promise<void> {
  const { id, account, shape } = destination;
  const route: Route = { id, version: 2, isSingle: shape === 'single' };
  return rig.publisher.publish(events.map((event) => ({ event: { ...event, account }, destinations: [route] })));
}
