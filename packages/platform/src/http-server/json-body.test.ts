import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import express from 'express';
import { eventually } from '@mailhook/testing';
import { createMetrics } from '../metrics/index.ts';
import { createBodyBudget, jsonBody, listen, problemHandler } from './index.ts';

describe('jsonBody', () => {
  const metrics = createMetrics();
  // This budget gives each account 1 MiB.
  const bodies = createBodyBudget({ maxBytes: 16 * 1024 * 1024, metrics });
  /** Lets a request to `/held` get its reply. */
  let letGo: () => void = () => undefined;
  let server: Awaited<ReturnType<typeof listen>>;
  beforeAll(async () => {
    const app = express();
    const read = jsonBody({ limitBytes: 512 * 1024, reserve: () => bodies.open('account', 'a') });
    app.post('/', read, (request, response) => void response.json({ got: request.body as unknown }));
    app.post('/held', read, async (_request, response) => {
      await new Promise<void>((resolve) => (letGo = resolve));
      response.json({});
    });
    app.use(problemHandler({}));
    server = await listen({ host: '127.0.0.1', port: 0, app });
  });
  afterAll(() => server.close());

  const post = (body: string | Buffer, headers: Record<string, string> = {}, path = '/') =>
    fetch(`http://127.0.0.1:${server.port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });
  const inFlight = async (): Promise<number> =>
    Number(/^mailhook_body_bytes_in_flight (\d+)/m.exec(await metrics.registry.metrics())?.[1]);

  it.each([
    ['{"a":[1,2]}', { got: { a: [1, 2] } }],
    ['\ufeff{"a":1}', { got: { a: 1 } }],
    ['null', { got: null }],
    ['', {}],
  ])('reads %j', async (text, answer) => {
    const reply = await post(text);
    expect([reply.status, await reply.json()]).toEqual([200, answer]);
  });

  it.each<Record<string, string>>([
    { 'content-type': 'application/json; charset=us-ascii' },
    { 'content-encoding': '' },
    { 'content-encoding': 'Identity' },
  ])('reads a body with %j', async (headers) => {
    expect((await post('{}', headers)).status).toBe(200);
  });

  it('names the position of a fault', async () => {
    const reply = await post('[1,]');
    expect(await reply.json()).toMatchObject({
      detail: 'The request body is not valid JSON: see position 3, where "]" cannot stand.',
    });
  });

  it.each<[string, string | Buffer, Record<string, string>, number]>([
    ['a compressed body', gzipSync('{}'), { 'content-encoding': 'gzip' }, 415],
    ['another charset', '{}', { 'content-type': 'application/json; charset=utf-16' }, 415],
    ['another type', '{}', { 'content-type': 'text/plain' }, 415],
    ['a text that is not JSON', '{"a"', {}, 400],
    ['a text that is not UTF-8', Buffer.from([0x22, 0xfc, 0x22]), {}, 400],
    ['deep nesting', `${'['.repeat(101)}${']'.repeat(101)}`, {}, 400],
    ['too many values', `[${'{},'.repeat(5000)}{}]`, {}, 413],
    ['a body that is too long', `"${'x'.repeat(512 * 1024)}"`, {}, 413],
  ])('refuses %s', async (_what, body, headers, status) => {
    const reply = await post(body, headers);
    expect([reply.status, reply.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
    expect(await inFlight()).toBe(0);
  });

  it('accepts a hundred levels and thousands of values', async () => {
    const deep = `${'['.repeat(100)}${']'.repeat(100)}`;
    const wide = JSON.stringify(Array.from({ length: 9000 }, (_, i) => i));
    for (const text of [deep, wide]) expect((await post(text)).status).toBe(200);
  });

  it('counts parsed values until the reply, so that many small bodies cannot use much memory', async () => {
    const values = `[${'{},'.repeat(4800)}{}]`;
    const held = post(values, {}, '/held');
    await eventually(async () => (await inFlight()) > 8000 * 64, { what: 'the held body' });
    const refused = await post(values);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
    letGo();
    expect((await held).status).toBe(200);
    expect((await post(values)).status).toBe(200);
    expect(await inFlight()).toBe(0);
  });

  it('releases the bodies of a client that disconnects before its replies, with pipelined requests too', async () => {
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    const head = 'POST /held HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 5\r\n\r\n[1,2]';
    socket.write(head + head);
    await eventually(async () => (await inFlight()) > 2 * 64, { what: 'both bodies' });
    socket.destroy();
    await eventually(async () => (await inFlight()) === 0, { what: 'the release of both' });
  });
});
