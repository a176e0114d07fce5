import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { unlessMissing } from '@mailhook/testing';
import type { TestTool } from '@mailhook/testing';
import type { Operation } from './openapi.ts';
import { sampleRequest, samplesOf } from './samples.ts';

const BODY = { address: "https://hooks.example.com/it's?a=1&b=2", list: [true, null, 'two words'] };

const anOperation = (more: Partial<Operation>): Operation => ({
  operationId: 'anOperation',
  tags: [],
  summary: '',
  security: [{ accessToken: [] }],
  responses: {},
  method: 'GET',
  path: '/v3/webhook/subscriptions/{id}',
  isReceived: false,
  ...more,
});

const PROGRAMS: Readonly<
  Record<string, readonly [command: string, args: (code: string) => string[], tool?: TestTool]>
> = {
  curl: ['sh', (code) => ['-c', code], 'curl'],
  'Node.js': [process.execPath, (code) => ['--input-type=module', '-e', code]],
  Python: ['python3', (code) => ['-B', '-c', code], 'python3'],
  PHP: ['php', (code) => ['-r', code.replace('<?php', '')], 'php'],
};

describe.each(Object.keys(PROGRAMS))('the example in %s', (name) => {
  let server: Server;
  let requests: { method: string; url: string; type: string | undefined; token: string | undefined; body: string }[];

  beforeAll(async () => {
    server = createServer((request, reply) => {
      void text(request).then((body) => {
        const { method = '', url = '', headers } = request;
        requests.push({ method, url, type: headers['content-type'], token: headers.authorization, body });
        reply.end('{"done":true}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => {
    requests = [];
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const testIt = unlessMissing(test, PROGRAMS[name]?.[2]);

  const run = async (operation: Operation): Promise<string> => {
    const code = samplesOf(sampleRequest(operation)).find((one) => one.name === name)?.code ?? '';
    const [command, args] = PROGRAMS[name] ?? ['', () => []];
    const BASE = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const env = [`BASE=${BASE}`, 'TOKEN=mhk_1', 'PRODUCER_TOKEN=mhp_1'];
    return (await promisify(execFile)('env', [...env, command, ...args(code)])).stdout;
  };

  testIt('reads', async () => {
    expect(await run(anOperation({}))).toContain('{"done":true}');
    expect(requests).toMatchObject([
      { method: 'GET', url: '/v3/webhook/subscriptions/ID', token: 'Bearer mhk_1', body: '' },
    ]);
  });

  testIt('sends a body with quotes', async () => {
    const requestBody = { content: { 'application/json': { example: BODY } } };
    await run(anOperation({ method: 'POST', path: '/v3/events', security: [{ producerToken: [] }], requestBody }));
    expect(requests).toMatchObject([{ method: 'POST', type: 'application/json', token: 'Bearer mhp_1' }]);
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual(BODY);
  });
});

test('only the call that sends events has an example of the client', () => {
  const namesOf = (more: Partial<Operation>) => samplesOf(sampleRequest(anOperation(more))).map(({ name }) => name);
  expect(namesOf({ method: 'POST', path: '/v3/events' })).toEqual([...Object.keys(PROGRAMS), 'Client']);
  expect(namesOf({})).toEqual(Object.keys(PROGRAMS));
});
