import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { unlessImpossible } from '@mailhook/testing';
import * as constants from '../../packages/delivery/src/mailbox/constants.ts';
import { commandFiles, generatedFile, LuaError, readCommand, withConstants, withoutComments } from './expand.ts';
import { GENERATED_FILE, readLuaFiles } from './files.ts';

const files = readLuaFiles();

test('generated.ts is current (if not, run `npm run lua`)', () => {
  expect(readFileSync(GENERATED_FILE, 'utf8')).toBe(generatedFile(files, constants));
});

test('no line is longer than 120 characters', () => {
  const long = [...files].flatMap(([file, text]) =>
    text.split('\n').flatMap((line, i) => (line.length > 120 ? [`${file}.lua:${i + 1}`] : [])),
  );
  expect(long).toEqual([]);
});

test.each(commandFiles(files))('%s.lua has a header with its arguments or its reply', (file) => {
  const [header = ''] = /^--- @command .*\n(--.*\n)+/.exec(files.get(file) ?? '') ?? [];
  expect(header).toMatch(/\b(ARGV|Reply): /);
});

const isInstalled = spawnSync('luacheck', ['--version'], { stdio: 'ignore' }).error === undefined;

unlessImpossible(test, isInstalled ? undefined : 'luacheck is not installed')('luacheck finds no fault', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'mailhook-lua-'));
  try {
    for (const file of commandFiles(files)) {
      const text = readCommand(file, files).parts.map((part) => withConstants(files.get(part) ?? '', constants));
      writeFileSync(path.join(folder, `${file}.lua`), text.join(''));
    }
    // A command may use some functions of an include and not others (211).
    const globals = ['--read-globals', 'redis', 'cjson', 'KEYS', 'ARGV', '--ignore', '211'];
    const { status, stdout } = spawnSync('luacheck', ['--std', 'lua51', '--no-color', '-q', folder, ...globals]);
    expect({ status, text: status === 0 ? '' : stdout.toString() }).toEqual({ status: 0, text: '' });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

describe('a command', () => {
  const command = (text: string, includes: Readonly<Record<string, string>> = {}) =>
    readCommand('one', new Map([['one', text], ...Object.entries(includes)]));

  test('consists of its includes, each once and before its user, and itself', () => {
    const includes = { 'includes/a': '--- @include b\n', 'includes/b': '' };
    expect(command('--- @command mailhookOne allow-oom\n--- @include a\n--- @include b\n', includes)).toEqual({
      name: 'mailhookOne',
      flags: 'allow-oom',
      parts: ['includes/b', 'includes/a', 'one'],
    });
  });

  test.each([
    ['', {}, 'one.lua must begin with: --- @command NAME'],
    ['--- @command x\n--- @include a\n', {}, 'there is no includes/a.lua'],
    ['--- @command x\n--- @include a\n', { 'includes/a': '--- @include a\n' }, 'a circle'],
  ])('that cannot be read is refused: %j', (text, includes, why) => {
    expect(() => command(text, includes)).toThrow(LuaError);
    expect(() => command(text, includes)).toThrow(why);
  });
});

test('constants become locals, and an unknown one is refused', () => {
  expect(withConstants('--- @constants A, B\n', { A: 1, B: ' ' })).toBe("local A, B = 1, ' '\n");
  expect(() => withConstants('--- @constants C\n', {})).toThrow('there is no constant C');
});

test('Redis gets no comments', () => {
  expect(withoutComments("-- why\nlocal a = '--'\n\n  -- more\nreturn a\n")).toBe("local a = '--'\nreturn a\n");
});
