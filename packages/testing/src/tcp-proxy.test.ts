import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from './eventually.ts';
import type { TestRedis } from './redis.ts';
import { startRedis } from './redis.ts';
import type { TcpProxy } from './tcp-proxy.ts';
import { startTcpProxy } from './tcp-proxy.ts';

interface Client {
  readonly socket: Socket;
  readonly replies: () => string;
}

describe('a TCP proxy', () => {
  let servers: TestRedis[];
  let proxy: TcpProxy;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    servers = [await startRedis(), await startRedis()];
    proxy = await startTcpProxy(servers[0]!.port);
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await proxy.close();
    await Promise.all(servers.map((server) => server.stop()));
  });

  const open = (): Client => {
    const socket = connect(proxy.port, '127.0.0.1').on('error', () => undefined);
    sockets.push(socket);
    let text = '';
    socket.on('data', (data) => (text += data.toString()));
    return { socket, replies: () => text };
  };
  const answers = async ({ socket, replies }: Client, text: string): Promise<void> => {
    const before = replies();
    socket.write(`ECHO ${text}\r\n`);
    await eventually(() => replies() !== before && replies().endsWith(`${text}\r\n`), { what: `an answer to ${text}` });
  };

  test('delays requests and keeps their order, even when the delay ends', async () => {
    const client = open();
    await answers(client, 'connected');
    proxy.delayRequests(1000);
    const startedAtMs = performance.now();
    client.socket.write('ECHO first\r\n');
    // On a busy machine, the request needs a while to the proxy.
    await wait(400);
    proxy.delayRequests(0);
    await answers(client, 'second');
    expect(client.replies().replaceAll(/\$\d+|\r\n/g, '')).toBe('connectedfirstsecond');
    expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(999);
  });

  test('passes a delayed request on when its client closes and the delay ends', async () => {
    const client = open();
    await answers(client, 'connected');
    proxy.delayRequests(150);
    client.socket.write('ECHO last\r\n');
    await wait(50);
    proxy.delayRequests(0);
    client.socket.end();
    await eventually(() => client.replies().endsWith('last\r\n'), { what: 'the reply to the delayed request' });
  });

  test('resets nothing while it swallows, and connections opened later work', async () => {
    const before = open();
    await answers(before, 'before');
    proxy.swallow();
    const during = open();
    const opened = new Promise((resolve) => during.socket.once('connect', resolve));
    for (const { socket } of [before, during]) socket.write('ECHO lost\r\n');
    await opened;
    proxy.restore();
    await answers(open(), 'after');
    expect([before, during].map(({ socket }) => socket.destroyed)).toEqual([false, false]);
    expect(before.replies() + during.replies()).not.toContain('lost');
  });

  test('moves to another server', async () => {
    const before = open();
    await answers(before, 'one');
    await answers(open(), 'x');
    const marked = open();
    marked.socket.write('SET server one\r\n');
    await eventually(() => marked.replies().includes('OK'), { what: 'a mark in the first server' });
    proxy.moveTo(servers[1]!.port);
    await eventually(() => before.socket.destroyed, { what: 'the end of the connection' });
    const after = open();
    after.socket.write('GET server\r\n');
    await eventually(() => after.replies() === '$-1\r\n', { what: 'the other server' });
  });
});
