import { isUtf8 } from 'node:buffer';
import { EVENTS_PER_REQUEST_MAX, fieldErrors, jsonFault, notThis, unknownFields, validateEvent } from '@mailhook/core';
import type { FieldError, ProblemCode, ProducerEvent } from '@mailhook/core';
import {
  invalid,
  malformedBody,
  measureJson,
  ProblemError,
  tooDeep,
  tooManyValues,
  utf8Fault,
  withoutByteOrderMark,
} from '@mailhook/platform/http-server';
import { DEPTH_MAX, VALUES_MAX } from './events-format.ts';
import type { EventsFormat } from './events-format.ts';
import { findLines } from './find-lines.ts';

/** A request's valid events, and the prefix of each event's fields in an error path: `7`, or '' for a single event. */
export interface ParsedEvents {
  readonly events: ProducerEvent[];
  /** The faults of the others. After `ERRORS_MAX`, the rest of the request is not checked. */
  readonly errors: readonly FieldError[];
  readonly prefixOf: (position: number) => string;
  /**
   * Names of fields that the events have and Mailhook does not know, or not for this type of event. At most
   * `IGNORED_MAX`.
   */
  readonly ignored: ReadonlySet<string>;
}

/** A request's valid events with their indexes in the request, and its invalid ones. */
export interface SiftedEvents extends Omit<ParsedEvents, 'errors' | 'prefixOf'> {
  readonly indexOf: (position: number) => number;
  readonly rejected: readonly RejectedInput[];
}

/**
 * An event of a request that was not accepted, as the answer lists it. Of NDJSON, `index` is the number of the line,
 * from 0.
 */
export interface RejectedInput {
  readonly index: number;
  readonly account?: string;
  readonly code: ProblemCode;
  readonly detail: string;
}

/** Errors listed for one request: enough to fix the producer, bounded for a request of 10,000 wrong events. */
export const ERRORS_MAX = 100;

/**
 * Shorter bodies are parsed without a count, because their values take at most about 25 times their length in memory.
 */
const MEASURED_BYTES = 256 * 1024;
/** Ignored fields that an answer names, and the characters of each. */
export const IGNORED_MAX = 20;
export const IGNORED_CHARS = 100;
/** The first bytes of gzip data. No text in UTF-8 has them. */
const GZIP_MAGIC = [0x1f, 0x8b] as const;
const STILL_PACKED = 'is gzip data: compress it once, and send it with Content-Encoding: gzip';

/**
 * Parses one event, an array of 1 to 10,000, or as many lines of NDJSON. Throws a 400, 413 or 422 for a body that
 * cannot be read, and names the faults of events by index and field. `isStrict` makes an unknown field a fault. A large
 * body is counted before it is parsed, so that its values fit into memory.
 */
export function parseEvents(body: Buffer, format: EventsFormat, isStrict = false): ParsedEvents {
  const { values, indexOf, isSingle } = readValues(body, format);
  const prefixOf = (position: number): string => (isSingle ? '' : String(indexOf(position)));
  const events: ProducerEvent[] = [];
  const positions: number[] = [];
  const errors: FieldError[] = [];
  const ignored = new Set<string>();
  for (const [position, value] of values.entries()) {
    const result = checkEvent(value, isStrict, prefixOf(position));
    if ('value' in result) {
      events.push(result.value);
      positions.push(position);
      noteIgnored(value, result.value, ignored);
    } else errors.push(...result.errors);
    if (errors.length >= ERRORS_MAX) break;
  }
  return { events, errors, prefixOf: (i) => prefixOf(positions[i] ?? 0), ignored };
}

/** Like `parseEvents`, but an invalid event, or a line that is not JSON, does not affect the others. */
export function siftEvents(body: Buffer, format: EventsFormat, isStrict = false): SiftedEvents {
  const rejected: RejectedInput[] = [];
  const { values, indexOf } = readValues(body, format, (line, detail) =>
    rejected.push({ index: line, code: 'malformed_json', detail }),
  );
  const events: ProducerEvent[] = [];
  const positions: number[] = [];
  const ignored = new Set<string>();
  for (const [position, value] of values.entries()) {
    const result = checkEvent(value, isStrict);
    if ('value' in result) {
      events.push(result.value);
      positions.push(position);
      noteIgnored(value, result.value, ignored);
    } else {
      const { code, detail = '' } = invalid(result.errors, ERRORS_MAX, 'the event');
      rejected.push({ index: indexOf(position), ...accountOf(value), code, detail: String(detail) });
    }
  }
  return { events, indexOf: (i) => indexOf(positions[i] ?? 0), ignored, rejected };
}

const accountOf = (value: unknown): { readonly account?: string } => {
  const account = typeof value === 'object' && value !== null && 'account' in value ? value.account : undefined;
  return typeof account === 'string' ? { account } : {};
};

interface RequestValues {
  readonly values: readonly unknown[];
  /** The position of a value in the request: its place in the array, or its line, from 0. */
  readonly indexOf: (position: number) => number;
  readonly isSingle: boolean;
}

