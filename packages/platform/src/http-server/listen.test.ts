import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { eventually } from '@mailhook/testing';
import { createMetrics } from '../metrics/index.ts';
import { createBodyBudget } from './body-budget.ts';
import { listen } from './listen.ts';
import { createAnswerError } from './error-handler.ts';
import { readBody } from './read-body.ts';

describe('limits of connections', () => {
  let server: Awaited<ReturnType<typeof listen>>;
  let refused = 0;
  const opened: Socket[] = [];
  beforeEach(async () => {
    refused = 0;
    server = await listen({
      host: '127.0.0.1',
      port: 0,
      closeGraceMs: 0,
      app: (_request, response) => response.end('ok'),
      connections: { max: 6, maxPerClient: 4, clientOf: (address) => address, onRefused: () => (refused += 1) },
    });
  });
  afterEach(async () => {
    for (const socket of opened.splice(0)) socket.destroy();
    await server.close();
  });

  /**
   * Opens a connection from a loopback address and sends a request. Resolves with the reply, or '' if the connection
   * was closed.
   */
  async function ask(localAddress: string): Promise<string> {
    const socket = connect({ host: '127.0.0.1', port: server.port, localAddress });
    opened.push(socket);
    socket.on('error', () => undefined).setEncoding('utf8');
    socket.write('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n');
    const [reply] = (await Promise.race([once(socket, 'data'), once(socket, 'close')])) as [unknown];
    return typeof reply === 'string' ? reply : '';
  }
  const askTimes = async (times: number, localAddress: string): Promise<boolean[]> => {
    const replies: boolean[] = [];
    for (let i = 0; i < times; i += 1) replies.push((await ask(localAddress)).includes(' 200 OK'));
    return replies;
  };

  test('one client gets its share, and leaves the rest to others', async () => {
    expect(await askTimes(5, '127.0.0.2')).toEqual([true, true, true, true, false]);
    expect(await askTimes(3, '127.0.0.3')).toEqual([true, true, false]);
    await eventually(() => refused === 2, { what: 'two refusals' });
    opened[0]?.destroy();
    await eventually(async () => (await askTimes(1, '127.0.0.3'))[0] === true, { what: 'a free connection' });
  });

  test('idle connections end sooner while more than half of all are used', async () => {
    const keepAlive = async (localAddress: string) => /keep-alive: timeout=(\d+)/i.exec(await ask(localAddress))?.[1];
    const seconds: (string | undefined)[] = [];
    for (const last of [2, 3, 4, 5]) seconds.push(await keepAlive(`127.0.0.${last}`));
    expect(seconds).toEqual(['65', '65', '65', '5']);
    for (const socket of opened.splice(0)) socket.destroy();
    await eventually(async () => (await keepAlive('127.0.0.2')) === '65', { what: 'the usual time' });
  });
});

describe('a reply that leaves before the whole body has arrived', () => {
  const MIB = 1024 * 1024;
  const bodies = createBodyBudget({ maxBytes: 64 * MIB, metrics: createMetrics() });
  let server: Awaited<ReturnType<typeof listen>>;
  const serve = async (dropLimits = { bytes: 64 * MIB, ms: 30_000 }): Promise<void> => {
    const answerError = createAnswerError({ dropLimits });
    server = await listen({
      host: '127.0.0.1',
      port: 0,
      closeGraceMs: 0,
      app: (request, response) => {
        const rules = { limitBytes: MIB, reservation: bodies.open('producer') };
        const read = request.url === '/read' ? readBody(request, response, rules) : Promise.reject(new URIError());
        read.catch((error: unknown) => answerError(error, request, response));
      },
    });
  };
  afterEach(() => server.close());

  /** Like a client that reads only after it has sent everything, as those of Python do. */
  async function send(head: string, mib: number): Promise<{ text: string; error: string }> {
    const socket = connect(server.port, '127.0.0.1').pause();
    const result = { text: '', error: '' };
    socket.on('error', ({ message }) => (result.error = message));
    socket.write(`POST ${head}\r\nhost: x\r\ncontent-length: ${mib * MIB}\r\n\r\n`);
    const sent = new Promise((resolve) => {
      socket.end(Buffer.alloc(mib * MIB), () => resolve(undefined));
      socket.once('close', resolve);
    });
    await sent;
    socket.setEncoding('utf8').on('data', (text: string) => (result.text += text));
    if (!socket.closed) await once(socket.resume(), 'close');
    return result;
  }

  it.each([
    ['/read HTTP/1.1', 413],
    ['/read HTTP/1.1\r\nconnection: close', 413],
    ['/ HTTP/1.1', 404],
    ['/ HTTP/1.1\r\nconnection: close', 404],
    ['/ HTTP/1.0', 404],
  ])('reaches a client that reads it later: %j', async (head, status) => {
    await serve();
    const { text, error } = await send(head, 20);
    expect({ text, error }).toEqual({
      text: expect.stringMatching(new RegExp(`^HTTP.1.1 ${status} .*"status":${status}`, 's')) as string,
      error: '',
    });
  });

  it.each(['/read', '/'])('does not read more than its bounds: %s', async (path) => {
    await serve({ bytes: MIB, ms: 30_000 });
    const { error } = await send(`${path} HTTP/1.1`, 400);
    expect(error).toMatch(/ECONNRESET|EPIPE/);
  });
});
