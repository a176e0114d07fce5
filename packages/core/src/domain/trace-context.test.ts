import {
  afterMark,
  isSampled,
  markedContext,
  parseTraceparent,
  replayMark,
  replayOf,
  traceIdOf,
  traceMark,
} from './trace-context.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';
const CONTEXT = `00-${TRACE}-${SPAN}-01`;

describe('a traceparent', () => {
  test('is accepted unchanged', () => {
    expect(parseTraceparent(CONTEXT)).toBe(CONTEXT);
    expect(CONTEXT).toHaveLength(55);
    expect(traceIdOf(CONTEXT)).toBe(TRACE);
  });

  test('of a later version is read without its additional fields', () => {
    expect(parseTraceparent(`01-${TRACE}-${SPAN}-03-more`)).toBe(`00-${TRACE}-${SPAN}-03`);
    expect(parseTraceparent(`cc-${TRACE}-${SPAN}-01`)).toBe(CONTEXT);
  });

  test.each([
    ['nothing', ''],
    ['a word', 'garbage'],
    ['the version that stands for none', `ff-${TRACE}-${SPAN}-01`],
    ['version 00 with more', `${CONTEXT}-more`],
    ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['capitals', CONTEXT.toUpperCase()],
    ['a trace that is too short', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['a blank in front', ` ${CONTEXT}`],
    ['a line break behind', `${CONTEXT}\n`],
    ['two of them', `${CONTEXT}, ${CONTEXT}`],
    ['a later version with something that is not set apart', `01-${TRACE}-${SPAN}-01more`],
  ])('is refused if it is %s', (_what, text) => {
    expect(parseTraceparent(text)).toBeUndefined();
  });

  test('shows whether its trace is recorded', () => {
    expect(isSampled(CONTEXT)).toBe(true);
    expect(isSampled(`00-${TRACE}-${SPAN}-03`)).toBe(true);
    expect(isSampled(`00-${TRACE}-${SPAN}-00`)).toBe(false);
    expect(isSampled(`00-${TRACE}-${SPAN}-02`)).toBe(false);
  });
});

describe('the mark of an entry', () => {
  test('can be read back', () => {
    const element = `0001${traceMark(CONTEXT)}{"hash":"h"`;
    expect(markedContext(element, 4)).toBe(CONTEXT);
    expect(element.slice(afterMark(element, 4))).toBe('{"hash":"h"');
  });

  test('is absent without a context, and never found in a fragment', () => {
    const element = `0001${traceMark(undefined)}{"hash":"~h"`;
    expect(element).toBe('0001{"hash":"~h"');
    expect(markedContext(element, 4)).toBeUndefined();
    expect(afterMark(element, 4)).toBe(4);
  });
});

test('the mark of a replay is as long as a trace context, and is none', () => {
  const entry = `0001${traceMark(replayMark('r4f2a'))}{"version":2`;
  const mark = markedContext(entry, 4);
  expect([mark?.length, replayOf(mark ?? ''), entry.slice(afterMark(entry, 4))]).toEqual([55, 'r4f2a', '{"version":2']);
  expect(replayOf('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01')).toBeUndefined();
});
