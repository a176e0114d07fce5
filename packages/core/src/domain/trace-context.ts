/**
 * A span's position as a W3C `traceparent`: version, trace, span and flags. Mailhook always writes version 00, so the
 * text always has 55 characters.
 */
export type TraceContext = string;

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const TRACE_ID_STARTS_AT = 3;
const TRACE_ID_CHARS = 32;

/** Reads a `traceparent`. Returns undefined if it is invalid by the W3C Trace Context specification. */
export function parseTraceparent(text: string): TraceContext | undefined {
  const [, version, trace = '', span = '', flags = '', more] = TRACEPARENT.exec(text) ?? [];
  if (version === undefined || version === 'ff') return undefined;
  // Later versions may have more fields, version 00 may not.
  if (version === '00' && more !== undefined) return undefined;
  if (/^0+$/.test(trace) || /^0+$/.test(span)) return undefined;
  return `00-${trace}-${span}-${flags}`;
}

export const traceIdOf = (context: TraceContext): string =>
  context.slice(TRACE_ID_STARTS_AT, TRACE_ID_STARTS_AT + TRACE_ID_CHARS);

/** Whether the trace is recorded. */
export const isSampled = (context: TraceContext): boolean => (parseInt(context.slice(-2), 16) & 1) === 1;

/**
 * Comes before the trace context of an entry. Neither JSON nor a `webhook-id` begins with this character. The Redis
 * functions depend on it too (`packages/delivery/src/mailbox/lua`).
 */
const MARK_SIGN = '~';
const MARK_CHARS = 56;

const REPLAY = 'replay-';

/**
 * The mark of events that a replay sends again, in place of a trace context and as long as one. The id has letters and
 * digits. Events of a replay have no trace, because it ended long ago.
 */
export const replayMark = (replay: string): TraceContext => `${REPLAY}${replay}`.padEnd(MARK_CHARS - 1, '-');

/** The id of the replay in a mark. Undefined for a trace context. */
export const replayOf = (mark: TraceContext): string | undefined =>
  mark.startsWith(REPLAY) ? mark.slice(REPLAY.length).replace(/-+$/, '') : undefined;

/** The mark of a context, which comes before the fragments of an entry and applies to all its events. */
export const traceMark = (context: TraceContext | undefined): string =>
  context === undefined ? '' : MARK_SIGN + context;

/** The context at position `at` of an entry, if there is a mark. */
export const markedContext = (element: string, at: number): TraceContext | undefined =>
  element[at] === MARK_SIGN ? element.slice(at + 1, at + MARK_CHARS) : undefined;

/** The position of the first fragment of an entry. `at` is the position where a mark would be. */
export const afterMark = (element: string, at: number): number => (element[at] === MARK_SIGN ? at + MARK_CHARS : at);
