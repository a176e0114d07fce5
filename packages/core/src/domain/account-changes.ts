import { publicIdOf } from './public-id.ts';
import type { StoredSecret } from './signing-secrets.ts';
import type { StoredAccount, StoredDestination } from './stored-account.ts';

/**
 * A field of an account, before and after a change. Null: it had none, or has none any more. Equal texts: a value that
 * is never shown has changed.
 */
export interface FieldChange {
  /** The id of the destination, token, secret or address that has the field. Absent: the account. */
  readonly object?: string | undefined;
  /** As the API names it. */
  readonly field: string;
  readonly before: string | null;
  readonly after: string | null;
}

const TEXT_CHARS = 200;
/** Tokens that have expired make room by the hundred. */
const CHANGES_MAX = 30;

type Value = string | number | boolean | readonly string[] | null;
type Fields = ReadonlyMap<string, Value>;
const NONE: Fields = new Map();

/** What a change did to an account, field by field, without secrets. `before`: undefined for a new account. */
export function changesBetween(before: StoredAccount | undefined, after: StoredAccount): readonly FieldChange[] {
  const [old, now] = [before === undefined ? new Map<string, Fields>() : objectsOf(before), objectsOf(after)];
  const found = [...new Set([...old.keys(), ...now.keys()])].flatMap((id) =>
    changesOfFields(id, old.get(id), now.get(id)),
  );
  return [...found, ...hiddenChanges(before, after)].slice(0, CHANGES_MAX);
}

/** What a change did to the fields of one object. `object`: empty for the account. */
export function changesOfFields(object: string, had: Fields = NONE, has: Fields = NONE): readonly FieldChange[] {
  const of = object === '' ? {} : { object };
  return [...new Set([...had.keys(), ...has.keys()])].flatMap((field) => {
    const [from, to] = [textOf(had.get(field)), textOf(has.get(field))];
    return from === to ? [] : [{ ...of, field, before: from, after: to }];
  });
}

/** Headers and filters with the same names and other values. */
const hiddenChanges = (before: StoredAccount | undefined, after: StoredAccount): FieldChange[] =>
  after.destinations.flatMap((one) => {
    const former = before?.destinations.find(({ id }) => id === one.id);
    if (former === undefined) return [];
    const object = publicIdOf(after.id, one.id);
    const hidden = (field: string, from: readonly string[], to: readonly string[]): FieldChange[] => {
      const text = textOf(to);
      return text === null || textOf(from) !== text ? [] : [{ object, field, before: text, after: text }];
    };
    const hasOtherFilter = JSON.stringify(former.settings.filter) !== JSON.stringify(one.settings.filter);
    return [
      ...(former.headersVersion === one.headersVersion ? [] : hidden('headers', headersOf(former), headersOf(one))),
      ...(hasOtherFilter ? hidden('filter', filterOf(former), filterOf(one)) : []),
    ];
  });

/** Every object of an account by its public id, with the fields that people may see. */
function objectsOf(account: StoredAccount): Map<string, Fields> {
  const { name, tokens, secrets, destinations, alertAddresses, alertWebhooks } = account;
  return new Map([
    ['', fieldsOf({ name })],
    ...tokens.map(({ id, label, access, expiresAt }) => [id, fieldsOf({ label, access, expiresAt })] as const),
    ...secrets.map(ofSecret('*')),
    ...destinations.flatMap((one) => {
      const id = publicIdOf(account.id, one.id);
      return [[id, ofDestination(one)] as const, ...one.secrets.map(ofSecret(id))];
    }),
    ...alertAddresses.map(
      ({ id, email, language, confirmed, kinds, muted }) =>
        [id, fieldsOf({ email: email.replace(/^(.).*@/, '$1***@'), language, confirmed, kinds, muted })] as const,
    ),
    // The path of such an address is a secret in Slack.
    ...alertWebhooks.map(
      ({ id, address, language, kinds, muted }) =>
        [id, fieldsOf({ address: new URL(address).origin, language, kinds, muted })] as const,
    ),
  ]);
}

export const fieldsOf = (fields: Readonly<Record<string, Value>>): Fields => new Map(Object.entries(fields));

/** `signsFor`: a destination, or `*` for those without a secret of their own. */
const ofSecret =
  (signsFor: string) =>
  ({ id, endsAt }: StoredSecret) =>
    [id, fieldsOf({ signsFor, endsAt })] as const;

/** The keys of a filter: its values may be data of recipients. */
const filterOf = ({ settings }: StoredDestination): readonly string[] => Object.keys(settings.filter ?? {});

const headersOf = ({ headers }: StoredDestination): readonly string[] => Object.keys(headers);

const ofDestination = (one: StoredDestination): Fields =>
  fieldsOf({
    module: one.module,
    ...one.settings,
    filter: filterOf(one),
    headers: headersOf(one),
    inactiveReason: one.inactiveReason,
  });

/** Null for what is not set. */
function textOf(value: Value | undefined): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'object') return value.length === 0 ? null : cut(value.join(', '));
  return cut(String(value));
}

const cut = (text: string): string => (text.length <= TEXT_CHARS ? text : `${text.slice(0, TEXT_CHARS - 1)}…`);
