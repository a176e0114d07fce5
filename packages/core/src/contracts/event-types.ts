import { z } from 'zod';

/*
 * The types of events, declared once. Schemas, fragments, routes, samples, examples and texts derive from these two
 * tables, and CONTRIBUTING.md names what else a new type needs.
 */

/** A text of 1 to `maxChars` characters. */
export const text = (maxChars: number) => z.string().min(1).max(maxChars);

const ip = text(100).describe("The recipient's IP address.");
const url = text(10_000).describe('The link that was clicked.');

/** Addresses that are reserved for documentation (RFC 2606, RFC 5737). */
const IP = '192.0.2.1';
const URL = 'https://shop.example.com/sale';
const CAMPAIGN = 'aBcDeFgHiJ';

/** A field that only some types have: a text, or one of a few texts. */
type Field = z.ZodString | z.ZodEnum<Record<string, string>>;
type Fields = Readonly<Record<string, Field>>;
type Values<Own extends Fields> = { readonly [Name in keyof Own]: z.infer<Own[Name]> };

interface EventTypeOf<Own extends Fields, Common> {
  /** With its article, as texts name one of them. */
  readonly one: string;
  /** The fields beside those of every event, in the order in which they are sent. */
  readonly fields: Own;
  /** What an event of this type may look like: in documentation, samples and tests. */
  readonly example: Values<Own> & Common;
}

interface TransactionalExample {
  readonly messageId: string;
  readonly time: number;
}

interface CampaignExample {
  readonly campaign: string;
  readonly email: string;
  readonly timestamp: number;
}

interface CampaignType<Own extends Fields> extends EventTypeOf<Own, CampaignExample> {
  /** The events of the lane `u` overtake those of the lane `f`. */
  readonly lane: 'f' | 'u';
}

const transactional = <Own extends Fields>(type: EventTypeOf<Own, TransactionalExample>) => type;
const campaign = <Own extends Fields>(type: CampaignType<Own>) => type;

/** The types of transactional events. A subscription has one of them. */
export const TRANSACTIONAL_TYPES = {
  open: transactional({
    one: 'an open',
    fields: { ip },
    example: { messageId: 'm-2026-000123', time: 1767225600, ip: IP },
  }),
  click: transactional({
    one: 'a click',
    fields: { ip, userAgent: z.string().max(4000).describe("The recipient's mail client or browser."), url },
    example: {
      messageId: 'm-2026-000123',
      time: 1767225607,
      ip: IP,
      userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
      url: URL,
    },
  }),
  bounce: transactional({
    one: 'a bounce',
    fields: {
      type: z.enum(['hard', 'soft']).describe('hard: the address will never work. soft: it may work later.'),
      reason: z.string().max(10_000).describe("The answer of the recipient's mail server."),
    },
    example: { messageId: 'm-2026-000124', time: 1767225611, type: 'hard', reason: '550 5.1.1 no such user' },
  }),
} as const;

/** The types of campaign events. */
export const CAMPAIGN_TYPES = {
  open: campaign({
    one: 'an open',
    fields: {},
    example: { campaign: CAMPAIGN, email: 'anna@example.com', timestamp: 1767225600 },
    lane: 'f',
  }),
  click: campaign({
    one: 'a click',
    fields: { url },
    example: { campaign: CAMPAIGN, email: 'anna@example.com', timestamp: 1767225604, url: URL },
    lane: 'f',
  }),
  unsubscribe: campaign({
    one: 'an unsubscribe',
    fields: {},
    example: { campaign: CAMPAIGN, email: 'ben@example.com', timestamp: 1767225608 },
    lane: 'u',
  }),
} as const;

const allFields = [...Object.values(TRANSACTIONAL_TYPES), ...Object.values(CAMPAIGN_TYPES)].flatMap(({ fields }) =>
  Object.values<Field>(fields),
);
/** The names of types, and what their enumerated fields say. They show nothing of a recipient. */
export const ENUMERATED_VALUES: readonly string[] = [
  ...Object.keys({ ...TRANSACTIONAL_TYPES, ...CAMPAIGN_TYPES }),
  ...allFields.flatMap((field) => (field instanceof z.ZodEnum ? field.options : [])),
];

type Types = Readonly<Record<string, { readonly fields: Fields }>>;
type NameOf<All extends Types> = keyof All & string;

type Shape<Common, Key extends string, Name extends string, Own> = Common & Record<Key, z.ZodLiteral<Name>> & Own;
type AnyOf<Members> = [Members[keyof Members], ...Members[keyof Members][]];
type Accepted<All extends Types, Key extends string, Common extends z.ZodRawShape> = AnyOf<{
  [Name in NameOf<All>]: z.ZodObject<Shape<Common, Key, Name, All[Name]['fields']>>;
}>;

/** Events as producers send them: the fields of all, `key` with the name of the type, and the fields of the type. */
export const acceptedEvents = <All extends Types, Key extends string, Common extends z.ZodRawShape>(
  types: All,
  key: Key,
  common: Common,
) =>
  z.discriminatedUnion(
    key,
    Object.entries(types).map(([name, { fields }]) =>
      z.object({ ...common, [key]: z.literal(name), ...fields }),
    ) as unknown as Accepted<All, Key, Common>,
  );

/** A field as receivers get it: without the limits that it had to keep on its way in. */
type Sent<Own extends Fields> = {
  [Name in keyof Own]: Own[Name] extends z.ZodEnum<infer Values> ? z.ZodEnum<Values> : z.ZodString;
};
type SentEvents<All extends Types, Key extends string, Common extends z.ZodRawShape> = AnyOf<{
  [Name in NameOf<All>]: z.ZodObject<Shape<Common, Key, Name, Sent<All[Name]['fields']>>, z.core.$strict>;
}>;

const asSent = (field: Field) => (field instanceof z.ZodEnum ? z.enum(field.options) : z.string());

/** Events as receivers get them, with exactly these fields. */
export const sentEvents = <All extends Types, Key extends string, Common extends z.ZodRawShape>(
  types: All,
  key: Key,
  common: Common,
) =>
  z.discriminatedUnion(
    key,
    Object.entries(types).map(([name, { fields }]) => {
      const own = Object.fromEntries(Object.entries(fields).map(([field, schema]) => [field, asSent(schema)]));
      return z.strictObject({ ...common, [key]: z.literal(name), ...own });
    }) as unknown as SentEvents<All, Key, Common>,
  );
