import { execFile, spawnSync } from 'node:child_process';
import path from 'node:path';
import { CAMPAIGN_TYPES, EMAIL_EVENTS_QUEUE, namesOf, subscriptionType, TRANSACTIONAL_TYPES } from '@mailhook/core';
import { cacheFolder, eventually, pythonPackages, startReceiver, unlessMissing } from '@mailhook/testing';
import type { Reply, TestTool } from '@mailhook/testing';
import { PRODUCER_TOKEN, publishedEvents, startApi } from '../../services/api/src/api-rig.suite.ts';
import type { ApiRig, TestAccount } from '../../services/api/src/api-rig.suite.ts';

/** The tests run the programs of examples/producers as users do. */
const FOLDER = 'examples/producers';
const EVENTS = [...namesOf(TRANSACTIONAL_TYPES), ...namesOf(CAMPAIGN_TYPES)];

interface Example {
  readonly file: string;
  readonly tool?: TestTool;
  readonly command: readonly [command: string, ...args: string[]];
  readonly environment?: () => Promise<Readonly<Record<string, string>>>;
}

const fromSource = [process.execPath, '--conditions=@mailhook/source', '--import', 'tsx'] as const;
const python = async () => ({ PYTHONPATH: await pythonPackages(`${FOLDER}/requirements.txt`) });
/** Compiling fast matters more than running fast. */
const GO = {
  GOCACHE: path.join(cacheFolder(), 'go-build'),
  CGO_ENABLED: '0',
  GOFLAGS: "'-gcflags=all=-N -l'",
  GO111MODULE: 'off',
};

const HTTP: readonly Example[] = [
  { file: 'http.mjs', command: fromSource },
  { file: 'http_producer.py', tool: 'python3', command: ['python3', '-B'] },
  { file: 'http.php', tool: 'php', command: ['php'] },
  // Go is too large to be installed for one example, so its tests exist only where it is (see examples/README.md).
  ...(spawnSync('go', ['version']).status === 0
    ? [{ file: 'http.go', command: ['go', 'run'], environment: () => Promise.resolve(GO) } as const]
    : []),
];
const REDIS_FED: readonly (Example & { readonly result: RegExp })[] = [
  {
    file: 'queue.mjs',
    command: fromSource,
    result: new RegExp(`^${EVENTS.length} accepted$`, 'm'),
  },
  {
    file: 'queue_producer.py',
    tool: 'pip',
    command: ['python3', '-B'],
    environment: python,
    result: new RegExp(`"state": "completed", "accepted": ${EVENTS.length}, "rejected": 0`),
  },
];

const withTests = <One extends Example>(examples: readonly One[]) =>
  examples.map((example) => [example.file, example] as const);
const testIf = ({ tool }: Example) => unlessMissing(test, tool);

/** Compiling an example in Go takes long on a machine that never did. */
const WITHIN_MS = 120_000;

async function run(
  { file, command: [command, ...args], environment }: Example,
  more: Readonly<Record<string, string>>,
) {
  const env = { ...process.env, ...(await environment?.()), ...more };
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(command, [...args, `${FOLDER}/${file}`], { env }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

describe('examples of producers', () => {
  let api: ApiRig;
  let account: TestAccount;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    account = await api.newAccount();
    for (const type of subscriptionType.options) await api.subscribe(account, type);
    await api.as(account.token)('put', '/v3/webhook/campaign', { address: 'http://127.0.0.1:9/campaign' });
  });

  const published = async () => {
    const events = (await publishedEvents(api)).filter((one) => one.account === account.id).map(({ event }) => event);
    return events.map((event) => event['name'] ?? event['event']).sort();
  };

  describe.each(withTests(HTTP))('%s', (_file, example) => {
    testIf(example)(
      'sends an event of each type',
      async () => {
        const result = await run(example, { MAILHOOK_URL: api.baseUrl, PRODUCER_TOKEN, ACCOUNT: account.id });
        expect(result).toEqual({
          code: 0,
          stdout: `${EVENTS.length} accepted\n`,
          stderr: expect.any(String) as string,
        });
        expect(await published()).toEqual([...EVENTS].sort());
      },
      WITHIN_MS,
    );

    testIf(example)(
      'sends the same request again after no answer, a 503 and a 429, but not after a 422',
      async () => {
        const busy = (status: number) => ({ status, headers: { 'retry-after': '0' }, json: { title: 'Busy' } });
        const answers: ReturnType<Reply>[] = [
          { reset: 'reply' },
          busy(503),
          busy(429),
          { status: 202, json: { accepted: EVENTS.length } },
        ];
        const fake = await startReceiver({ reply: () => answers.shift() ?? { status: 422, json: { title: 'Wrong' } } });
        const environment = { MAILHOOK_URL: fake.url.replace(/\/$/, ''), PRODUCER_TOKEN: 'secret', ACCOUNT: 'acme' };
        expect((await run(example, environment)).code).toBe(0);
        expect(fake.requests.map(({ text }) => text)).toEqual(Array.from({ length: 4 }, () => fake.requests[0]?.text));
        expect(fake.requests[0]?.headers.authorization).toBe('Bearer secret');
        const refused = await run(example, environment);
        await fake.close();
        expect([refused.code, fake.requests.length]).toEqual([1, 5]);
        expect(refused.stderr).toMatch(/answered 422.*Wrong/);
      },
      WITHIN_MS,
    );
  });

  describe.each(withTests(REDIS_FED))('%s', (_file, example) => {
    testIf(example)(
      `adds an event of each type to the queue ${EMAIL_EVENTS_QUEUE}`,
      async () => {
        const result = await run(example, { REDIS_URL: api.redisUrl, QUEUE_PREFIX: api.prefix, ACCOUNT: account.id });
        expect(result).toMatchObject({ code: 0, stdout: expect.stringMatching(example.result) as string });
        await eventually(async () => (await published()).length === EVENTS.length, { what: 'the events' });
        expect(await published()).toEqual([...EVENTS].sort());
      },
      WITHIN_MS,
    );
  });
});
