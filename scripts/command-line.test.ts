import { oneOf, readFlags, wholeNumber } from './command-line.ts';
import { UserError } from './user-error.ts';

const FLAGS = { port: { type: 'string' }, quiet: { type: 'boolean', default: false } } as const;

test('known flags are read', () => {
  expect(readFlags(['--port', '1', '--quiet'], FLAGS, 'cmd')).toEqual({ port: '1', quiet: true });
});

test.each([[['--prot', '1']], [['--port']], [['stray']]])('%j is refused, and the error points to the help', (args) => {
  expect(() => readFlags(args, FLAGS, 'cmd')).toThrow(UserError);
  expect(() => readFlags(args, FLAGS, 'cmd')).toThrow('`cmd --help` lists the options.');
});

const range = { fallback: 7, min: 1, max: 100 };
test('a number within its range is accepted, and a missing one gets its default', () => {
  expect(wholeNumber('count', '100', range)).toBe(100);
  expect(wholeNumber('count', undefined, range)).toBe(7);
});
test.each(['0', '101', '1.5', '-1', 'many', ''])('the number "%s" is refused, with the name of its flag', (text) => {
  expect(() => wholeNumber('count', text, range)).toThrow(
    `--count must be a whole number from 1 to 100, but is "${text}"`,
  );
});

test('a word must be a known one', () => {
  expect(oneOf('ack', 'half', ['all', 'half'])).toBe('half');
  expect(() => oneOf('ack', 'most', ['all', 'half'])).toThrow('--ack must be one of all, half, but is "most"');
});
