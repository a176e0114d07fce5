import type { EventModule, EventTypeName } from '../contracts/event-types.ts';
import { CAMPAIGN_FIELDS, isVersion1, NOTIFICATION_FIELDS } from '../contracts/event-types.ts';
import type { ProducerEvent } from '../contracts/producer-event.ts';
import { typeOfEvent } from '../contracts/producer-event.ts';
import { forEachName } from '../contracts/tables.ts';
import type { Digest } from './event-hash.ts';
import { derivedHash, identityText } from './event-hash.ts';
import type { Fragment } from './fragment.ts';
import { FRAGMENT_SEPARATOR, notificationHead, notificationOf, notificationOwn, textAt } from './fragment.ts';

/*
 * An event as a logged chunk holds it, without its account and module, in up to three lines. The first two make its
 * fragment of version 1, so that nobody parses the event for it: of a campaign event its hash and its identifying
 * fields, of a transactional one its common fields and those of its type. Both are empty for an event that nobody gets
 * in version 1. The third line has all other fields, the id first. `JSON.stringify` never writes a raw line break.
 */

/** What of an event is in its fragment of version 1, or in its chunk. */
const written = (names: readonly string[], fields: object): ReadonlySet<string> =>
  new Set(['account', 'module', 'id', ...names, ...Object.keys(fields)]);

const WRITTEN: Readonly<Record<EventModule, Readonly<Record<string, ReadonlySet<string>>>>> = {
  campaign: forEachName(CAMPAIGN_FIELDS, (name) =>
    written(['event', 'campaign', 'email', 'timestamp'], CAMPAIGN_FIELDS[name]),
  ),
  transactional_email: forEachName(NOTIFICATION_FIELDS, (name) =>
    written(['name', 'messageId', 'time'], NOTIFICATION_FIELDS[name]),
  ),
};
const NOTHING_WRITTEN = written([], {});

/** The id and the other fields that are not written yet, each after a comma. */
function restOf(event: ProducerEvent, names: ReadonlySet<string>): string {
  let json = event.id === undefined ? '' : `${ID_START}${JSON.stringify(event.id).slice(1)}`;
  for (const name of Object.keys(event) as (keyof ProducerEvent)[])
    if (!names.has(name) && event[name] !== undefined) json += `,"${name}":${JSON.stringify(event[name])}`;
  return json;
}

const ID_START = ',"id":"';

/** @param hasVersion1 whether one of its destinations gets it in version 1. */
export function loggedText(event: ProducerEvent, hasVersion1: boolean, digest: Digest): string {
  const type = typeOfEvent(event);
  if (!hasVersion1 || !isVersion1(event.module, type)) return `\n\n${restOf(event, NOTHING_WRITTEN)}`;
  const rest = restOf(event, WRITTEN[event.module][type] as ReadonlySet<string>);
  const end = rest === '' ? '' : `\n${rest}`;
  if (event.module !== 'campaign') return `${notificationHead(event)}\n${notificationOwn(event)}${end}`;
  const identity = identityText(event);
  const hash = event.hash === undefined ? derivedHash(identity, digest) : JSON.stringify(event.hash).slice(1, -1);
  return `${hash}\n${identity.slice(1, -1)}${end}`;
}

/** The fields of the event that the producer sent, as JSON without braces: all but `account` and `module`. */
export function loggedFields(module: EventModule, text: string): string {
  const [first, second, rest] = linesOf(text);
  if (first === '') return rest.slice(1);
  const fields = module === 'campaign' ? second : `${first}${second}`;
  return rest === '' ? fields : `${fields}${rest}`;
}

/** An event in the event log. */
export interface LoggedFields {
  readonly account: string;
  readonly module: EventModule;
  /** See `loggedFields`. */
  readonly fields: string;
}

export const eventOfFields = ({ account, module, fields }: LoggedFields): ProducerEvent =>
  JSON.parse(`{"account":${JSON.stringify(account)},"module":"${module}",${fields}}`) as ProducerEvent;

export const fieldsOfEvent = (event: ProducerEvent): LoggedFields => ({
  account: event.account,
  module: event.module,
  fields: restOf(event, NOTHING_WRITTEN).slice(1),
});

/** The fragment of version 1 of a text that has one: of a notification its body, without its `webhook-id`. */
export function loggedFragment(module: EventModule, text: string): Fragment {
  const [first, second] = linesOf(text);
  return module === 'campaign' ? `{"hash":"${first}",${second},"attempt":` : notificationOf(first, second);
}

/** The producer's id of an event, undefined without one. */
export function loggedId(text: string): string | undefined {
  const rest = text.lastIndexOf(FRAGMENT_SEPARATOR) + 1;
  return text.startsWith(ID_START, rest) ? textAt(text, rest + ID_START.length) : undefined;
}

/** The event of a text, without its account. */
const eventOfText = (module: EventModule, text: string): ProducerEvent =>
  eventOfFields({ account: '', module, fields: loggedFields(module, text) });

/** The type of an event. */
export function loggedType(module: EventModule, text: string): EventTypeName {
  if (text.startsWith(FRAGMENT_SEPARATOR)) return typeOfEvent(eventOfText(module, text));
  const start = module === 'campaign' ? text.indexOf(FRAGMENT_SEPARATOR) + '\n"event":"'.length : '"name":"'.length;
  return textAt(text, start) as EventTypeName;
}

function linesOf(text: string): [string, string, string] {
  const first = text.indexOf(FRAGMENT_SEPARATOR);
  const second = text.indexOf(FRAGMENT_SEPARATOR, first + 1);
  return second === -1
    ? [text.slice(0, first), text.slice(first + 1), '']
    : [text.slice(0, first), text.slice(first + 1, second), text.slice(second + 1)];
}
