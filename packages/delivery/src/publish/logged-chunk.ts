import type { ChunkGroup, LoggedChunkJob, LoggedSet, Route, TraceContext } from '@mailhook/core';
import {
  CHUNK_VERSION,
  eventOfFields,
  KINDS,
  loggedFields,
  loggedFragment,
  loggedId,
  loggedText,
  loggedType,
  version2Fragment,
} from '@mailhook/core';
import type { RoutedEvent } from './routed-event.ts';
import { sha256 } from './digest.ts';
import { byForm, ChunkBuilder, formOf, laneOf, notificationStem, SeenIds } from './chunk.ts';
import type { OpenGroup } from './chunk.ts';

/**
 * Builds a chunk for the event log: each event once, as the producer sent it, also those without a destination. The
 * position of an event in the chunk is a part of its name in the log.
 */
export class LoggedChunkBuilder {
  readonly id: string;
  readonly #sets = new Map<string, LoggedSet>();
  readonly #seenIds = new SeenIds();
  #events = 0;
  #chars = 0;

  constructor(id: string) {
    this.id = id;
  }

  get events(): number {
    return this.#events;
  }

  get chars(): number {
    return this.#chars;
  }

  add({ event, destinations }: RoutedEvent, trace?: TraceContext): void {
    if (!this.#seenIds.isNew(event)) return;
    const { account, module } = event;
    const text = loggedText(event, destinations.some(isVersion1), sha256);
    const key = `${trace ?? ''} ${destinations.map(keyOf).join(' ')} ${module} ${account}`;
    const set = this.#sets.get(key);
    if (set === undefined) {
      const to = destinations.map(tupleOf);
      this.#sets.set(key, { account, module, to, ...(trace === undefined ? {} : { trace }), events: [text] });
    } else {
      set.events.push(text);
    }
    this.#events += 1;
    this.#chars += text.length;
  }

  build(acceptedAtMs: number): LoggedChunkJob {
    return { v: CHUNK_VERSION, acceptedAt: acceptedAtMs, sets: [...this.#sets.values()] };
  }
}

const isVersion1 = ({ version }: Route): boolean => version === 1;

const keyOf = ({ id, version, isSingle }: Route): string => `${version}${isSingle}${id}`;

const tupleOf = ({ id, version, isSingle }: Route): LoggedSet['to'][number] =>
  isSingle === undefined ? [id, version] : [id, version, isSingle];

/** An event of a logged chunk that has a producer's id. */
interface LoggedId extends Pick<LoggedSet, 'account' | 'module'> {
  /** Its position in the chunk. */
  readonly number: number;
  readonly typeAndId: string;
}

/** The ids of a logged chunk, in their order. @throws SyntaxError if an event is not what intake wrote. */
export function idsOfLogged({ sets }: Pick<LoggedChunkJob, 'sets'>): LoggedId[] {
  const ids: LoggedId[] = [];
  let number = 0;
  for (const { account, module, events } of sets)
    for (const text of events) {
      const id = loggedId(text);
      if (id !== undefined) ids.push({ account, module, number, typeAndId: `${loggedType(module, text)} ${id}` });
      number += 1;
    }
  return ids;
}

/**
 * The groups that the events of a logged chunk become in mailboxes, the same on every run. Their ids are claimed
 * before, also those of events without a destination. @throws SyntaxError if an event is not what intake wrote.
 */
export function groupsOf(
  chunk: string,
  { sets }: Pick<LoggedChunkJob, 'sets'>,
  duplicates: ReadonlySet<number>,
): ChunkGroup[] {
  const builder = new ChunkBuilder(chunk, sha256, { isShared: true });
  let number = 0;
  for (const set of sets) {
    const add = adderOf(builder, set);
    for (const text of set.events) {
      if (add !== undefined && !duplicates.has(number)) add(text, notificationStem(chunk, number));
      number += 1;
    }
  }
  return builder.build(0).groups;
}

/** Adds the events of a set to their groups. Undefined if they have no destination. */
function adderOf(builder: ChunkBuilder, { account, module, to, trace }: LoggedSet) {
  if (to.length === 0) return undefined;
  const kind = KINDS[module];
  const copies = byForm(to.map(([id, version, isSingle]): Route => ({ id, version, isSingle }))).map((recipients) => ({
    recipients,
    version: formOf(recipients).version,
    // By lane.
    groups: {} as Partial<Record<'f' | 'u', OpenGroup>>,
  }));
  return (text: string, stem: string): void => {
    const lane = laneOf(loggedType(module, text));
    for (const { recipients, version, groups } of copies) {
      const group = (groups[lane] ??= builder.groupOf({ account, kind, lane }, recipients));
      const fragment =
        version === 1
          ? loggedFragment(module, text)
          : version2Fragment(eventOfFields({ account, module, fields: loggedFields(module, text) }), sha256);
      builder.put(group, fragment, { trace, stem });
    }
  };
}
