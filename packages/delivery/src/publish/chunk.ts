import type {
  ChunkGroup,
  ChunkJob,
  Digest,
  EventTypeName,
  Mechanism,
  ProducerEvent,
  Route,
  TraceContext,
} from '@mailhook/core';
import {
  CHUNK_VERSION,
  compositeKey,
  derivedHash,
  EVENT_TYPES,
  identityFragment,
  identityText,
  KINDS,
  notificationFragment,
  replayMark,
  typeOfEvent,
  version2Fragment,
} from '@mailhook/core';
import type { RoutedEvent } from './routed-event.ts';
import { chunkEntry, filterChunkEntry, isNotificationEntry, sizeOfChunkEntry } from '../mailbox/entry.ts';

/** Most events and characters of a mailbox entry, so that a drain reads small entries. */
const ENTRY_EVENTS_MAX = 100;
const ENTRY_CHARS_MAX = 65_536;

/** One destination, or several of one form that share a copy of each event. */
export type Recipients = Route | readonly [Route, ...Route[]];

/** What decides the group of an event, besides its recipients. */
interface GroupFacts {
  readonly account: string;
  readonly kind: Mechanism;
  readonly lane: ChunkGroup[3];
}

export interface OpenGroup extends GroupFacts {
  readonly recipients: Recipients;
  /** Whether its events leave one by one, and whether they are notifications of version 1. */
  readonly isSingle: boolean;
  readonly isNotification: boolean;
  readonly entries: string[];
  ids: string[] | null;
  /**
   * The events of the unfinished entry. Joined only at the end, which gives one flat string and less work for the
   * garbage collector.
   */
  open: string[];
  openChars: number;
  /** The trace context that these events share. */
  trace: TraceContext | undefined;
  events: number;
}

/** What a fragment has beside its text. */
interface Context {
  readonly trace: TraceContext | undefined;
  readonly stem: string | undefined;
  /** Type and id of its event, if it has an id that is to be claimed. */
  readonly id?: string | undefined;
}

/** The stem of the `webhook-id` of a notification of version 1. */
export const notificationStem = (chunk: string, number: number): string => `msg_${chunk}_${number.toString(36)}`;

/**
 * The producers' ids in a chunk. Two requests in one chunk may carry the same id. A chunk's claim covers all its
 * events, so it would let both through.
 */
export class SeenIds {
  readonly #seen = new Set<string>();

  /** Whether no event of the chunk has its id yet. An event without an id always is new. */
  isNew(event: ProducerEvent): boolean {
    if (event.id === undefined) return true;
    const key = compositeKey(event.account, event.module, typeAndId(event));
    if (this.#seen.has(key)) return false;
    this.#seen.add(key);
    return true;
  }
}

interface BuilderOptions {
  /** Stores an event for several destinations only once, with a list of these. */
  readonly isShared?: boolean;
  /** The replay that sends these events again. */
  readonly replay?: string;
}

/** Builds a chunk: groups events by destination and serializes them as they will be sent. */
export class ChunkBuilder {
  readonly id: string;
  readonly #digest: Digest;
  readonly #isShared: boolean;
  readonly #replay: string | undefined;
  readonly #groups = new Map<string, OpenGroup>();
  readonly #seenIds = new SeenIds();
  #notifications = 0;
  #events = 0;
  #chars = 0;

  constructor(id: string, digest: Digest, { isShared = false, replay }: BuilderOptions = {}) {
    this.id = id;
    this.#digest = digest;
    this.#isShared = isShared;
    this.#replay = replay;
  }

  /** Stored copies of events: one per destination, or one per event when destinations share it. */
  get events(): number {
    return this.#events;
  }

  /** Characters of the stored copies. */
  get chars(): number {
    return this.#chars;
  }

