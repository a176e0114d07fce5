import { z } from 'zod';
import { FIELDS, suppressionCause } from './event-fields.ts';
import { namesOf } from './tables.ts';

/*
 * The types of events, declared once. Schemas, bodies, routes, samples, examples and texts derive from this table, and
 * CONTRIBUTING.md names what else a new type needs.
 */

/** transactional_email: a message sent through the API or SMTP. campaign: a message of a campaign. */
export type EventModule = 'transactional_email' | 'campaign';

interface EventType {
  /** With its article, as texts name one of them. */
  readonly one: string;
  /** A sentence. */
  readonly meaning: string;
  readonly modules: readonly EventModule[];
  /** The fields beside those of every event, in the order in which they are sent. */
  readonly fields: Readonly<Record<string, z.ZodType>>;
  /** Names of required fields. */
  readonly required: readonly string[];
  /** Names of fields that are required in transactional events only. */
  readonly requiredInTransactional?: readonly string[];
  /** What a transactional event may lack, because it is not about one message, or not about one recipient. */
  readonly mayLack?: readonly ('messageId' | 'email')[];
  /** The events of the lane `u` overtake those of the lane `f`. */
  readonly lane: 'f' | 'u';
  /** The modules in which the specification has the type, with the own fields of its bodies there. */
  readonly version1?: { readonly [Module in EventModule]?: readonly string[] };
  /** Values of its own fields, as documentation, samples and tests show them. */
  readonly example: object;
}

/** Keeps the names of the fields in the declaration's type. */
const type = <const Declared extends EventType>(declared: Declared): Declared => declared;

const BOTH = ['transactional_email', 'campaign'] as const;
const { reason, code, smtp, cause, list, ip, userAgent, url, machine, first } = FIELDS;

/** Addresses that are reserved for documentation (RFC 2606, RFC 5737). */
const IP = '192.0.2.1';
const URL = 'https://shop.example.com/sale';
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0';

export const EVENT_TYPES = {
  sent: type({
    one: 'a sent message',
    meaning: 'The platform took the message for this recipient. It comes at most once.',
    modules: BOTH,
    fields: {},
    required: [],
    lane: 'f',
    example: {},
  }),
  delivered: type({
    one: 'a delivery',
    meaning: "The recipient's server took the message.",
    modules: BOTH,
    fields: { code, smtp, reason },
    required: [],
    lane: 'f',
    example: { code: '2.0.0', smtp: 250, reason: '250 2.0.0 OK' },
  }),
  deferred: type({
    one: 'a deferral',
    meaning: 'A server refused the message for now, and the platform will try again.',
    modules: BOTH,
    fields: { reason, code, smtp, cause, nextTry: FIELDS.nextTry },
    required: ['reason'],
    lane: 'f',
    example: {
      reason: '451 4.7.1 try again later',
      code: '4.7.1',
      smtp: 451,
      cause: 'policy',
      nextTry: 1767226200,
    },
  }),
  rejected: type({
    one: 'a rejection',
    meaning: 'The platform never offered the message to a server.',
    modules: BOTH,
    fields: { reason, cause },
    required: ['reason'],
    lane: 'f',
    example: { reason: 'the address is on the suppression list', cause: 'suppressed' },
  }),
  open: type({
    one: 'an open',
    meaning: 'The message was opened, by the recipient or by a program.',
    modules: BOTH,
    fields: { ip, userAgent, machine, first },
    required: [],
    requiredInTransactional: ['ip'],
    mayLack: ['email'],
    lane: 'f',
    version1: { transactional_email: ['ip'], campaign: [] },
    example: { ip: IP, userAgent: BROWSER, machine: false, first: true },
  }),
  click: type({
    one: 'a click',
    meaning: 'A link of the message was clicked, by the recipient or by a program.',
    modules: BOTH,
    fields: { ip, userAgent, url, machine, first },
    required: ['url'],
    requiredInTransactional: ['ip', 'userAgent'],
    mayLack: ['email'],
    lane: 'f',
    version1: { transactional_email: ['ip', 'userAgent', 'url'], campaign: ['url'] },
    example: { ip: IP, userAgent: BROWSER, url: URL, machine: false, first: true },
  }),
  bounce: type({
    one: 'a bounce',
    meaning:
      'The platform has given up. hard: the address does not work. soft: anything else. It may come after a delivery.',
    modules: BOTH,
    fields: { type: FIELDS.type, reason, code, smtp, cause },
    required: ['type', 'reason'],
    mayLack: ['email'],
    lane: 'f',
    version1: { transactional_email: ['type', 'reason'] },
    example: { type: 'hard', reason: '550 5.1.1 no such user', code: '5.1.1', smtp: 550, cause: 'invalid' },
  }),
  complaint: type({
    one: 'a complaint',
    meaning: 'The recipient called the message spam.',
    modules: BOTH,
    fields: { feedbackType: FIELDS.feedbackType, reason },
    required: [],
    lane: 'u',
    example: { feedbackType: 'abuse' },
  }),
  unsubscribe: type({
    one: 'an unsubscribe',
    meaning: 'The recipient wants no more mail, or no more of one list.',
    modules: BOTH,
    fields: { method: FIELDS.method, list },
    required: [],
    mayLack: ['messageId'],
    lane: 'u',
    version1: { campaign: [] },
    example: { method: 'one-click', list: 'newsletter' },
  }),
  subscribe: type({
    one: 'a subscription',
    meaning: 'The recipient wants mail again, or that of one list.',
    modules: BOTH,
    fields: { list },
    required: [],
    mayLack: ['messageId'],
    lane: 'u',
    example: { list: 'newsletter' },
  }),
  suppression: type({
    one: 'a change of the suppression list',
    meaning: 'The platform put an address on its suppression list, or took it off.',
    modules: ['transactional_email'],
    fields: { action: FIELDS.action, cause: suppressionCause, list },
    required: ['action'],
    mayLack: ['messageId'],
    lane: 'u',
    example: { action: 'added', cause: 'complaint' },
  }),
  custom: type({
    one: 'an event of the platform',
    meaning: 'Something that only this platform has. The label says what.',
    modules: BOTH,
    fields: { label: FIELDS.label, data: FIELDS.data },
    required: ['label'],
    mayLack: ['messageId', 'email'],
    lane: 'f',
    example: { label: 'survey.answered', data: { score: 9 } },
  }),
} as const;

