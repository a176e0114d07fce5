import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import { z } from 'zod';
import { createMetrics } from '../metrics/index.ts';
import {
  addRoute,
  createBodyBudget,
  jsonBody,
  listen,
  parseOrThrow,
  notFound,
  ProblemError,
  problemHandler,
  startOperationsServer,
  unavailable,
} from './index.ts';

const schema = z.object({
  name: z.string().min(2).max(5),
  kind: z.enum(['a', 'b']),
  count: z.int().min(1),
  list: z.array(z.string()).max(1).optional(),
  one: z.discriminatedUnion('type', [z.object({ type: z.literal('x') })]).optional(),
});

describe('http server', () => {
  let base: string;
  let server: Awaited<ReturnType<typeof listen>>;
  beforeAll(async () => {
    const bodies = createBodyBudget({ maxBytes: 1024 * 1024, metrics: createMetrics() });
    const app = express();
    addRoute(app, '/things', {
      get: [() => Promise.reject(new Error('secret detail'))],
      post: [
        jsonBody({ limitBytes: 100, reserve: () => bodies.open('account') }),
        (request, response) => void response.json({ got: parseOrThrow(schema, request.body) }),
      ],
    });
    addRoute(app, '/busy', {
      get: [
        () => {
          throw unavailable('Not now.', 7);
        },
      ],
    });
    addRoute(app, '/translated', {
      get: [
        () => {
          throw new RangeError('foreign');
        },
      ],
    });
    app.get('/late', (_request, response) => {
      response.write('half');
      throw new Error('late');
    });
    app.use(notFound);
    const translate = (error: unknown) =>
      error instanceof RangeError ? new ProblemError('conflict', { detail: 'Translated.' }) : undefined;
    app.use(problemHandler({ translate }));
    server = await listen({ host: '127.0.0.1', port: 0, app });
    base = `http://127.0.0.1:${server.port}`;
  });
  afterAll(() => server.close());

  const post = (body: string | undefined, type = 'application/json') =>
    fetch(`${base}/things`, {
      method: 'POST',
      headers: { 'content-type': type },
      ...(body === undefined ? {} : { body }),
    });
  const problemOf = async (reply: Response) => {
    expect(reply.headers.get('content-type')).toBe('application/problem+json');
    return (await reply.json()) as {
      status: number;
      code: string;
      detail?: string;
      errors?: { path: string; message: string }[];
    };
  };

  it('replies to expected errors with their code, headers and the request id', async () => {
    const reply = await fetch(`${base}/busy`, { headers: { 'x-request-id': 'request-12345' } });
    expect([reply.status, reply.headers.get('retry-after'), reply.headers.get('x-request-id')]).toEqual([
      503,
      '7',
      'request-12345',
    ]);
    expect(await problemOf(reply)).toEqual({
      type: 'urn:mailhook:problem:unavailable',
      title: 'Service Unavailable',
      status: 503,
      code: 'unavailable',
      detail: 'Not now.',
      instance: 'urn:mailhook:request:request-12345',
    });
    expect((await problemOf(await fetch(`${base}/translated`))).code).toBe('conflict');
  });

  it.each([
    ['xchunked', 501],
    ['gzip, chunked', 501],
    ['identity', 501],
    ['chunked', 422],
    ['Chunked', 422],
  ])('answers a body with transfer-encoding %s with %i', async (coding, status) => {
    const { port } = new URL(base);
    const socket = connect(Number(port), '127.0.0.1');
    const head = `POST /things HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ntransfer-encoding: ${coding}\r\n`;
    socket.end(`${head}connection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n`);
    expect(await text(socket)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  });

  it('hides the details of unexpected errors, and replaces a harmful request id', async () => {
    const reply = await fetch(`${base}/things`, { headers: { 'x-request-id': 'a"b' } });
    expect(reply.headers.get('x-request-id')).toMatch(/^[\w-]{36}$/);
    expect(JSON.stringify(await problemOf(reply))).not.toContain('secret');
  });

  it('breaks the connection if an error occurs after the reply has begun', async () => {
    await expect(fetch(`${base}/late`).then((reply) => reply.text())).rejects.toThrow();
  });

  it.each([
    ['{"name":', 'application/json', 400, 'malformed_json'],
    ['{}', 'text/plain', 415, 'unsupported_media_type'],
    [`"${'x'.repeat(100)}"`, 'application/json', 413, 'payload_too_large'],
    ['5', 'APPLICATION/json; charset=utf-8', 422, 'validation_failed'],
    [undefined, 'application/json', 422, 'validation_failed'],
  ])('replies to the body %j as %s with %d', async (body, type, status, code) => {
    expect(await problemOf(await post(body, type))).toMatchObject({ status, code });
  });

  it('names every invalid field and the fix', async () => {
    const { errors } = await problemOf(await post('{"name":"x","kind":"c","count":0,"list":["a","b"],"one":{}}'));
    expect(errors).toEqual([
      { path: 'name', message: 'must have at least 2 characters, not 1' },
      { path: 'kind', message: 'must be one of "a", "b", not "c"' },
      { path: 'count', message: 'must be at least 1, not 0' },
      { path: 'list', message: 'must have at most 1 elements, not 2' },
      { path: 'one.type', message: 'is required: "x"' },
    ]);
    const missing = await problemOf(await post('{"name":3,"count":1.5}'));
    expect(missing.errors).toEqual([
      { path: 'name', message: 'must be a text, not 3' },
      { path: 'kind', message: 'is required: one of "a", "b"' },
      { path: 'count', message: 'must be a whole number, not 1.5' },
    ]);
  });

  it('replies with 404, or with 405 and the allowed methods', async () => {
    expect((await problemOf(await fetch(`${base}/nothing`))).code).toBe('not_found');
    const reply = await fetch(`${base}/things`, { method: 'DELETE' });
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'GET, POST, HEAD']);
  });
});

