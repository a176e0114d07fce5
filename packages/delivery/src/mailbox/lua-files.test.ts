import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { unlessImpossible } from '@mailhook/testing';
import { LEASE_MS, TRACE_SEPARATOR } from './constants.ts';
import { expandLua, LuaError, readLua, withoutComments } from './lua-files.ts';
import { COMMAND_FILES } from './scripts.ts';

const found = readdirSync(path.join(import.meta.dirname, 'lua'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.lua'))
  .map((file) => file.slice(0, -'.lua'.length));
const commands = found.filter((file) => !file.startsWith('includes/')).sort();

test('every file is a command or an include', () => {
  expect(Object.values(COMMAND_FILES).sort()).toEqual(commands);
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

const isInstalled = spawnSync('luacheck', ['--version'], { stdio: 'ignore' }).error === undefined;

unlessImpossible(test, isInstalled ? undefined : 'luacheck is not installed')('luacheck finds no fault', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'mailhook-lua-'));
  try {
    for (const file of commands)
      writeFileSync(path.join(folder, `${file}.lua`), expandLua(file, readLua).replace(/^#!.*\n/, ''));
    // A command may use some functions of an include and not others (211).
    const globals = ['--read-globals', 'redis', 'cjson', 'KEYS', 'ARGV', '--ignore', '211'];
    const { status, stdout } = spawnSync('luacheck', ['--std', 'lua51', '--no-color', '-q', folder, ...globals]);
    expect({ status, text: status === 0 ? '' : stdout.toString() }).toEqual({ status: 0, text: '' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('a command', () => {
  const expanded = (files: Readonly<Record<string, string>>): string => expandLua('one', (file) => files[file] ?? '');

  test('begins with its flags and its includes, each once and before its user', () => {
    const files = {
      one: '--- @flags allow-oom\n--- @include a\n--- @include b\none()\n',
      'includes/a': '--- @include b\na()\n',
      'includes/b': 'b()\n',
    };
    expect(withoutComments(expanded(files))).toBe('#!lua flags=allow-oom\nb()\na()\none()\n');
  });

  test('gets the values of constants as locals', () => {
    expect(expanded({ one: '--- @constants LEASE_MS, TRACE_SEPARATOR\n' })).toBe(
      `local LEASE_MS, TRACE_SEPARATOR = ${LEASE_MS}, '${TRACE_SEPARATOR}'\n`,
    );
  });

  test.each([
    ['includes itself', { one: '--- @include a\n', 'includes/a': '--- @include a\n' }, 'a circle'],
    ['names an unknown constant', { one: '--- @constants C\n' }, 'there is no constant C'],
  ])('that %s is refused', (_, files, why) => {
    expect(() => expanded(files)).toThrow(LuaError);
    expect(() => expanded(files)).toThrow(why);
  });

  test('of which a file is missing is refused', () => {
    expect(() => readLua('includes/nothing')).toThrow('nothing.lua');
  });
});

test('Redis gets no comments', () => {
  expect(withoutComments("-- why\nlocal a = '--'\n\n  -- more\nreturn a\n")).toBe("local a = '--'\nreturn a\n");
});
