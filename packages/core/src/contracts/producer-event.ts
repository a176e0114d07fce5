import { z } from 'zod';
import { happenedAt, key, metadata, orAbsent, tags, text } from './event-fields.ts';
import { EVENT_TYPES, typesOf } from './event-types.ts';
import type { EventModule, EventTypeName, TypeOf } from './event-types.ts';
import { forEachName } from './tables.ts';
import { slips } from '../domain/slips.ts';
import { validate } from './validate.ts';
import type { Validated } from './validate.ts';
import type { FieldError } from './problem.ts';

/** Most events in one request or one `email-events` job. */
export const EVENTS_PER_REQUEST_MAX = 10_000;

const accountId = key(text(64)).describe('The account that the event belongs to.');
const id = orAbsent(key(text(100))).describe(
  'Idempotency key of this event: a second one with the same account, module, type and id within 24 hours ' +
    '(`EVENT_ID_WINDOW`) is accepted and not delivered. Receivers of version 2 get it.',
);
const messageId = key(text(1000)).describe('Identifies the message.');
const email = text(1000).describe('The address of the recipient.');

const transactionalCommon = {
  account: accountId,
  module: z.literal('transactional_email'),
  time: happenedAt,
  id,
  metadata,
  tags,
};

const campaignCommon = {
  account: accountId,
  module: z.literal('campaign'),
  campaign: key(z.string().length(10, 'must be exactly 10 characters')).describe('Identifies the campaign.'),
  email,
  timestamp: happenedAt,
  hash: orAbsent(key(z.string().min(10).max(50))).describe(
    'Absent: derived from event, campaign, email, timestamp and url, so that identical events have one hash.',
  ),
  id,
  messageId: orAbsent(messageId),
  metadata,
  tags,
};

/** The key of an event's type in each module. */
const TYPE_KEYS = { transactional_email: 'name', campaign: 'event' } as const;

type Table = typeof EVENT_TYPES;
type RequiredOf<Name extends EventTypeName, Module extends EventModule> =
  | Table[Name]['required'][number]
  | (Module extends 'transactional_email'
      ? Table[Name] extends { readonly requiredInTransactional: readonly (infer Field)[] }
        ? Field
        : never
      : never);
type Absentable<Schema extends z.ZodType> = ReturnType<typeof orAbsent<Schema>>;
type OwnShape<Name extends EventTypeName, Module extends EventModule> = {
  [Field in keyof Table[Name]['fields']]: Table[Name]['fields'][Field] extends infer Schema extends z.ZodType
    ? Field extends RequiredOf<Name, Module>
      ? Schema
      : Absentable<Schema>
    : never;
};
type Lacks<Name extends EventTypeName, Field> = Table[Name] extends { readonly mayLack: readonly (infer Lacking)[] }
  ? Field extends Lacking
    ? true
    : false
  : false;
interface CommonShape<Name extends EventTypeName> {
  transactional_email: typeof transactionalCommon & {
    messageId: Lacks<Name, 'messageId'> extends true ? Absentable<typeof messageId> : typeof messageId;
    email: Lacks<Name, 'email'> extends true ? Absentable<typeof email> : typeof email;
  };
  campaign: typeof campaignCommon;
}
type Accepted<Name extends EventTypeName, Module extends EventModule> = z.ZodObject<
  CommonShape<Name>[Module] & Record<(typeof TYPE_KEYS)[Module], z.ZodLiteral<Name>> & OwnShape<Name, Module>
>;
type AnyOf<Members> = [Members[keyof Members], ...Members[keyof Members][]];

/** What a transactional event of some types may lack. */
const OPTIONAL = ['messageId', 'email'];

interface DeclaredType {
  readonly fields: Readonly<Record<string, z.ZodType>>;
  readonly required: readonly string[];
  readonly requiredInTransactional?: readonly string[];
  readonly mayLack?: readonly string[];
  readonly example: Readonly<Record<string, unknown>>;
}

/** The names of the fields that an event of this type must have, beside those of every event of its module. */
function requiredFields(name: EventTypeName, module: EventModule): ReadonlySet<string> {
  const { required, requiredInTransactional = [], mayLack = [] }: DeclaredType = EVENT_TYPES[name];
  if (module === 'campaign') return new Set(required);
  const ofMessage = OPTIONAL.filter((field) => !mayLack.includes(field));
  return new Set([...ofMessage, ...required, ...requiredInTransactional]);
}

function acceptedEvent(name: EventTypeName, module: EventModule): z.ZodObject {
  const required = requiredFields(name, module);
  const { fields }: DeclaredType = EVENT_TYPES[name];
  const own = module === 'campaign' ? fields : { messageId, email, ...fields };
  return z.object({
    ...(module === 'campaign' ? campaignCommon : transactionalCommon),
    [TYPE_KEYS[module]]: z.literal(name),
    ...forEachName(own, (field) => {
      const schema = own[field] as z.ZodType;
      return required.has(field) ? schema : orAbsent(schema);
    }),
  });
}

const acceptedEvents = <Module extends EventModule>(module: Module) =>
  z.discriminatedUnion(
    TYPE_KEYS[module],
    typesOf(module).map((name) => acceptedEvent(name, module)) as unknown as AnyOf<{
      [Name in TypeOf<Module>]: Accepted<Name, Module>;
    }>,
  );

/**
 * A transactional event as producers send it: `account`, what happened, and optionally `id`, `metadata` and `tags`.
 * Unknown keys are stripped.
 */
