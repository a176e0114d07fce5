/**
 * Where a span stands, as W3C Trace Context writes it in a `traceparent`: version, trace, span and flags, 55 characters. Ours is always of
 * version 00, so that its length is fixed.
 */
export type TraceContext = string;

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const TRACE_ID_STARTS_AT = 3;
const TRACE_ID_CHARS = 32;

/** The context that a `traceparent` names; undefined for what is none, as the specification of Trace Context has it. */
export function parseTraceparent(text: string): TraceContext | undefined {
  const [, version, trace = '', span = '', flags = '', more] = TRACEPARENT.exec(text) ?? [];
  if (version === undefined || version === 'ff') return undefined;
  // A later version may say more; version 00 may not.
  if (version === '00' && more !== undefined) return undefined;
  if (/^0+$/.test(trace) || /^0+$/.test(span)) return undefined;
  return `00-${trace}-${span}-${flags}`;
}

export const traceIdOf = (context: TraceContext): string =>
  context.slice(TRACE_ID_STARTS_AT, TRACE_ID_STARTS_AT + TRACE_ID_CHARS);

/** Whether whoever began the trace wants it written. */
export const isSampled = (context: TraceContext): boolean => (parseInt(context.slice(-2), 16) & 1) === 1;

/**
 * Stands at the start of an element whose events came with a context: neither JSON nor a `webhook-id` begins with it. Lua knows it too
 * (`mailbox/lua/includes/freeze.lua` of the engine).
 */
const MARK_SIGN = '~';
const MARK_CHARS = 56;

/** The mark of a context, before the fragments of an element: one of all its events. */
export const traceMark = (context: TraceContext | undefined): string =>
  context === undefined ? '' : MARK_SIGN + context;

/** The context that stands at this place of an element, if one does. */
export const markedContext = (element: string, at: number): TraceContext | undefined =>
  element[at] === MARK_SIGN ? element.slice(at + 1, at + MARK_CHARS) : undefined;

/** Where the fragments start of an element whose mark, if it has one, would stand at this place. */
export const afterMark = (element: string, at: number): number => (element[at] === MARK_SIGN ? at + MARK_CHARS : at);
