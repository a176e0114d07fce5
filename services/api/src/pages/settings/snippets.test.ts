import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { deliveryHeaders } from '@mailhook/delivery';
import { unlessImpossible } from '@mailhook/testing';
import { newSigningSecret } from '../../accounts/tokens.ts';
import { SNIPPETS } from './snippets.ts';
import type { Snippet } from './snippets.ts';

const run = promisify(execFile);

/** Runs an example like a receiver would. It reads `[headers, body, secret]` cases from a file, and prints true or false for each. */
const RUNNERS: Readonly<
  Record<Snippet['id'], { readonly command: string; readonly file: string; readonly after: string }>
> = {
  node: {
    command: process.execPath,
    file: 'verify.mjs',
    after: `import { readFileSync } from 'node:fs';
for (const [headers, body, secret] of JSON.parse(readFileSync(process.argv[2], 'utf8'))) console.log(isFromMailhook(headers, body, secret));`,
  },
  python: {
    command: 'python3',
    file: 'verify.py',
    after: `
import json, sys
for headers, body, secret in json.load(open(sys.argv[1], encoding="utf-8")):
    print(str(is_from_mailhook(headers, body.encode(), secret)).lower())`,
  },
  php: {
    command: 'php',
    file: 'verify.php',
    after: `
foreach (json_decode(file_get_contents($argv[1]), true) as [$headers, $body, $secret]) echo json_encode(is_from_mailhook($headers, $body, $secret)), "\\n";`,
  },
};

/** If a language is not installed, its test is skipped by name, which is a failure in CI. */
const isInstalled = (command: string): boolean => spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;

describe('examples of verification', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'mailhook-snippets-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  describe.each(SNIPPETS)('in $id', ({ id, code }) => {
    const { command, file, after } = RUNNERS[id];
    const testIf = unlessImpossible(test, isInstalled(command) ? undefined : `${command} is not installed`);

    testIf('accept what Mailhook signs, with either of two secrets, and refuse everything else', async () => {
      const body = '[{"email":"zoë@example.com"}]';
      const [one, other] = [newSigningSecret(), newSigningSecret()];
      const signed = (secrets: readonly string[], atMs = Date.now()) =>
        deliveryHeaders({ webhookId: 'msg_1', attempt: 1, secrets }, body, atMs);
      const cases: readonly (readonly [object, string, string, boolean])[] = [
        [signed([one]), body, one, true],
        [signed([other, one]), body, one, true],
        [signed([other]), body, one, false],
        [signed([one]), `${body} `, one, false],
        [{ ...signed([one]), 'webhook-id': 'msg_2' }, body, one, false],
        [signed([one], Date.now() - 3_600_000), body, one, false],
        [signed([]), body, one, false],
        [{}, body, one, false],
      ];
      const input = path.join(folder, 'cases.json');
      await writeFile(input, JSON.stringify(cases.map(([headers, text, secret]) => [headers, text, secret])));
      const program = path.join(folder, file);
      await writeFile(program, `${code}\n${after}\n`);
      const { stdout } = await run(command, [program, input]);
      expect(stdout.trim().split('\n')).toEqual(cases.map(([, , , isGood]) => String(isGood)));
    });
  });
});