export const transactionalEvent = acceptedEvents('transactional_email');
export type TransactionalEvent = z.infer<typeof transactionalEvent>;

/** A campaign event as producers send it. */
export const campaignInput = acceptedEvents('campaign');
export type CampaignInput = z.infer<typeof campaignInput>;

const EXAMPLES = {
  transactional_email: { messageId: 'm-2026-000123', time: 1767225600, email: 'anna@example.com' },
  campaign: { campaign: 'aBcDeFgHiJ', email: 'anna@example.com', timestamp: 1767225600 },
};
/** The least that an event of a type has, with the values of the table. */
function leastExample(name: EventTypeName, module: EventModule): object {
  const { example }: DeclaredType = EVENT_TYPES[name];
  const required = requiredFields(name, module);
  const common = Object.entries(EXAMPLES[module]).filter(
    ([field]) => module === 'campaign' || required.has(field) || !OPTIONAL.includes(field),
  );
  const own = Object.entries(example).filter(([field]) => required.has(field));
  return { account: 'acme', module, [TYPE_KEYS[module]]: name, ...Object.fromEntries([...common, ...own]) };
}

/** An example of an event with all fields that the table of types has values for. */
export const fullExample = (module: EventModule, name: EventTypeName): ProducerEvent =>
  ({
    account: 'acme',
    module,
    [TYPE_KEYS[module]]: name,
    ...EXAMPLES[module],
    ...EVENT_TYPES[name].example,
  }) as unknown as ProducerEvent;

/** Examples with the fields that an event of this type must have. */
export const exampleEvent = <Name extends TransactionalEvent['name']>(name: Name) =>
  leastExample(name, 'transactional_email') as Extract<TransactionalEvent, { name: Name }>;
export const exampleCampaignEvent = <Name extends CampaignInput['event']>(event: Name) =>
  leastExample(event, 'campaign') as Extract<CampaignInput, { event: Name }>;

/** An event that a producer may send. `module` decides its kind. */
export const producerEvent = z.discriminatedUnion('module', [transactionalEvent, campaignInput]);
export type ProducerEvent = z.infer<typeof producerEvent>;

export const typeOfEvent = (event: ProducerEvent): EventTypeName =>
  event.module === 'campaign' ? event.event : event.name;

/** The key of the type in the other module: null or absent. */
const notHere = (meant: string) => z.null(`is not a field of this event: write ${meant}`).optional();

/**
 * The fields that an event has whatever the value of a discriminator is. While it has a fault, the union checks no
 * other field.
 */
const besideDiscriminator = new Map<PropertyKey | undefined, z.ZodType>([
  ['module', z.object({ account: accountId, id, metadata, tags })],
  [
    'name',
    z.object({
      ...transactionalCommon,
      messageId: orAbsent(messageId),
      email: orAbsent(email),
      event: notHere('name'),
    }),
  ],
  ['event', z.object({ ...campaignCommon, name: notHere('event') })],
]);

/**
 * Validates an event with texts for people, which name a misspelled field that is missing. If a discriminator is
 * missing or wrong, also reports the faults of the fields that do not depend on it.
 */
export function validateEvent(input: unknown): Validated<ProducerEvent> {
  const result = validate(producerEvent, input);
  if ('value' in result) return result;
  const others = besideDiscriminator.get(result.errors[0]?.path[0]);
  const further = others === undefined ? { errors: [] } : validate(others, input);
  const errors = [...result.errors, ...('errors' in further ? further.errors : [])];
  return { errors: errors.map((issue) => withMisspelled(issue, input)) };
}

const kinds = [...transactionalEvent.options, ...campaignInput.options];
const everyField = new Set(kinds.flatMap(({ shape }) => Object.keys(shape)));
const NAMES_READ = 100;

/** Names the misspelled field in the fault of a missing one. */
function withMisspelled(issue: z.core.$ZodIssue, input: unknown): z.core.$ZodIssue {
  const field = String(issue.path[0]);
  const event = Object(input) as Readonly<Record<string, unknown>>;
  if (issue.path.length !== 1 || event[field] !== undefined) return issue;
  const name = Object.keys(event)
    .slice(0, NAMES_READ)
    .find((one) => !everyField.has(one) && event[one] !== null && (isSpelled(one, field) || isSlip(one, field)));
  if (name === undefined) return issue;
  return { ...issue, message: `is required: write ${field} in place of ${name.slice(0, UNKNOWN_CHARS)}` };
}

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
    const meant =
      known.find((one) => isSpelled(name, one)) ?? known.find((one) => event[one] === undefined && isSlip(name, one));
    const fix = meant === undefined ? '' : `: write ${meant}${event[meant] === undefined ? '' : ', which it has too'}`;
    errors.push({ path: name.slice(0, UNKNOWN_CHARS), message: `is not a field of this event${fix}` });
  }
  return errors;
}

/** The longest part of an unknown name that an error repeats. */
const UNKNOWN_CHARS = 100;
/** `message_id` and `messageID` mean `messageId`. */
const plain = (name: string): string => name.slice(0, UNKNOWN_CHARS).replace(/[-_]/g, '').toLowerCase();
const isSpelled = (name: string, field: string): boolean => plain(name) === plain(field);
const slipsAllowed = ({ length }: string): number => (length < 4 ? 0 : length < 9 ? 1 : 2);
const isSlip = (name: string, field: string): boolean => slips(plain(name), plain(field)) <= slipsAllowed(field);
