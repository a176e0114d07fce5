import type { EventModule } from '@mailhook/core';
import { ByteReader, ByteWriter, DamagedLogError } from './bytes.ts';
import { GAP_REASONS, OUTCOME_RESULTS } from './entry.ts';
import type { LoggedEvent, LoggedGap, LoggedOutcome, OutcomeFacts } from './entry.ts';

/** An outcome of events that lie in the same block. Their keys need no storing then. */
export interface FoldedOutcome extends OutcomeFacts {
  /** Positions in the block's events, ascending. */
  readonly positions: readonly number[];
}

/** What a block holds: everything is of one account. */
export interface BlockContent {
  readonly account: string;
  /** In the order of the log (`compareEntries`). */
  readonly events: readonly LoggedEvent[];
  readonly folded: readonly FoldedOutcome[];
  readonly outcomes: readonly LoggedOutcome[];
  readonly gaps: readonly LoggedGap[];
}

export const MODULES = ['campaign', 'transactional_email'] as const satisfies readonly EventModule[];
const KEY_BYTES = 8;
/** Separates texts. `JSON.stringify` never writes a raw line break. */
const SEPARATOR = '\n';

/**
 * The bytes of a block before compression. Each kind of value stands together, because this compresses best.
 *
 * @throws RangeError if the fields of an event have a line break.
 */
export function encodeBlock({ account, events, folded, outcomes, gaps }: BlockContent): Buffer {
  const writer = new ByteWriter(128 + 256 * events.length);
  writer.text(account);
  encodeEvents(writer, events);
  // An outcome soon after its event is a small number.
  encodeFacts(
    writer,
    folded.map((one) => ({ ...one, atMs: one.atMs - acceptedAtMsOf(events, one.positions) })),
  );
  for (const { positions } of folded) {
    writer.number(positions.length);
    let last = 0;
    for (const position of positions) {
      writer.number(position - last);
      last = position;
    }
  }
  encodeFacts(writer, outcomes);
  for (const { keys } of outcomes) {
    writer.number(keys.length / KEY_BYTES);
    writer.bytes(keys);
  }
  writer.number(gaps.length);
  for (const { fromMs, toMs, events: lost, reason } of gaps) {
    writer.number(fromMs);
    writer.number(toMs);
    writer.number(lost);
    writer.number(GAP_REASONS.indexOf(reason));
  }
  return writer.finish();
}

/** @throws DamagedLogError for bytes that `encodeBlock` did not write. */
export function decodeBlock(bytes: Buffer): BlockContent {
  const reader = new ByteReader(bytes);
  const account = reader.text();
  const events = decodeEvents(reader, account);
  const folded = decodeFacts(reader).map((facts) => {
    const positions = decodePositions(reader, events.length);
    return { ...facts, atMs: facts.atMs + acceptedAtMsOf(events, positions), positions };
  });
  const outcomes = decodeFacts(reader).map((facts) => ({
    ...facts,
    account,
    keys: reader.bytes(KEY_BYTES * reader.count()),
  }));
  const gaps = Array.from({ length: reader.count() }, () => ({
    account,
    fromMs: reader.number(),
    toMs: reader.number(),
    events: reader.number(),
    reason: oneOf(GAP_REASONS, reader.number()),
  }));
  if (!reader.isAtEnd) throw new DamagedLogError('a block goes on after its end');
  return { account, events, folded, outcomes, gaps };
}

/** When the first of an outcome's events was accepted. */
const acceptedAtMsOf = (events: readonly LoggedEvent[], [first = 0]: readonly number[]): number =>
  events[first]?.acceptedAtMs ?? 0;

