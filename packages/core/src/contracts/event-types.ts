import { z } from 'zod';
import { FIELDS, suppressionCause } from './event-fields.ts';
import { namesOf } from './tables.ts';

/*
 * The types of events, declared once. Schemas, bodies, routes, samples, examples and texts derive from this table, and
 * CONTRIBUTING.md names what else a new type needs.
 */

/** transactional_email: a message sent through the API or SMTP. campaign: a message of a campaign. */
export type EventModule = 'transactional_email' | 'campaign';

/** Where else email events have names. The document docs/guides/vocabulary.md compares them. */
export const VOCABULARIES = [
  'SendGrid',
  'Mailgun',
  'Postmark',
  'SparkPost',
  'Amazon SES',
  'Resend',
  'Brevo',
  'Mandrill',
  'MailerSend',
  'Anymail',
  'Symfony',
  'KumoMTA',
  'RFCs',
] as const;
type Vocabulary = (typeof VOCABULARIES)[number];

interface EventType {
  /** With its article, as texts name one of them. */
  readonly one: string;
  /** Several of them, as objects of a sentence. */
  readonly several: string;
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
  /** Its names in other vocabularies, as Markdown. */
  readonly elsewhere: { readonly [Name in Vocabulary]?: string };
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
    several: 'sent messages',
    meaning: 'The platform took the message for this recipient. It comes at most once.',
    modules: BOTH,
    fields: {},
    required: [],
    lane: 'f',
    example: {},
    elsewhere: {
      SendGrid: '`processed`',
      Mailgun: '`accepted`',
      SparkPost: '`injection`',
      'Amazon SES': '`Send`',
      Resend: '`email.sent`',
      Brevo: '`request`',
      Mandrill: '`send`',
      MailerSend: '`activity.sent`',
      Anymail: '`queued`, `sent`',
      Symfony: '`received`',
      KumoMTA: '`Reception`',
    },
  }),
  delivered: type({
    one: 'a delivery',
    several: 'deliveries',
    meaning: "The recipient's server took the message.",
    modules: BOTH,
    fields: { code, smtp, reason },
    required: [],
    lane: 'f',
    example: { code: '2.0.0', smtp: 250, reason: '250 2.0.0 OK' },
    elsewhere: {
      SendGrid: '`delivered`',
      Mailgun: '`delivered`',
      Postmark: '`Delivery`',
      SparkPost: '`delivery`',
      'Amazon SES': '`Delivery`',
      Resend: '`email.delivered`',
      Brevo: '`delivered`',
      MailerSend: '`activity.delivered`',
      Anymail: '`delivered`',
      Symfony: '`delivered`',
      KumoMTA: '`Delivery`',
      RFCs: '3464: `delivered`',
    },
  }),
  deferred: type({
    one: 'a deferral',
    several: 'deferrals',
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
    elsewhere: {
      SendGrid: '`deferred`',
      Mailgun: '`failed`, `severity` `temporary`',
      Postmark: '`Bounce`, `Type` `Transient` or `DnsError`',
      SparkPost: '`delay`',
      'Amazon SES': '`DeliveryDelay`',
      Resend: '`email.delivery_delayed`',
      Brevo: '`deferred`',
      Mandrill: '`deferral`',
      MailerSend: '`activity.deferred`',
      Anymail: '`deferred`',
      Symfony: '`deferred`',
      KumoMTA: '`TransientFailure`',
      RFCs: '3464: `delayed`; 3463: class 4',
    },
  }),
  rejected: type({
    one: 'a rejection',
    several: 'rejections',
    meaning: 'The platform never offered the message to a server.',
    modules: BOTH,
    fields: { reason, cause },
    required: ['reason'],
    lane: 'f',
    example: { reason: 'the address is on the suppression list', cause: 'suppressed' },
    elsewhere: {
      SendGrid: '`dropped`',
      Mailgun: '`rejected`; `failed`, `reason` `suppress-bounce`',
      Postmark: '`Bounce`, `Type` `BadEmailAddress`, `ManuallyDeactivated` or `TemplateRenderingFailed`',
      SparkPost: '`policy_rejection`, `generation_failure`, `generation_rejection`',
      'Amazon SES': '`Reject`, `Rendering Failure`',
      Resend: '`email.failed`, `email.suppressed`',
      Brevo: '`blocked`, `invalid_email`, `error`',
      Mandrill: '`reject`',
      MailerSend: '`data.type` `suppressed`',
      Anymail: '`rejected`, `failed`',
      Symfony: '`dropped`',
      KumoMTA: '`Rejection`',
    },
  }),
  open: type({
    one: 'an open',
    several: 'opens',
    meaning: 'The message was opened, by the recipient or by a program.',
    modules: BOTH,
    fields: { ip, userAgent, machine, first },
    required: [],
    requiredInTransactional: ['ip'],
    mayLack: ['email'],
    lane: 'f',
    version1: { transactional_email: ['ip'], campaign: [] },
    example: { ip: IP, userAgent: BROWSER, machine: false, first: true },
    elsewhere: {
      SendGrid: '`open`',
      Mailgun: '`opened`',
      Postmark: '`Open`',
      SparkPost: '`open`, `initial_open`',
      'Amazon SES': '`Open`',
      Resend: '`email.opened`',
      Brevo: '`opened`, `unique_opened`, `proxy_open`, `unique_proxy_open`',
      Mandrill: '`open`',
      MailerSend: '`activity.opened`, `activity.opened_unique`',
      Anymail: '`opened`',
      Symfony: '`open`',
    },
  }),
  click: type({
    one: 'a click',
    several: 'clicks',
    meaning: 'A link of the message was clicked, by the recipient or by a program.',
    modules: BOTH,
    fields: { ip, userAgent, url, machine, first },
    required: ['url'],
    requiredInTransactional: ['ip', 'userAgent'],
    mayLack: ['email'],
    lane: 'f',
    version1: { transactional_email: ['ip', 'userAgent', 'url'], campaign: ['url'] },
    example: { ip: IP, userAgent: BROWSER, url: URL, machine: false, first: true },
    elsewhere: {
      SendGrid: '`click`',
      Mailgun: '`clicked`',
      Postmark: '`Click`',
      SparkPost: '`click`',
      'Amazon SES': '`Click`',
      Resend: '`email.clicked`',
      Brevo: '`click`',
      Mandrill: '`click`',
      MailerSend: '`activity.clicked`, `activity.clicked_unique`',
      Anymail: '`clicked`',
      Symfony: '`click`',
    },
  }),
  bounce: type({
    one: 'a bounce',
    several: 'bounces',
    meaning:
      'The platform has given up. hard: the address does not work. soft: anything else. It may come after a delivery.',
    modules: BOTH,
    fields: { type: FIELDS.type, reason, code, smtp, cause },
    required: ['type', 'reason'],
    mayLack: ['email'],
    lane: 'f',
    version1: { transactional_email: ['type', 'reason'] },
    example: { type: 'hard', reason: '550 5.1.1 no such user', code: '5.1.1', smtp: 550, cause: 'invalid' },
    elsewhere: {
      SendGrid: '`bounce`',
      Mailgun: '`failed`, `severity` `permanent`',
      Postmark: '`Bounce`, other `Type`s',
      SparkPost: '`bounce`, `out_of_band`',
      'Amazon SES': '`Bounce`',
      Resend: '`email.bounced`',
      Brevo: '`hard_bounce`, `soft_bounce`',
      Mandrill: '`hard_bounce`, `soft_bounce`',
      MailerSend: '`activity.hard_bounced`, `activity.soft_bounced`',
      Anymail: '`bounced`',
      Symfony: '`bounce`',
      KumoMTA: '`Bounce`, `OOB`, `Expiration`, `AdminBounce`',
      RFCs: '3464: `failed`; 3463: class 5',
    },
  }),
  complaint: type({
    one: 'a complaint',
    several: 'complaints',
    meaning: 'The recipient called the message spam.',
    modules: BOTH,
    fields: { feedbackType: FIELDS.feedbackType, reason },
    required: [],
    lane: 'u',
    example: { feedbackType: 'abuse' },
    elsewhere: {
      SendGrid: '`spamreport`',
      Mailgun: '`complained`',
      Postmark: '`SpamComplaint`',
      SparkPost: '`spam_complaint`',
      'Amazon SES': '`Complaint`',
      Resend: '`email.complained`',
      Brevo: '`spam`',
      Mandrill: '`spam`',
      MailerSend: '`activity.spam_complaint`',
      Anymail: '`complained`',
      Symfony: '`spam`',
      KumoMTA: '`Feedback`',
      RFCs: '5965: feedback report',
    },
  }),
  unsubscribe: type({
    one: 'an unsubscribe',
    several: 'unsubscribes',
    meaning: 'The recipient wants no more mail, or no more of one list.',
    modules: BOTH,
    fields: { method: FIELDS.method, list },
    required: [],
    mayLack: ['messageId'],
    lane: 'u',
    version1: { campaign: [] },
    example: { method: 'one-click', list: 'newsletter' },
    elsewhere: {
      SendGrid: '`unsubscribe`, `group_unsubscribe`',
      Mailgun: '`unsubscribed`',
      Postmark: '`SubscriptionChange`, `Origin` `Recipient`',
      SparkPost: '`list_unsubscribe`, `link_unsubscribe`',
      'Amazon SES': '`Subscription`',
      Brevo: '`unsubscribed`',
      Mandrill: '`unsub`',
      MailerSend: '`activity.unsubscribed`',
      Anymail: '`unsubscribed`',
      Symfony: '`unsubscribe`',
      RFCs: '2369, 8058',
    },
  }),
  subscribe: type({
    one: 'a subscription',
    several: 'subscriptions of recipients',
    meaning: 'The recipient wants mail again, or that of one list.',
    modules: BOTH,
    fields: { list },
    required: [],
    mayLack: ['messageId'],
    lane: 'u',
    example: { list: 'newsletter' },
    elsewhere: {
      SendGrid: '`group_resubscribe`',
      Brevo: '`list_addition`',
      Anymail: '`subscribed`',
    },
  }),
  suppression: type({
    one: 'a change of the suppression list',
    several: 'changes of the suppression list',
    meaning: 'The platform put an address on its suppression list, or took it off.',
    modules: ['transactional_email'],
    fields: { action: FIELDS.action, cause: suppressionCause, list },
    required: ['action'],
    mayLack: ['messageId'],
    lane: 'u',
    example: { action: 'added', cause: 'complaint' },
    elsewhere: {
      Postmark: '`SubscriptionChange`, another `Origin`',
      Resend: '`suppression.added`, `suppression.removed`',
      Mandrill: 'sync event of the denylist',
      MailerSend: 'on-hold list: added, removed',
    },
  }),
  custom: type({
    one: 'an event of the platform',
    several: 'events of the platform',
    meaning: 'Something that only this platform has. The label says what.',
    modules: BOTH,
    fields: { label: FIELDS.label, data: FIELDS.data },
    required: ['label'],
    mayLack: ['messageId', 'email'],
    lane: 'f',
    example: { label: 'survey.answered', data: { score: 9 } },
    elsewhere: {
      MailerSend: '`activity.survey_opened`, `activity.survey_submitted`',
      Anymail: '`autoresponded`',
    },
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
