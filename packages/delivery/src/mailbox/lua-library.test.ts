import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { unlessMissing } from '@mailhook/testing';
import { LEASE_MS, TRACE_SEPARATOR } from './constants.ts';
import { COMMANDS } from './functions.ts';
import { LuaError } from './lua-fields.ts';
import { libraryText, readLua, withoutComments } from './lua-library.ts';

const found = readdirSync(path.join(import.meta.dirname, 'lua'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.lua'))
  .map((file) => file.slice(0, -'.lua'.length));
const commands = found.filter((file) => !file.startsWith('includes/')).sort();

test('every file is a command or an include', () => {
  expect([...COMMANDS].sort()).toEqual(commands);
});

test('no line is longer than 120 characters', () => {
  const long = found.flatMap((file) =>
    readLua(file)
      .split('\n')
      .flatMap((line, i) => (line.length > 120 ? [`${file}.lua:${i + 1}`] : [])),
  );
  expect(long).toEqual([]);
});

test.each(commands)('%s.lua has a header with its arguments or its reply', (file) => {
  const [header = ''] = /^(--.*\n)+/.exec(readLua(file)) ?? [];
  expect(header).toMatch(/\b(ARGV|Reply): /);
});

unlessMissing(test, 'luacheck')('luacheck finds no fault', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'mailhook-lua-'));
  try {
    const file = path.join(folder, 'library.lua');
    writeFileSync(file, libraryText('all', '', COMMANDS, readLua).replace(/^#!.*\n/, ''));
    const globals = ['--read-globals', 'redis', 'cjson', 'cmsgpack', 'struct'];
    const { status, stdout } = spawnSync('luacheck', [
      '--std',
      'lua51',
      '--no-max-line-length',
      '--no-color',
      '-q',
      file,
      ...globals,
    ]);
    expect({ status, text: status === 0 ? '' : stdout.toString() }).toEqual({ status: 0, text: '' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('a library', () => {
  const textOf = (files: Readonly<Record<string, string>>): string =>
    libraryText('all', '_1', ['one-two'], (file) => files[file] ?? '');

  test('has its includes, each once and before its users, then the commands with their flags', () => {
    const files = {
      'one-two': '--- @flags allow-oom\n--- @include a\n--- @include b\none()\n',
      'includes/base': 'base()\n',
      'includes/a': '--- @include b\na()\n',
      'includes/b': 'b()\n',
    };
    const command = "command('one_two_1', {'allow-oom'}, function()\none()\nend)\n";
    expect(textOf(files)).toBe(`#!lua name=all\nbase()\nb()\na()\n${command}`);
  });

  test('has the values of its constants, but none in texts', () => {
    const code = "--- @constants LEASE_MS, TRACE_SEPARATOR\nprint('LEASE_MS', LEASE_MS, TRACE_SEPARATOR, A_LEASE_MS)\n";
    expect(textOf({ 'one-two': code, 'includes/base': '' })).toContain(
      `print('LEASE_MS', ${LEASE_MS}, '${TRACE_SEPARATOR}', A_LEASE_MS)`,
    );
  });

  test.each([
    ['includes itself', { 'one-two': '--- @include a\n', 'includes/a': '--- @include a\n' }, 'a circle'],
    ['names an unknown table', { 'one-two': '--- @clear STATES s\n' }, 'there is no table STATES'],
    ['names an unknown constant', { 'one-two': '--- @constants C\n' }, 'there is no constant C'],
  ])('that %s is refused', (_, files, why) => {
    expect(() => textOf(files)).toThrow(LuaError);
    expect(() => textOf(files)).toThrow(why);
  });

  test('of which a file is missing is refused', () => {
    expect(() => readLua('includes/nothing')).toThrow('nothing.lua');
  });
});

test('Redis gets no comments', () => {
  expect(withoutComments("-- why\nlocal a = '--'\n\n  -- more\nreturn a\n")).toBe("local a = '--'\nreturn a\n");
});