/** Events of one chunk follow each other, so a chunk's id stands once per such run. */
function encodeEvents(writer: ByteWriter, events: readonly LoggedEvent[]): void {
  writer.number(events.length);
  if (events.length === 0) return;
  let lastMs = 0;
  for (let from = 0; from < events.length;) {
    const { acceptedAtMs, chunk } = events[from] as LoggedEvent;
    let to = from + 1;
    while (events[to]?.chunk === chunk && events[to]?.acceptedAtMs === acceptedAtMs) to += 1;
    writer.number(to - from);
    writer.number(acceptedAtMs - lastMs);
    writer.text(chunk);
    lastMs = acceptedAtMs;
    let next = 0;
    for (; from < to; from += 1) {
      const { n } = events[from] as LoggedEvent;
      writer.number(n - next);
      next = n + 1;
    }
  }
  const lists = new Map<string, number>();
  let last: (Pick<LoggedEvent, 'module' | 'destinations'> & { readonly place: number }) | undefined;
  const places = events.map(({ module, destinations }) => {
    // Events of one set have the same list.
    if (last?.destinations === destinations && last.module === module) return last.place;
    const list = [module, ...destinations].join(' ');
    const place = lists.get(list) ?? lists.size;
    lists.set(list, place);
    last = { module, destinations, place };
    return place;
  });
  writer.text([...lists.keys()].join(SEPARATOR));
  // With one list, there is nothing to choose.
  if (lists.size > 1) for (const place of places) writer.number(place);
  const lines = events.map(({ fields }) => fields);
  if (lines.some((line) => line.includes(SEPARATOR))) throw new RangeError('the fields of an event must be one line');
  writer.text(lines.join(SEPARATOR));
}

function decodeEvents(reader: ByteReader, account: string): LoggedEvent[] {
  const count = reader.count();
  if (count === 0) return [];
  const positions: { acceptedAtMs: number; chunk: string; n: number }[] = [];
  let acceptedAtMs = 0;
  while (positions.length < count) {
    const run = reader.count();
    if (run === 0) throw new DamagedLogError('a chunk has no events');
    acceptedAtMs += reader.number();
    const chunk = reader.text();
    let next = 0;
    for (let i = 0; i < run; i += 1) {
      const n = next + reader.number();
      positions.push({ acceptedAtMs, chunk, n });
      next = n + 1;
    }
  }
  const lists = reader
    .text()
    .split(SEPARATOR)
    .map((list) => list.split(' '))
    .map(([module, ...destinations]) => ({
      module: oneOf(MODULES, MODULES.indexOf(module as EventModule)),
      destinations,
    }));
  const places = lists.length > 1 ? positions.map(() => reader.number()) : [];
  const lines = reader.text().split(SEPARATOR);
  if (positions.length !== count || lines.length !== count) throw new DamagedLogError('a block lacks events');
  return positions.map((position, i) => {
    const list = lists[places[i] ?? 0];
    if (list === undefined) throw new DamagedLogError('an event lacks its destinations');
    return {
      acceptedAtMs: position.acceptedAtMs,
      chunk: position.chunk,
      n: position.n,
      account,
      module: list.module,
      fields: lines[i] as string,
      destinations: list.destinations,
    };
  });
}

function encodeFacts(writer: ByteWriter, outcomes: readonly OutcomeFacts[]): void {
  writer.number(outcomes.length);
  let lastMs = 0;
  for (const { result, attempt, atMs } of outcomes) {
    writer.number(OUTCOME_RESULTS.indexOf(result));
    writer.number(attempt);
    writer.difference(atMs - lastMs);
    lastMs = atMs;
  }
  for (const { destination } of outcomes) writer.text(destination);
  for (const { webhookId } of outcomes) writer.text(webhookId);
  for (const { replay } of outcomes) writer.text(replay);
}

function decodeFacts(reader: ByteReader): OutcomeFacts[] {
  let lastMs = 0;
  const results = Array.from({ length: reader.count() }, () => {
    const result = oneOf(OUTCOME_RESULTS, reader.number());
    const attempt = reader.number();
    lastMs += reader.difference();
    return { result, attempt, atMs: lastMs };
  });
  const texts = () => results.map(() => reader.text());
  const [destinations, webhookIds, replays] = [texts(), texts(), texts()];
  return results.map(({ result, attempt, atMs }, i) => ({
    destination: destinations[i] as string,
    result,
    attempt,
    atMs,
    webhookId: webhookIds[i] as string,
    replay: replays[i] as string,
  }));
}

function decodePositions(reader: ByteReader, events: number): number[] {
  let last = 0;
  return Array.from({ length: reader.count() }, () => {
    last += reader.number();
    if (last >= events) throw new DamagedLogError('an outcome is of no event');
    return last;
  });
}

function oneOf<Value>(values: readonly Value[], place: number): Value {
  const value = values[place];
  if (value === undefined) throw new DamagedLogError('a value is not among the known ones');
  return value;
}
