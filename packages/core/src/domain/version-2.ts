import { EVENT_TYPES, typesOf } from '../contracts/event-types.ts';
import type { EventModule, EventTypeName } from '../contracts/event-types.ts';
import { typeOfEvent } from '../contracts/producer-event.ts';
import type { ProducerEvent } from '../contracts/producer-event.ts';
import type { Digest } from './event-hash.ts';
import { DERIVED_HASH_CHARS } from './event-hash.ts';
import { VERSION_2 } from './fragment.ts';
import type { Fragment } from './fragment.ts';

/*
 * Version 2 of the body (docs/protocol.md): a flat object, the same for both modules. Its fragment is the whole body
 * without the last brace, then `hash`, and it ends before the value of `attempt` like a fragment of version 1. So one
 * fragment serves every shape: a batch carries it as it is, and the other shapes carry it without its end.
 */

type Fields = Readonly<Record<string, unknown>>;

/** The fields after `module` and `event`, in the order in which they are sent. */
const fieldsOf = (name: EventTypeName, module: EventModule): readonly string[] => [
  'email',
  'messageId',
  ...(module === 'campaign' ? ['campaign'] : []),
  ...Object.keys(EVENT_TYPES[name].fields),
  'metadata',
  'tags',
];

const writer = (name: EventTypeName, module: EventModule) => {
  const start = `,"module":"${module}","event":"${name}","time":`;
  const starts = fieldsOf(name, module).map((field) => [field, `,"${field}":`] as const);
  return (event: Fields, timeS: number, write: (value: unknown) => string): string => {
    let json = `${start}${timeS}`;
    for (const [field, fieldStart] of starts) {
      const value = event[field];
      if (value !== undefined) json += fieldStart + write(value);
    }
    return json;
  };
};

const writersOf = (module: EventModule) =>
  Object.fromEntries(typesOf(module).map((name) => [name, writer(name, module)])) as Readonly<
    Record<EventTypeName, ReturnType<typeof writer>>
  >;
/** One writer per type, made once. */
const WRITERS = { transactional_email: writersOf('transactional_email'), campaign: writersOf('campaign') };

/** The body's fields after `id`, without the braces. */
const rest = (event: ProducerEvent, write: (value: unknown) => string): string =>
  WRITERS[event.module][typeOfEvent(event)](event, event.module === 'campaign' ? event.timestamp : event.time, write);

/** JSON with the keys of objects in order, so that two serializers of one event give one text. */
const inOrder = (value: unknown): string =>
  JSON.stringify(value, (_key, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );

const hashOf = (event: ProducerEvent): string | undefined => (event.module === 'campaign' ? event.hash : undefined);

/**
 * The `id` of an event in version 2: the producer's, or else one that depends on its account and all of its accepted
 * fields, so that an event has the same one wherever and whenever it is sent.
 */
export function eventId(event: ProducerEvent, digest: Digest): string {
  if (event.id !== undefined) return event.id;
  return digest(`${JSON.stringify([event.account, hashOf(event) ?? null])}${rest(event, inOrder)}`).slice(
    0,
    DERIVED_HASH_CHARS,
  );
}

/** What names the event in an acknowledgement: the producer's hash, or the id if it has the length of a hash. */
function hashFor(event: ProducerEvent, id: string, digest: Digest): string {
  const hash = hashOf(event);
  if (hash !== undefined) return hash;
  return id.length >= 10 && id.length <= 50 ? id : digest(id).slice(0, DERIVED_HASH_CHARS);
}

/** The fragment of an event in version 2: `{"version":2,"id":"...",...,"hash":"...","attempt":`. */
export function version2Fragment(event: ProducerEvent, digest: Digest): Fragment {
  const id = eventId(event, digest);
  const hash = JSON.stringify(hashFor(event, id, digest)).slice(1);
  const object = `${VERSION_2.start}${JSON.stringify(id).slice(1)}${rest(event, JSON.stringify)}`;
  return `${object}${VERSION_2.hash}${hash},"attempt":`;
}
