import { isUtf8 } from 'node:buffer';
import { EVENTS_PER_REQUEST_MAX, producerEvent } from '@mailhook/core';
import type { FieldError, ProducerEvent } from '@mailhook/core';
import {
  fieldErrors,
  invalid,
  measureJson,
  ProblemError,
  tooDeep,
  tooManyValues,
  validate,
} from '@mailhook/platform/http-server';
import type { EventsFormat } from './events-format.ts';
import { findLines } from './find-lines.ts';

/** A request's valid events, and the prefix of each event's fields in an error path: `7`, or '' for a single event. */
export interface ParsedEvents {
  readonly events: ProducerEvent[];
  readonly prefixOf: (position: number) => string;
}

/** Errors listed for one request: enough to fix the producer, bounded for a request of 10,000 wrong events. */
export const ERRORS_MAX = 100;

/** Shorter bodies are parsed without a count, because their values take at most about 25 times their length in memory. */
const MEASURED_BYTES = 256 * 1024;
const DEPTH_MAX = 1000;
/** Fifty per event of the largest request. Half a million values take up to 80 MB. */
const VALUES_MAX = 50 * EVENTS_PER_REQUEST_MAX;

/**
 * Parses one event, an array of 1 to 10,000, or as many lines of NDJSON. Takes all events or none, and throws a 400, 413
 * or 422 that names the faults by index and field. A large body is counted before it is parsed, so that its values fit into memory.
 */
export function parseEvents(body: Buffer, format: EventsFormat): ParsedEvents {
  if (!isUtf8(body)) throw malformed('The request body is not valid UTF-8.');
  if (format === 'ndjson') return parseLines(body);
  const text = body.toString('utf8');
  if (body.length > MEASURED_BYTES) checkShape(text);
  const value = parseJson(text);
  if (!Array.isArray(value)) return parseSingle(value);
  checkCount(value.length);
  return { events: validateAll(value as unknown[], String), prefixOf: String };
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
  } catch (error) {
    throw malformed(`The request body is not valid JSON: ${reason(error)}.`);
  }
}

const malformed = (detail: string): ProblemError => new ProblemError('malformed_json', { detail });

/** V8's text quotes the input, which may hold a recipient's address. */
const reason = (error: unknown): string => {
  const position = /position (\d+)/.exec(String(error))?.[1];
  return position === undefined ? 'it ends too early or holds an unexpected character' : `see position ${position}`;
};

function parseSingle(body: unknown): ParsedEvents {
  const result = validate(producerEvent, body);
  if ('errors' in result) throw invalid(fieldErrors(result.errors));
  return { events: [result.value], prefixOf: () => '' };
}

/** Skips blank lines. An event's index is the number of its line, from 0. */
function parseLines(body: Buffer): ParsedEvents {
  const { lines, count } = findLines(body, EVENTS_PER_REQUEST_MAX);
  if (count > EVENTS_PER_REQUEST_MAX) checkCount(count);
  const values: unknown[] = [];
  const lineOf: number[] = [];
  let valueCount = 0;
  for (const { line, start, end } of lines) {
    const content = body.toString('utf8', start, end);
    // `findLines` knows only the blank characters of ASCII.
    if (content.trim() === '') continue;
    if (body.length > MEASURED_BYTES) checkValueCount((valueCount += measure(content).values));
    try {
      values.push(JSON.parse(content));
    } catch (error) {
      throw malformed(`Line ${line} is not valid JSON: ${reason(error)}. Lines are counted from 0.`);
    }
    lineOf.push(line);
  }
  checkCount(values.length);
  const prefixOf = (position: number): string => String(lineOf[position]);
  return { events: validateAll(values, prefixOf), prefixOf };
}

function checkCount(count: number): void {
  if (count >= 1 && count <= EVENTS_PER_REQUEST_MAX) return;
  throw invalid([{ path: '', message: `must hold 1 to ${EVENTS_PER_REQUEST_MAX} events, not ${count}` }]);
}

function validateAll(values: readonly unknown[], prefixOf: (position: number) => string): ProducerEvent[] {
  const events: ProducerEvent[] = [];
  const errors: FieldError[] = [];
  for (const [position, value] of values.entries()) {
    const result = validate(producerEvent, value);
    if ('value' in result) events.push(result.value);
    else errors.push(...fieldErrors(result.errors, prefixOf(position)));
    if (errors.length >= ERRORS_MAX) break;
  }
  if (errors.length > 0) throw invalid(errors.slice(0, ERRORS_MAX));
  return events;
}