type Table = typeof EVENT_TYPES;
/** The name of an event type of any module. */
export type EventTypeName = keyof Table;

type ModulesOf<Name extends EventTypeName> = Table[Name]['modules'][number];
/** The name of an event type of one module. */
export type TypeOf<Module extends EventModule> = {
  [Name in EventTypeName]: Module extends ModulesOf<Name> ? Name : never;
}[EventTypeName];

const hasModule = (name: EventTypeName, module: EventModule): boolean =>
  (EVENT_TYPES[name].modules as readonly EventModule[]).includes(module);

/** The names of the event types of a module, in the order of the table. */
export const typesOf = <Module extends EventModule>(module: Module) =>
  namesOf(EVENT_TYPES).filter((name) => hasModule(name, module)) as [TypeOf<Module>, ...TypeOf<Module>[]];

type Version1<Module extends EventModule> = {
  readonly [
    Name in EventTypeName as Table[Name] extends { version1: Readonly<Record<Module, unknown>> } ? Name : never
  ]: Table[Name] extends { version1: Readonly<Record<Module, readonly (infer Field)[]>> }
    ? Pick<Table[Name]['fields'], Field & keyof Table[Name]['fields']>
    : never;
};

/** The types of the specification in a module, with the own fields of their bodies. */
function version1Of(module: EventModule): Readonly<Record<string, object>> {
  const types: Record<string, Readonly<Record<string, z.ZodType | undefined>>> = {};
  for (const name of namesOf(EVENT_TYPES)) {
    const declared: EventType = EVENT_TYPES[name];
    const sent = declared.version1?.[module];
    if (sent !== undefined) types[name] = Object.fromEntries(sent.map((field) => [field, declared.fields[field]]));
  }
  return types;
}

/** The fields of version 1's notifications, by type. */
export const NOTIFICATION_FIELDS = version1Of('transactional_email') as Version1<'transactional_email'>;
/** The fields of version 1's campaign events, by type. */
export const CAMPAIGN_FIELDS = version1Of('campaign') as Version1<'campaign'>;

/** Whether the specification has this type in this module. */
export const isVersion1 = (module: EventModule, name: EventTypeName): boolean =>
  name in (module === 'campaign' ? CAMPAIGN_FIELDS : NOTIFICATION_FIELDS);

/** The names of types, and what their enumerated fields say. They show nothing of a recipient. */
export const ENUMERATED_VALUES: readonly string[] = [
  ...namesOf(EVENT_TYPES),
  ...namesOf(EVENT_TYPES)
    .flatMap((name) => Object.values<z.ZodType>(EVENT_TYPES[name].fields))
    .flatMap((field) => (field instanceof z.ZodEnum ? (field.options as readonly string[]) : [])),
];
