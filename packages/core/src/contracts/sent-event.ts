import { z } from 'zod';

type Fields = Readonly<Record<string, z.ZodType>>;
type Types = Readonly<Record<string, Fields>>;

/** A field as receivers get it: without the limits that it had to keep on its way in. */
type Sent<Own extends Fields> = {
  [Name in keyof Own]: Own[Name] extends z.ZodEnum<infer Values> ? z.ZodEnum<Values> : z.ZodString;
};
type AnyOf<Members> = [Members[keyof Members], ...Members[keyof Members][]];
type SentEvents<All extends Types, Key extends string, Common extends z.ZodRawShape> = AnyOf<{
  [Name in keyof All & string]: z.ZodObject<Common & Record<Key, z.ZodLiteral<Name>> & Sent<All[Name]>, z.core.$strict>;
}>;

const asSent = (field: z.ZodType) =>
  field instanceof z.ZodEnum ? z.enum(field.options as [string, ...string[]]) : z.string();

/** Events of version 1 as receivers get them, with exactly these fields. `types`: the own fields of each type. */
export const sentEvents = <All extends Types, Key extends string, Common extends z.ZodRawShape>(
  types: All,
  key: Key,
  common: Common,
) =>
  z.discriminatedUnion(
    key,
    Object.entries(types).map(([name, fields]) => {
      const own = Object.fromEntries(Object.entries(fields).map(([field, schema]) => [field, asSent(schema)]));
      return z.strictObject({ ...common, [key]: z.literal(name), ...own });
    }) as unknown as SentEvents<All, Key, Common>,
  );
