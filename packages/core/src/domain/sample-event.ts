import { fullExample } from '../contracts/producer-event.ts';
import type { ProducerEvent } from '../contracts/producer-event.ts';
import type { EventModule, EventTypeName } from '../contracts/event-types.ts';

/** The campaign of every sample event. */
export const SAMPLE_CAMPAIGN = 'sample0000';

/**
 * An event of a type, of now, by which a receiver recognizes that it is not real: its id and its message begin with
 * `test-`, and its recipient is at example.com (RFC 2606).
 * @param id 10 to 50 characters, so that it names the event in an acknowledgement too.
 */
export function sampleEvent(module: EventModule, type: EventTypeName, id: string, nowMs: number): ProducerEvent {
  const time = Math.floor(nowMs / 1000);
  const own = module === 'campaign' ? { timestamp: time, campaign: SAMPLE_CAMPAIGN, hash: id } : { time };
  return { ...fullExample(module, type), id, messageId: id, ...own };
}
