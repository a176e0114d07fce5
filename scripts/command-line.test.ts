import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { COMMANDS } from './commands.ts';
import { wholeNumber } from './command-line.ts';
import { command as listen } from './receiver/listen.ts';

/** Runs `mailhook` without npm. */
function mailhook(cwd: string, ...args: readonly string[]) {
  const tsx = pathToFileURL(createRequire(path.resolve('package.json')).resolve('tsx')).href;
  const node = ['--conditions=@mailhook/source', '--import', tsx, path.resolve('scripts/mailhook.ts'), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, node, { cwd, encoding: 'utf8' });
  return { status, stdout, stderr };
}

test('--help lists every command', () => {
  const { status, stdout } = mailhook('.', '--help');
  expect(status).toBe(0);
  for (const [name, { about }] of Object.entries(COMMANDS))
    expect(stdout.split('\n').map((line) => line.trim().replace(/ +/, ' '))).toContain(`${name} ${about}`);
});

test('an unknown name suggests the nearest', () => {
  const stderr = "error: unknown command 'docter'\n(Did you mean doctor?)\n";
  expect(mailhook('.', 'docter')).toEqual({ status: 1, stdout: '', stderr });
});

test('a command that needs the packages of development says what to run without them', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'mailhook-not-installed-'));
  const stderr = '`mailhook test` needs all packages, also those of development: run `npm ci` without --omit=dev.\n';
  expect(mailhook(folder, 'test')).toEqual({ status: 1, stdout: '', stderr });
  rmSync(folder, { recursive: true });
});

test.each([
  [['--prot', '1'], "unknown option '--prot'\n(Did you mean --port?)"],
  [['--port'], "option '--port <port>' argument missing"],
  [['--port', 'many'], "option '--port <port>' argument 'many' is invalid. It must be a whole number from 0 to 65535."],
  [
    ['--ack', 'most'],
    "option '--ack <mode>' argument 'most' is invalid. Allowed choices are all, none, half, garbage.",
  ],
  [['stray'], 'too many arguments. Expected 0 arguments but got 1.'],
])('`mailhook listen %j` is refused, and the error names the fault', async (args, message) => {
  const quiet = listen.exitOverride().configureOutput({ writeErr: () => undefined });
  await expect(quiet.parseAsync(args, { from: 'user' })).rejects.toThrow(message);
});

test.each(['0', '101', '1.5', '-1', 'many', ''])('the number "%s" is refused, with its range', (text) => {
  expect(() => wholeNumber(1, 100)(text)).toThrow('It must be a whole number from 1 to 100.');
});
