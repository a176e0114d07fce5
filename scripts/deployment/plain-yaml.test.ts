import { at, readPlainYaml, textAt } from './plain-yaml.ts';

test('maps, lists, lists of maps, quotes and comments', () => {
  const text = [
    '# about',
    'a: 1 # one',
    "b: 'it''s: # fine'",
    'command:',
    '  - sh',
    '  - -c',
    '  - redis-cli ping | grep -q PONG',
    'ports:',
    '  - name: http',
    '',
    '    port: 3000',
    '  - name: x',
    'empty: {}',
    '---',
    'url: mongodb://mongo:27017/mailhook',
  ].join('\n');
  expect(readPlainYaml(text)).toEqual([
    {
      a: '1',
      b: "it's: # fine",
      command: ['sh', '-c', 'redis-cli ping | grep -q PONG'],
      ports: [{ name: 'http', port: '3000' }, { name: 'x' }],
      empty: {},
    },
    { url: 'mongodb://mongo:27017/mailhook' },
  ]);
});

test.each([
  ['a tab', 'a:\n\t b: 1', 'line 2: a tab'],
  ['a list in brackets', 'a: [1, 2]', 'line 1: not in the plain part'],
  ['a block of text', 'a: |\n  b', 'line 1: not in the plain part'],
  ['an anchor', 'a: &x 1', 'line 1: not in the plain part'],
  ['a map in a line', 'a: b: c', 'line 1: not in the plain part'],
  ['a key without a value', 'a:\nb: 1', 'a value is missing above line 2'],
  ['a key twice', 'a: 1\na: 2', 'line 2: a is there twice'],
  ['a stray indentation', 'a: 1\n  b: 2', 'line 2: its indentation'],
  ['a sentence', 'hello', 'line 1: it is no entry'],
])('refuses %s', (_name, text, fault) => {
  expect(() => readPlainYaml(text)).toThrow(fault);
});

test('paths lead to values, or nowhere', () => {
  const [document] = readPlainYaml('a:\n  b: c');
  expect(textAt(document, 'a.b')).toBe('c');
  expect(at(document, 'a.b.c')).toBeUndefined();
  expect(at(document, 'toString')).toBeUndefined();
});