  /** @param stem begins the `webhook-id` of its notification. Default: one for each notification of the chunk. */
  add({ event, destinations }: RoutedEvent, context?: TraceContext, stem?: string): void {
    const trace = this.#replay === undefined ? context : replayMark(this.#replay);
    if (destinations.length === 0) return;
    // A replay may send several events of one id.
    if (this.#replay === undefined && !this.#seenIds.isNew(event)) return;
    const { account, module } = event;
    const lane = this.#replay === undefined ? laneOf(typeOfEvent(event)) : 'r';
    const id = event.id === undefined ? undefined : typeAndId(event);
    const fragments: Partial<Record<1 | 2, string>> = {};
    for (const recipients of this.#isShared ? byForm(destinations) : destinations) {
      const { version } = formOf(recipients);
      const fragment = (fragments[version] ??= fragmentOf(event, version, this.#digest));
      this.put(this.groupOf({ account, kind: KINDS[module], lane }, recipients), fragment, { trace, stem, id });
    }
  }

  /** Builds the job's data. Unsubscribes come first, so that they are in their mailbox before the first freezing. */
  build(acceptedAtMs: number): ChunkJob {
    const groups: ChunkGroup[] = [];
    for (const group of this.#groups.values()) {
      closeEntry(group);
      const { kind, recipients, account, lane, entries, ids } = group;
      const destinations = 'id' in recipients ? recipients.id : recipients.map(({ id }) => id);
      const { version, isSingle } = formOf(recipients);
      const tuple: ChunkGroup = [kind, destinations, account, lane, entries, ids];
      if (version === 2 && isSingle === true) tuple.push('single');
      if (lane === 'u') groups.unshift(tuple);
      else groups.push(tuple);
    }
    return { v: CHUNK_VERSION, acceptedAt: acceptedAtMs, groups };
  }

  /** Adds a fragment to its group. */
  put(group: OpenGroup, fragment: string, { trace, stem, id }: Context): void {
    const { isSingle, isNotification } = group;
    const text = isNotification ? `${stem ?? notificationStem(this.id, this.#notifications++)}\n${fragment}` : fragment;
    const isFull = group.open.length >= (isSingle ? 1 : ENTRY_EVENTS_MAX);
    if (isFull || group.openChars + text.length > ENTRY_CHARS_MAX || group.trace !== trace) closeEntry(group);
    group.trace = trace;
    group.open.push(text);
    group.openChars += text.length;
    if (id !== undefined && group.ids === null) group.ids = Array.from({ length: group.events }, () => '');
    group.ids?.push(id ?? '');
    group.events += 1;
    this.#events += 1;
    this.#chars += text.length;
  }

  groupOf({ account, kind, lane }: GroupFacts, recipients: Recipients): OpenGroup {
    const key = lane + keyOf(recipients);
    let group = this.#groups.get(key);
    if (group === undefined) {
      const { version, isSingle = kind === 'transactional' } = formOf(recipients);
      const isNotification = version === 1 && isSingle;
      const empty = { entries: [], ids: null, open: [], openChars: 0, trace: undefined, events: 0 };
      group = { kind, recipients, account, lane, isSingle, isNotification, ...empty };
      this.#groups.set(key, group);
    }
    return group;
  }
}

export const laneOf = (type: EventTypeName): 'f' | 'u' => EVENT_TYPES[type].lane;

/** What decides how the events of a destination are stored. */
export const formOf = (recipients: Recipients): Route => ('id' in recipients ? recipients : recipients[0]);

const keyOf = (recipients: Recipients): string => {
  const { version, isSingle } = formOf(recipients);
  const ids = 'id' in recipients ? recipients.id : recipients.map(({ id }) => id).join(' ');
  return `${version}${isSingle}${ids}`;
};

/** Destinations that can share a copy of an event. One that is alone has its own. */
export function byForm(destinations: readonly Route[]): readonly Recipients[] {
  const forms = new Map<string, [Route, ...Route[]]>();
  for (const route of destinations) {
    const form = `${route.version}${route.isSingle}`;
    const same = forms.get(form);
    if (same === undefined) forms.set(form, [route]);
    else same.push(route);
  }
  return [...forms.values()].map((routes) => (routes.length === 1 ? routes[0] : routes));
}

/** An id names one event, and not one message: the same id of another type is another event. */
const typeAndId = (event: ProducerEvent): string => (event.id === undefined ? '' : `${typeOfEvent(event)} ${event.id}`);

/** The fragment of an event, the same for all its destinations of one version. */
export function fragmentOf(event: ProducerEvent, version: 1 | 2, digest: Digest): string {
  if (version === 2) return version2Fragment(event, digest);
  if (event.module === 'transactional_email') return notificationFragment(event);
  const identity = identityText(event);
  return identityFragment(identity, event.hash ?? derivedHash(identity, digest));
}

function closeEntry(group: OpenGroup): void {
  if (group.open.length === 0) return;
  group.entries.push(chunkEntry(group.open, group.trace));
  group.open = [];
  group.openChars = 0;
}

/** A destination of a group, with its position if the group has a list of destinations. See `entryFor`. */
export interface GroupDestination {
  readonly id: string;
  readonly position: number | undefined;
}

export const destinationsOf = ([, to]: ChunkGroup): GroupDestination[] =>
  typeof to === 'string' ? [{ id: to, position: undefined }] : to.map((id, position) => ({ id, position }));

/** The entry for one destination of its group. A notification gets a different `webhook-id` per destination. */
export function entryFor(entry: string, { position }: GroupDestination): string {
  if (position === undefined || !isNotificationEntry(entry)) return entry;
  const idEnd = entry.indexOf('\n');
  return `${entry.slice(0, idEnd)}_${position}${entry.slice(idEnd)}`;
}

/** Whether the events of a group leave one by one. */
export const isSingleGroup = ([, , , , [first = ''], , shape]: ChunkGroup): boolean =>
  shape === 'single' || isNotificationEntry(first);

/** A group without the events at the given positions (duplicates), or undefined if no event remains. */
export function withoutEvents(group: ChunkGroup, positions: ReadonlySet<number>): ChunkGroup | undefined {
  const [kind, destinations, account, lane, entries, , ...shape] = group;
  const kept: string[] = [];
  let first = 0;
  for (const entry of entries) {
    const left = filterChunkEntry(entry, (position) => !positions.has(first + position));
    if (left !== undefined) kept.push(left);
    first += sizeOfChunkEntry(entry).events;
  }
  return kept.length === 0 ? undefined : [kind, destinations, account, lane, kept, null, ...shape];
}
