import { z } from 'zod';
import { acceptedEvents, CAMPAIGN_TYPES, text, TRANSACTIONAL_TYPES } from './event-types.ts';
import { transactionalModule } from './subscription.ts';
import { slips } from '../domain/slips.ts';
import { validate } from './validate.ts';
import type { Validated } from './validate.ts';
import type { FieldError } from './problem.ts';

/** Most events in one request or one `email-events` job. */
export const EVENTS_PER_REQUEST_MAX = 10_000;

/**
 * A text that identifies something. Redis and MongoDB store UTF-8, where every half of a surrogate pair becomes the
 * same replacement character. If two ids differed only in such halves, the second event would count as a duplicate and
 * be lost.
 */
const key = (schema: z.ZodString) =>
  schema.refine((value) => value.isWellFormed(), {
    error: 'must be well-formed Unicode, but contains an unpaired surrogate',
    abort: true,
  });
const accountId = key(text(64)).describe('The account that the event belongs to.');
/** Unix seconds. The upper bound catches milliseconds, the most common mistake. */
const unixSeconds = z
  .int()
  .min(0)
  .max(99_999_999_999, 'must be Unix time in seconds, not milliseconds')
  .describe('When it happened, in Unix seconds.');
/** Many serializers write `null` for a field that is absent. */
const orAbsent = (schema: z.ZodString) => z.preprocess((value) => value ?? undefined, schema.optional()).optional();
const id = orAbsent(key(text(100))).describe(
  'Idempotency key: a second event with the same account and id within 24 hours is accepted and not delivered.',
);

const transactionalCommon = {
  account: accountId,
  module: transactionalModule,
  messageId: key(text(1000)).describe('Identifies the message.'),
  time: unixSeconds,
  id,
};

/**
 * A transactional event as producers send it: the notification's fields, `account`, and optionally `id`. Unknown keys
 * are stripped.
 */
export const transactionalEvent = acceptedEvents(TRANSACTIONAL_TYPES, 'name', transactionalCommon);
export type TransactionalEvent = z.infer<typeof transactionalEvent>;

const campaignCommon = {
  account: accountId,
  module: z.literal('campaign'),
  campaign: key(z.string().length(10, 'must be exactly 10 characters')).describe('Identifies the campaign.'),
  email: text(1000).describe('The address of the recipient.'),
  timestamp: unixSeconds,
  hash: orAbsent(key(z.string().min(10).max(50))).describe(
    'Absent: derived from event, campaign, email, timestamp and url, so that identical events have one hash.',
  ),
  id,
};

/** A campaign event as producers send it: like the one that receivers get, but with `account` and without `attempt`. */
export const campaignInput = acceptedEvents(CAMPAIGN_TYPES, 'event', campaignCommon);
export type CampaignInput = z.infer<typeof campaignInput>;

/** The examples of the types as events. */
export const exampleEvent = <Name extends TransactionalEvent['name']>(name: Name) =>
  ({ account: 'acme', module: 'transactional_email', name, ...TRANSACTIONAL_TYPES[name].example }) as Extract<
    TransactionalEvent,
    { name: Name }
  >;
export const exampleCampaignEvent = (event: CampaignInput['event']) =>
  ({ account: 'acme', module: 'campaign', event, ...CAMPAIGN_TYPES[event].example }) as CampaignInput;

/** An event that a producer may send. `module` decides its kind. */
export const producerEvent = z.discriminatedUnion('module', [transactionalEvent, campaignInput]);
export type ProducerEvent = z.infer<typeof producerEvent>;

/**
 * The fields that an event has whatever the value of a discriminator is. While it has a fault, the union checks no
 * other field.
 */
const besideDiscriminator = new Map<PropertyKey | undefined, z.ZodType>([
  ['module', z.object({ account: accountId, id })],
  ['name', z.object(transactionalCommon)],
  ['event', z.object(campaignCommon)],
]);

/**
 * Validates an event with texts for people. If a discriminator is missing or wrong, also reports the faults of the
 * fields that do not depend on it.
 */
export function validateEvent(input: unknown): Validated<ProducerEvent> {
  const result = validate(producerEvent, input);
  if ('value' in result) return result;
  const others = besideDiscriminator.get(result.errors[0]?.path[0]);
  const further = others === undefined ? { errors: [] } : validate(others, input);
  return 'errors' in further ? { errors: [...result.errors, ...further.errors] } : result;
}

const kinds = [...transactionalEvent.options, ...campaignInput.options];

/**
 * The fields of an event that Mailhook does not know, or not for this type of event, with the name that was probably
 * meant. At most `max`. Empty for a value whose type is missing or wrong. A field of `null` is an absent one.
 */
export function unknownFields(input: unknown, max: number): FieldError[] {
  const event = typeof input === 'object' && input !== null ? (input as Readonly<Record<string, unknown>>) : {};
  const kind = kinds.find(({ shape }) => {
    const type = 'name' in shape ? event['name'] === shape.name.value : event['event'] === shape.event.value;
    return type && shape.module.safeParse(event['module']).success;
  });
  if (kind === undefined) return [];
  const known = Object.keys(kind.shape);
  const errors: FieldError[] = [];
  for (const name in event) {
    if (errors.length >= max) break;
    if (known.includes(name) || event[name] === null) continue;
    const meant = known.find((one) => event[one] === undefined && slips(plain(name), plain(one)) <= slipsAllowed(one));
    const message =
      meant === undefined ? 'is not a field of this event' : `is not a field of this event: write ${meant}`;
    errors.push({ path: name.slice(0, UNKNOWN_CHARS), message });
  }
  return errors;
}

/** The longest part of an unknown name that an error repeats. */
const UNKNOWN_CHARS = 100;
/** `message_id` and `messageID` mean `messageId`. */
const plain = (name: string): string => name.slice(0, UNKNOWN_CHARS).replace(/[-_]/g, '').toLowerCase();
const slipsAllowed = ({ length }: string): number => (length < 4 ? 0 : length < 9 ? 1 : 2);
