import { execFile } from 'node:child_process';
import {
  CAMPAIGN_FIELDS,
  EMAIL_EVENTS_QUEUE,
  namesOf,
  subscriptionType,
  typesOf,
  unknownFields,
  validateEvent,
} from '@mailhook/core';
import { bundleProgram, eventually, pythonPackages, startReceiver, unlessMissing } from '@mailhook/testing';
import type { Reply, TestTool } from '@mailhook/testing';
import { PRODUCER_TOKEN, publishedEvents, startApi } from '../../services/api/src/api-rig.suite.ts';
import type { ApiRig, TestAccount } from '../../services/api/src/api-rig.suite.ts';
import { GO_ENVIRONMENT, isGoTested } from './go.suite.ts';

/** The tests run the programs of examples/producers as users do. */
const FOLDER = 'examples/producers';
const EVENTS = [...typesOf('transactional_email'), ...typesOf('campaign')];
/** The types that the account of the tests has a destination for. */
const ROUTED = [...subscriptionType.options, ...namesOf(CAMPAIGN_FIELDS)];

interface Example {
  readonly file: string;
  readonly tool?: TestTool;
  readonly command: readonly [command: string, ...args: string[]];
  readonly environment?: () => Promise<Readonly<Record<string, string>>>;
  /** Puts it into one file for the many runs against a fake server, which start in a quarter of the CPU time. */
  readonly bundle?: () => Promise<string>;
}

const fromSource = [process.execPath, '--conditions=@mailhook/source', '--import', 'tsx'] as const;
const python = async () => ({ PYTHONPATH: await pythonPackages(`${FOLDER}/requirements.txt`) });

let bundled: Promise<string> | undefined;
const HTTP: readonly Example[] = [
  {
    file: 'http.mjs',
    command: fromSource,
    bundle: () => (bundled ??= bundleProgram(`import './${FOLDER}/http.mjs';`)),
  },
  { file: 'http_producer.py', tool: 'python3', command: ['python3', '-B'] },
  { file: 'http.php', tool: 'php', command: ['php'] },
  ...(isGoTested()
    ? [{ file: 'http.go', command: ['go', 'run'], environment: () => Promise.resolve(GO_ENVIRONMENT) } as const]
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
  program = `${FOLDER}/${file}`,
) {
  const env = { ...process.env, ...(await environment?.()), ...more };
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(command, [...args, program], { env }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, stdout, stderr }),
    );
  });
}

const busy = (status: number, retryAfter: string) => ({
  status,
  headers: { 'retry-after': retryAfter },
  json: { title: 'Busy' },
});
/** Up to four failures in a row, because the programs try five times. */
const PASSING: readonly (readonly ReturnType<Reply>[])[] = [
  [{ reset: 'reply' }, busy(503, '0'), busy(429, '0.2')],
  [busy(408, 'soon'), busy(425, '0, 0.5'), busy(500, 'Wed, 21 Oct 2015 07:28:00 GMT')],
  [busy(502, ''), { status: 504 }, busy(529, '-1')],
  [
    { status: 202, body: '<html>' },
    { status: 202, json: { accepted: 0 } },
    { status: 202, json: { status: 'queued' } },
  ],
  [{ status: 202, body: '' }, { status: 202, json: [EVENTS.length] }, { reset: 'body' }],
];

/** Runs an example against a server that sends these replies, then refuses everything. */
async function runWith(example: Example, answers: readonly ReturnType<Reply>[]) {
  const left = [...answers];
  const bundle = await example.bundle?.();
  const fake = await startReceiver({ reply: () => left.shift() ?? { status: 400 } });
  const settings = { MAILHOOK_URL: fake.url.replace(/\/$/, ''), PRODUCER_TOKEN: 'secret', ACCOUNT: 'acme' };
  const result = await run(
    bundle === undefined ? example : { ...example, command: [process.execPath] },
    settings,
    bundle,
  );
  await fake.close();
  return { ...result, requests: fake.requests };
}

/** The events of a request: a JSON array, or NDJSON. */
const eventsIn = (body: string): Record<string, unknown>[] =>
  body.startsWith('[')
    ? (JSON.parse(body) as Record<string, unknown>[])
    : body.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);

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
        expect(await published()).toEqual([...ROUTED].sort());
      },
      WITHIN_MS,
    );

    testIf(example)(
      'sends an id, metadata and tags, and no field that Mailhook does not know',
      async () => {
        const { requests } = await runWith(example, [{ status: 202, json: { accepted: EVENTS.length } }]);
        const events = eventsIn(requests[0]?.text ?? '');
        const named = events.map((event) => event['name'] ?? event['event']);
        expect(named.sort()).toEqual([...EVENTS].sort());
        for (const event of events) {
          expect(validateEvent(event)).toEqual({ value: event });
          expect(unknownFields(event, 1)).toEqual([]);
          expect(Object.keys(event)).toEqual(expect.arrayContaining(['id', 'metadata', 'tags']));
        }
      },
      WITHIN_MS,
    );

    testIf(example)(
      'sends the same request again after no answer, and one that may pass',
      async () => {
        // Side by side, because a program waits longer before each further try.
        await Promise.all(
          PASSING.map(async (failures) => {
            const answers = [...failures, { status: 202, json: { accepted: EVENTS.length } }];
            const { code, requests } = await runWith(example, answers);
            expect([failures, code]).toEqual([failures, 0]);
            expect(requests.map(({ text }) => text)).toEqual(answers.map(() => requests[0]?.text));
            expect(requests[0]?.headers.authorization).toBe('Bearer secret');
          }),
        );
      },
      WITHIN_MS,
    );

    testIf(example)(
      'gives up at once after another 4xx, and in the end if something else answers, and says what it got',
      async () => {
        const page = { status: 202, headers: { 'content-type': 'text/html' }, body: '<title>Checking</title>' };
        const [refused, fooled] = await Promise.all([
          runWith(example, [{ status: 422, json: { title: 'Wrong' } }]),
          runWith(
            example,
            Array.from({ length: 5 }, () => page),
          ),
        ]);
        expect([refused.code, refused.requests.length]).toEqual([1, 1]);
        expect(refused.stderr).toMatch(/answered 422.*Wrong/);
        expect([fooled.code, fooled.requests.length]).toEqual([1, 5]);
        expect(fooled.stderr).toMatch(/answered 202.*Checking/);
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
        await eventually(async () => (await published()).length === ROUTED.length, { what: 'the events' });
        expect(await published()).toEqual([...ROUTED].sort());
      },
      WITHIN_MS,
    );
  });
});
