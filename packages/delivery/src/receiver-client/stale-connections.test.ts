import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { eventually } from '@mailhook/testing';
import { receiverClientRig, SLACK_MS, TIMEOUT_MS } from './receiver-client-rig.suite.ts';

/** What the receiver does with a request, when it has the first bytes of it (`onStart`) or all of it. */
interface Action {
  readonly onStart?: (socket: Socket) => void;
  readonly onRequest?: (socket: Socket) => void;
}

const reply: Action = { onRequest: (socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n[]') };
const fin: Action = { onRequest: (socket) => socket.end() };
const reset: Action = { onStart: (socket) => socket.resetAndDestroy() };
const silence: Action = {};
const halfStatusLine: Action = { onRequest: (socket) => socket.end('HTTP/1.1 2') };

const halfBody: Action = {
  onRequest: (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n[]'),
};

describe('a reused connection that the receiver closes', () => {
  const rig = receiverClientRig();
  let server: Server;
  let sockets: Socket[];
  /** Complete requests. */
  let requests: string[];
  /** For each request in turn. The last one stays. */
  let actions: Action[];

  beforeEach(async () => {
    sockets = [];
    requests = [];
    server = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
      let text = '';
      let action = reply;
      socket.on('data', (chunk) => {
        if (text === '') {
          action = (actions.length > 1 ? actions.shift() : actions[0]) ?? reply;
          action.onStart?.(socket);
        }
        if (socket.destroyed) return;
        text += chunk.toString();
        if (!text.endsWith(']')) return;
        requests.push(text);
        text = '';
        action.onRequest?.(socket);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  const post = (needsBody: boolean, by = rig.client) =>
    rig.post(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, needsBody, by);

  test('after half of a body: a reply has begun, so nothing is repeated', async () => {
    actions = [reply, halfBody, reply];
    await post(true);
    const broken = await post(true);
    expect(broken).toMatchObject({ type: 'unreachable' });
    expect(broken).not.toHaveProperty('isRepeated');
    expect([sockets.length, requests.length]).toEqual([1, 2]);
  });

  describe.each([true, false])('with needsBody %s', (needsBody) => {
    test.each([
      ['after the request', fin, 3],
      ['on its first byte (RST)', reset, 2],
    ])('%s: the same request leaves on a new connection', async (_when, action, seen) => {
      actions = [reply, action, reply];
      expect(await post(needsBody)).toMatchObject({ type: 'reply', isConnectionReused: false });
      const again = await post(needsBody);
      expect(again).toMatchObject({ type: 'reply', status: 200, isConnectionReused: false, isRepeated: true });
      expect(sockets).toHaveLength(2);
      expect(requests).toHaveLength(seen);
      // The first post may be of another second.
      expect(new Set(requests.slice(1)).size).toBe(1);
    });

    test('while it is idle: nothing was sent on it, so nothing is repeated', async () => {
      actions = [reply];
      await post(needsBody);
      const [idle] = sockets;
      await new Promise((resolve) => idle?.once('close', resolve).end());
      const again = await post(needsBody);
      expect(again).toMatchObject({ type: 'reply', wasSent: true });
      expect(again).not.toHaveProperty('isRepeated');
      expect([sockets.length, requests.length]).toEqual([2, 2]);
    });

    test('after half a status line: a reply has begun, so nothing is repeated', async () => {
      actions = [reply, halfStatusLine];
      await post(needsBody);
      const broken = await post(needsBody);
      expect(broken).toMatchObject({
        type: 'unreachable',
        detail: 'the connection was closed before the reply was complete',
      });
      expect(broken).not.toHaveProperty('isRepeated');
      expect([sockets.length, requests.length]).toEqual([1, 2]);
    });

    test('the repeat is not repeated', async () => {
      actions = [reply, fin];
      await post(needsBody);
      expect(await post(needsBody)).toMatchObject({
        type: 'unreachable',
        detail: expect.objectContaining({ code: 'closed-plain' }) as object,
        wasSent: true,
        isRepeated: true,
      });
      expect([sockets.length, requests.length]).toEqual([2, 3]);
    });

    test('a new connection that breaks is a failure', async () => {
      actions = [fin];
      const broken = await post(needsBody);
      expect(broken).toMatchObject({ type: 'unreachable' });
      expect(broken).not.toHaveProperty('isRepeated');
      expect([sockets.length, requests.length]).toEqual([1, 1]);
    });

    test('the repeat ends by the same deadline', async () => {
      actions = [reply];
      await eventually(async () => (await post(needsBody, rig.hasty)).type === 'reply', { what: 'a reply in time' });
      actions = [fin, silence];
      const late = await post(needsBody, rig.hasty);
      expect(late).toMatchObject({ type: 'timeout', wasSent: true, isRepeated: true });
      expect(late.durationMs).toBeLessThan(TIMEOUT_MS + SLACK_MS);
    });
  });
});