describe('operations server', () => {
  it('reports why it is not ready or needs a restart, and serves metrics and added routes', async () => {
    const reasons: string[] = ['Redis does not answer'];
    const hopeless: string[] = [];
    const metrics = createMetrics();
    const server = await startOperationsServer({
      host: '127.0.0.1',
      port: 0,
      metrics,
      isReady: () => Promise.resolve(reasons),
      hopeless: () => hopeless,
      extend: (app) => app.get('/more', (_request, response) => void response.json({ more: true })),
    });
    const get = async (path: string) => {
      const reply = await fetch(`http://127.0.0.1:${server.port}${path}`);
      return [reply.status, await reply.text()] as const;
    };
    try {
      expect(await get('/healthz')).toEqual([200, '{"status":"ok"}']);
      hopeless.push('a client is stuck');
      expect(await get('/healthz')).toEqual([503, '{"status":"needs a restart","reasons":["a client is stuck"]}']);
      expect(await get('/readyz')).toEqual([503, '{"status":"not ready","reasons":["Redis does not answer"]}']);
      reasons.pop();
      expect(await get('/readyz')).toEqual([200, '{"status":"ready"}']);
      expect((await get('/metrics'))[1]).toContain('process_cpu_user_seconds_total');
      expect(await get('/more')).toEqual([200, '{"more":true}']);
      expect((await get('/nothing'))[0]).toBe(404);
      expect((await get('/v3/events?a=b'))[1]).toContain(
        'There is nothing at /v3/events. This is the operations port (OPS_PORT); events and requests of customers ' +
          "go to the api's PORT.",
      );
    } finally {
      await server.close();
    }
  });

  it('closes after the reply in progress, although a keep-alive connection is open', async () => {
    let answer: () => void = () => undefined;
    const app = express();
    const arrived = new Promise<void>((resolve) => {
      app.get('/slow', (_request, response) => {
        answer = () => void response.json({ done: true });
        resolve();
      });
    });
    const server = await listen({ host: '127.0.0.1', port: 0, app });
    const reply = fetch(`http://127.0.0.1:${server.port}/slow`).then((one) => one.json());
    await arrived;
    const closed = server.close();
    answer();
    await expect(reply).resolves.toEqual({ done: true });
    await expect(closed).resolves.toBeUndefined();
  });
});

test('a host that this machine does not have is a fault of the configuration', async () => {
  const open = (host: string) => listen({ host, port: 0, app: (_request, response) => response.end('here') });
  for (const host of ['no-such-host.invalid', '203.0.113.1'])
    await expect(open(host)).rejects.toThrow(
      new RegExp(`^Cannot listen on ${host} \\(\\w+\\): set HOST or OPS_HOST to an address`),
    );
  const both = await open('::');
  expect(await (await fetch(`http://127.0.0.1:${both.port}/`)).text()).toBe('here');
  await both.close();
});