/** Takes a line of NDJSON that is not JSON. */
type OnBadLine = (line: number, detail: string) => void;

function readValues(body: Buffer, format: EventsFormat, onBadLine?: OnBadLine): RequestValues {
  if (body[0] === GZIP_MAGIC[0] && body[1] === GZIP_MAGIC[1]) throw malformedBody(STILL_PACKED);
  if (format === 'ndjson') return readLines(withoutByteOrderMark(body), onBadLine);
  const fault = utf8Fault(body);
  if (fault !== undefined) throw malformedBody(fault);
  const text = withoutByteOrderMark(body).toString('utf8');
  if (body.length > MEASURED_BYTES) checkShape(text);
  const value = parseJson(text);
  const isSingle = !Array.isArray(value);
  if (isSingle) checkSingle(value);
  else checkCount(value.length);
  return { values: isSingle ? [value] : (value as unknown[]), indexOf: (position) => position, isSingle };
}

/** Refuses what is no event, with what to send instead: an array that is wrapped is the most common mistake. */
function checkSingle(value: unknown): void {
  if (typeof value !== 'object' || value === null)
    throw invalid([{ path: '', message: `must be an event, or an array of events${notThis(value)}` }]);
  if ('events' in value && !('module' in value))
    throw invalid([{ path: 'events', message: 'is not a field of an event: send the array itself as the body' }]);
}

function checkShape(text: string): void {
  const { elements, values } = measure(text);
  if (elements > EVENTS_PER_REQUEST_MAX) checkCount(elements);
  checkValueCount(values);
}

function measure(text: string) {
  const shape = measureJson(text, DEPTH_MAX);
  if (shape.depth > DEPTH_MAX) throw tooDeep(DEPTH_MAX);
  return shape;
}

function checkValueCount(count: number): void {
  if (count > VALUES_MAX) throw tooManyValues(VALUES_MAX);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's error quotes the input, which may hold a recipient's address.
    throw malformedBody(jsonFault(text));
  }
}

/** Skips blank lines. An event's index is the number of its line, from 0. */
function readLines(body: Buffer, onBadLine: OnBadLine = refuseLine): RequestValues {
  const { lines, count } = findLines(body, EVENTS_PER_REQUEST_MAX);
  if (count > EVENTS_PER_REQUEST_MAX) checkCount(count);
  const isText = isUtf8(body);
  const values: unknown[] = [];
  const lineOf: number[] = [];
  let valueCount = 0;
  let bad = 0;
  const refuse = (line: number, fault: string): void => {
    // Editors count lines from 1.
    onBadLine(line, `Line ${line + 1} (index ${line}) ${fault}.`);
    bad += 1;
  };
  for (const { line, start, end } of lines) {
    const bytes = body.subarray(start, end);
    const fault = isText ? undefined : utf8Fault(bytes);
    if (fault !== undefined) {
      refuse(line, fault);
      continue;
    }
    const content = bytes.toString('utf8');
    // `findLines` knows only the blank characters of ASCII.
    if (content.trim() === '') continue;
    if (body.length > MEASURED_BYTES) checkValueCount((valueCount += measure(content).values));
    try {
      values.push(JSON.parse(content));
    } catch {
      refuse(line, jsonFault(content));
      continue;
    }
    lineOf.push(line);
  }
  checkCount(values.length + bad);
  return { values, indexOf: (position) => lineOf[position] ?? 0, isSingle: false };
}

const refuseLine: OnBadLine = (_line, detail) => {
  throw new ProblemError('malformed_json', { detail });
};

function checkCount(count: number): void {
  if (count >= 1 && count <= EVENTS_PER_REQUEST_MAX) return;
  throw invalid([{ path: '', message: countFault(count) }]);
}

export const countFault = (count: number): string => `must hold 1 to ${EVENTS_PER_REQUEST_MAX} events, not ${count}`;

function checkEvent(
  value: unknown,
  isStrict: boolean,
  prefix = '',
): { readonly value: ProducerEvent } | { readonly errors: readonly FieldError[] } {
  const result = validateEvent(value);
  const unknown = isStrict ? unknownFields(value, ERRORS_MAX) : [];
  if ('value' in result && unknown.length === 0) return result;
  const known = 'errors' in result ? fieldErrors(result.errors, prefix) : [];
  return { errors: [...known, ...unknown.map(({ path, message }) => ({ path: within(prefix, path), message }))] };
}

const within = (prefix: string, path: string): string => (prefix === '' ? path : `${prefix}.${path}`);

/**
 * A loop instead of `Object.keys`, because every event of every request comes here. A field of `null` is an absent one.
 */
export function noteIgnored(value: unknown, event: ProducerEvent, ignored: Set<string>): void {
  const fields = value as Readonly<Record<string, unknown>>;
  for (const name in fields)
    if (!Object.hasOwn(event, name) && fields[name] !== null && ignored.size < IGNORED_MAX)
      ignored.add(name.slice(0, IGNORED_CHARS));
}
