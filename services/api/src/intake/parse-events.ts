import { EVENTS_PER_REQUEST_MAX, producerEvent } from '@mailhook/core';
import type { FieldError, ProducerEvent } from '@mailhook/core';
import { fieldErrors, invalid, validate } from '@mailhook/platform/http-server';
import type { EventsFormat } from './read-body.ts';
import { malformed } from './read-body.ts';

/** A request's events, all valid, with what stands before each one's field in an error path: `7`, or '' for a single event. */
export interface ParsedEvents {
  readonly events: ProducerEvent[];
  readonly prefixOf: (position: number) => string;
}

/** Errors told of one request: enough to mend the producer, bounded for a request of 10,000 wrong ones. */
export const ERRORS_MAX = 100;

/**
 * One event, an array of 1 to 10,000, or as many lines of NDJSON (design, section 3). All or nothing: throws the 400 or 422 that names
 * what is wrong, by index and field.
 */
export function parseEvents(text: string, format: EventsFormat): ParsedEvents {
  if (format === 'ndjson') return parseLines(text);
  const body = parseJson(text);
  if (!Array.isArray(body)) return parseSingle(body);
  checkCount(body.length);
  return { events: validateAll(body as unknown[], String), prefixOf: String };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw malformed(`The request body is not valid JSON: ${reason(error)}.`);
  }
}

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

/** Blank lines are skipped; an event's index is its line's, from 0. */
function parseLines(text: string): ParsedEvents {
  const values: unknown[] = [];
  const lineOf: number[] = [];
  for (const [line, content] of text.split('\n').entries()) {
    if (content.trim() === '') continue;
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
