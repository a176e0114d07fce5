import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { deliveryHeaders } from '@mailhook/delivery';
import type { TestTool } from '@mailhook/testing';
import { unlessMissing } from '@mailhook/testing';
import { expectToPassDoctor } from './receiver-program.suite.ts';

/** The tests run the code of docs/guides as the guides say. */
const FOLDER = 'docs/guides/receivers';

interface Language {
  readonly name: string;
  readonly command: string;
  readonly tool?: TestTool;
  readonly receiver: (port: number) => string[];
  /** Reads cases from standard input and prints the verification's result for each. */
  readonly verifier: string[];
  /** Checks that may end in a warning, because PHP's built-in server closes every connection. */
  readonly warnings: readonly string[];
}

const LANGUAGES: readonly Language[] = [
  {
    name: 'Node',
    command: process.execPath,
    receiver: () => [`${FOLDER}/receiver.mjs`],
    verifier: [
      '--input-type=module',
      '-e',
      `import { json } from 'node:stream/consumers';
       import { isFromMailhook } from './${FOLDER}/verify.mjs';
       const cases = await json(process.stdin);
       console.log(JSON.stringify(cases.map(({ headers, body, secrets }) => isFromMailhook(headers, body, secrets))));`,
    ],
    warnings: [],
  },
  {
    name: 'Python',
    command: 'python3',
    tool: 'python3',
    receiver: () => [`${FOLDER}/receiver.py`],
    verifier: [
      '-B',
      '-c',
      `import json, sys
sys.path.insert(0, '${FOLDER}')
from verify import is_from_mailhook
cases = json.load(sys.stdin)
print(json.dumps([is_from_mailhook(one['headers'], one['body'].encode(), one['secrets']) for one in cases]))`,
    ],
    warnings: [],
  },
  {
    name: 'PHP',
    command: 'php',
    tool: 'php',
    receiver: (port) => ['-S', `127.0.0.1:${port}`, `${FOLDER}/receiver.php`],
    verifier: [
      '-r',
      `require '${FOLDER}/verify.php';
       $name = fn($header) => 'HTTP_' . strtoupper(str_replace('-', '_', $header));
       $server = fn($headers) => array_combine(array_map($name, array_keys($headers)), $headers);
       $cases = json_decode(file_get_contents('php://stdin'), true);
       $check = fn($one) => is_from_mailhook($server($one['headers']), $one['body'], $one['secrets']);
       echo json_encode(array_map($check, $cases));`,
    ],
    warnings: ['keep-alive'],
  },
];

describe.each(LANGUAGES)('the guide for $name', (language) => {
  const testIf = unlessMissing(test, language.tool);

  testIf('has a receiver that passes every check of the doctor, for both mechanisms', async () => {
    await expectToPassDoctor({ ...language, args: language.receiver });
  });

  testIf('has a verification that takes what Mailhook signed, and nothing else', async () => {
    const aSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`;
    const [secret, next] = [aSecret(), aSecret()];
    const body = '[{"email":"änna@example.com"}]';
    const signed = (secrets: readonly string[], atMs = Date.now()) =>
      deliveryHeaders({ webhookId: 'w-1', attempt: 1, secrets }, body, atMs);
    const headers = signed([secret]);
    const cases: [string, Record<string, string>, string, string[], boolean][] = [
      ['signed', headers, body, [secret], true],
      ['while the secret is replaced: both sign', signed([secret, next]), body, [secret], true],
      ['while the secret is replaced: both are known', headers, body, [next, secret], true],
      ['another secret', headers, body, [next], false],
      ['another body', headers, `${body} `, [secret], false],
      ['another id', { ...headers, 'webhook-id': 'w-2' }, body, [secret], false],
      ['an old request', signed([secret], Date.now() - 600_000), body, [secret], false],
      ['no signature', signed([]), body, [secret], false],
      ['no time', { ...headers, 'webhook-timestamp': '' }, body, [secret], false],
      ['no headers', { accept: '*/*' }, body, [secret], false],
    ];
    const input = JSON.stringify(cases.map(([, sent, text, secrets]) => ({ headers: sent, body: text, secrets })));
    const running = promisify(execFile)(language.command, language.verifier);
    running.child.stdin?.end(input);
    const { stdout } = await running;
    const results = JSON.parse(stdout) as boolean[];
    expect(Object.fromEntries(cases.map(([name], at) => [name, results[at]]))).toEqual(
      Object.fromEntries(cases.map(([name, , , , isRight]) => [name, isRight])),
    );
  });
});
