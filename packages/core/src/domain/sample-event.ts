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

/** What an edited sample cannot change: whose event it is, of which type, and that it is not real. */
const FIXED = ['account', 'module', 'name', 'event', 'id', 'hash'];
const isFixed = (name: string): boolean => FIXED.includes(name);
/** What each test sets anew. */
const OF_NOW = ['messageId', 'time', 'timestamp', 'campaign'];

/** The fields of a sample that can be edited, as a producer sends them. Times and ids are those of the test. */
export const sampleFields = (module: EventModule, type: EventTypeName): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(fullExample(module, type)).filter(([name]) => !isFixed(name) && !OF_NOW.includes(name)),
  );

/** The same event with these fields in place of its own ones, not checked yet. Null: without the field. */
export function editedSample(
  module: EventModule,
  type: EventTypeName,
  id: string,
  nowMs: number,
  fields: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const sample: Readonly<Record<string, unknown>> = { ...sampleEvent(module, type, id, nowMs) };
  const given = Object.entries(fields).filter(([name]) => !isFixed(name));
  return { ...sample, ...Object.fromEntries(given) };
}
