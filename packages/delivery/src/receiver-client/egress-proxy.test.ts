import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import type { ConnectProxy } from '@mailhook/testing';
import { aCertificate, eventually, freePort, startConnectProxy, startDeafHost, startReceiver } from '@mailhook/testing';
import type { ReceiverClient } from './receiver-client.ts';
import { IDENTITY, open, receiverClientRig } from './receiver-client-rig.suite.ts';

/** Long enough for a busy machine to notice a silent proxy before the deadline. */
const SILENCE_MS = 3000;

/** A host that accepts connections and says nothing. */
async function startQuietHost() {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => sockets.add(socket.on('error', () => undefined).resume()));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

describe('requests through an outgoing proxy', () => {
  const rig = receiverClientRig();
  const { create, post } = rig;
  let proxy: ConnectProxy;
  const clients: ReceiverClient[] = [];
  const through = (proxyUrl: string, more: Parameters<typeof create>[0] = {}): ReceiverClient => {
    const client = create({ proxyUrl, ...more });
    clients.push(client);
    return client;
  };

  beforeEach(async () => {
    proxy = await startConnectProxy();
  });
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    await proxy.close();
  });

  test('a receiver by name gets the request, and the proxy gets the vetted IP address', async () => {
    const client = through(proxy.url);
    const exchange = await post(`http://receiver.test:${rig.receiver.port}/hook?a=1`, true, client);
    expect(exchange).toMatchObject({ type: 'reply', status: 200, wasSent: true });
    expect(proxy.targets).toEqual([`127.0.0.1:${rig.receiver.port}`]);
    expect(rig.receiver.requests).toMatchObject([
      { path: '/hook?a=1', text: '[{"ä":1}]', headers: { host: `receiver.test:${rig.receiver.port}` } },
    ]);
    expect(rig.receiver.requests[0]?.headers).not.toHaveProperty('proxy-authorization');
  });

  test.each(['http', 'https'])('TLS ends at the receiver, through an %s proxy with a password', async (scheme) => {
    const tls = aCertificate({ name: 'receiver.test' });
    const forProxy = aCertificate({ name: 'proxy.test' });
    rig.names.setName('proxy.test', ['127.0.0.1']);
    const secure = await startReceiver({ tls });
    const guarded = await startConnectProxy({
      credentials: 'us er:p@ss:word',
      ...(scheme === 'https' ? { tls: forProxy } : {}),
    });
    const port = new URL(guarded.url).port;
    const client = through(`${scheme}://us%20er:p%40ss:word@proxy.test:${port}`, {
      ca: `${tls.cert}\n${forProxy.cert}`,
    });
    for (const isReused of [false, true]) {
      expect(await post(`https://receiver.test:${secure.port}/`, true, client)).toMatchObject({
        type: 'reply',
        status: 200,
        isConnectionReused: isReused,
      });
    }
    expect(guarded.targets).toEqual([`127.0.0.1:${secure.port}`]);
    const distrusting = through(`${scheme}://us%20er:p%40ss:word@proxy.test:${port}`, { ca: forProxy.cert });
    expect(await post(`https://receiver.test:${secure.port}/`, true, distrusting)).toMatchObject({
      type: 'unreachable',
      detail: 'TLS: the certificate is self-signed',
    });
    await Promise.all([secure.close(), guarded.close()]);
  });

  test('large bodies and replies pass unchanged', async () => {
    const client = through(proxy.url, { replyCapBytes: 4_000_000 });
    const body = JSON.stringify('x'.repeat(3_000_000));
    rig.answering({ json: 'y'.repeat(2_000_000) });
    const exchange = await client.post({ address: rig.receiver.url, body, ...IDENTITY, needsBody: true });
    expect(exchange).toMatchObject({ type: 'reply', body: JSON.stringify('y'.repeat(2_000_000)) });
    expect(rig.receiver.requests[0]?.text).toBe(body);
  });

  test('tunnels are used again, one per connection', async () => {
    const client = through(proxy.url);
    for (let i = 0; i < 20; i += 1) {
      expect(await post(rig.receiver.url, true, client)).toMatchObject({ isConnectionReused: i > 0 });
    }
    expect(proxy.targets).toHaveLength(1);
    await Promise.all(Array.from({ length: 5 }, () => post(rig.receiver.url, true, client)));
    expect(proxy.targets).toHaveLength(5);
    expect(rig.receiver.connections.total).toBe(5);
    await client.close();
    await rig.receiver.waitForOpenConnections(0);
    await eventually(() => proxy.openTunnels === 0, { what: 'every tunnel is closed' });
  });

  test('private addresses and names that lead to them stay blocked, without a word to the proxy', async () => {
    const client = through(proxy.url, { egress: { ...open, allowPrivate: false } });
    for (const host of ['127.0.0.1', 'receiver.test']) {
      expect(await post(`http://${host}:${rig.receiver.port}/`, true, client)).toMatchObject({ type: 'blocked' });
    }
    const ports = through(proxy.url, { egress: { ...open, deniedPorts: [rig.receiver.port] } });
    expect(await post(rig.receiver.url, true, ports)).toMatchObject({ type: 'blocked' });
    expect(proxy.targets).toEqual([]);
  });

  test('a name that leads elsewhere at the second lookup is vetted again (DNS rebinding)', async () => {
    const egress = { allowPrivate: false, allowCidrs: ['127.0.0.2/32'], deniedPorts: [] };
    const far = await startReceiver({ host: '127.0.0.2' });
    rig.names.setAnswersInTurn('rebind.test', [['127.0.0.2'], ['127.0.0.1']]);
    const client = through(proxy.url, { egress, timeoutMs: 20_000 });
    expect(await post(`http://rebind.test:${far.port}/`, true, client)).toMatchObject({ type: 'reply', status: 200 });
    expect(proxy.targets).toEqual([`127.0.0.2:${far.port}`]);
    const later = through(proxy.url, { egress, timeoutMs: 20_000 });
    expect(await post(`http://rebind.test:${far.port}/`, true, later)).toMatchObject({ type: 'blocked' });
    await far.close();
  });

  test('if the proxy cannot reach the first address of a name, it is asked for the next one', async () => {
    rig.names.setName('two.test', ['127.0.0.9', '127.0.0.1']);
    const client = through(proxy.url);
    expect(await post(`http://two.test:${rig.receiver.port}/`, true, client)).toMatchObject({ type: 'reply' });
    expect(proxy.targets).toEqual([`127.0.0.9:${rig.receiver.port}`, `127.0.0.1:${rig.receiver.port}`]);
  });

  test('an IPv6 address is in brackets', async () => {
    rig.names.setName('six.test', ['2606:4700::1111']);
    proxy.setAction(() => ({ status: 502 }));
    await post('https://six.test/', true, through(proxy.url));
    expect(proxy.targets).toEqual(['[2606:4700::1111]:443']);
  });

  describe('is a failure of the receiver', () => {
    test.each([502, 503, 504, 403])('if the proxy answers %d', async (status) => {
      proxy.setAction(() => ({ status }));
      expect(await post(rig.receiver.url, true, through(proxy.url))).toMatchObject({
        type: 'unreachable',
        detail: `Mailhook's proxy could not connect (HTTP ${status})`,
        wasSent: false,
      });
    });

    test('if its port is closed', async () => {
      expect(await post(`http://127.0.0.1:${await freePort()}/`, true, through(proxy.url))).toMatchObject({
        type: 'unreachable',
        detail: "Mailhook's proxy could not connect (HTTP 502)",
      });
    });

    test.each(['silent', 'close'] as const)('if the proxy works, but answers with %s to CONNECT', async (action) => {
      proxy.setAction((target) => (target === '' ? 'open' : action));
      expect(await post(rig.receiver.url, true, through(proxy.url, { timeoutMs: SILENCE_MS }))).toMatchObject({
        type: 'unreachable',
        detail: "Mailhook's proxy could not connect",
      });
    });

    test('if it hangs behind the tunnel, under one deadline', async () => {
      rig.answering({ hang: 'reply' });
      const exchange = await post(rig.receiver.url, true, through(proxy.url, { timeoutMs: SILENCE_MS }));
      expect(exchange).toMatchObject({ type: 'timeout', wasSent: true });
      expect(exchange.durationMs).toBeGreaterThanOrEqual(SILENCE_MS);
      await rig.receiver.waitForOpenConnections(0);
    });

    test('if its TLS handshake hangs behind the tunnel', async () => {
      const quiet = await startQuietHost();
      expect(await post(quiet.url, true, through(proxy.url, { timeoutMs: SILENCE_MS }))).toMatchObject({
        type: 'unreachable',
        detail: 'TLS: the handshake did not end in time',
      });
      quiet.close();
    });
  });

  describe('is a local fault that names the proxy without its password', () => {
    const withPassword = (url: string) => url.replace('://', '://user:hunter2@');
    async function expectFault(url: string, detail: string, more = {}): Promise<void> {
      const exchange = await post(rig.receiver.url, true, through(withPassword(url), more));
      expect(exchange).toMatchObject({ type: 'local-fault', cause: 'proxy', detail, wasSent: false });
      expect(JSON.stringify(exchange)).not.toContain('hunter2');
      expect(rig.receiver.requests).toEqual([]);
    }

    test('if nobody listens at its port', async () => {
      const url = `http://127.0.0.1:${await freePort()}`;
      await expectFault(url, `the proxy ${url} cannot be reached (ECONNREFUSED)`);
    });

    test('if its name does not resolve', async () => {
      await expectFault('http://missing.test:3128', 'the proxy http://missing.test:3128 cannot be reached (ENOTFOUND)');
    });

    test('if its host does not accept', async () => {
      const deaf = await startDeafHost();
      const url = `http://127.0.0.1:${deaf.port}`;
      await expectFault(url, `the proxy ${url} cannot be reached (no connection in time)`, { timeoutMs: SILENCE_MS });
      deaf.close();
    });

    test('if it answers nothing at all', async () => {
      proxy.setAction(() => 'dead');
      await expectFault(proxy.url, `the proxy ${proxy.url} does not answer`, { timeoutMs: SILENCE_MS });
    });

    test.each([407, 401])('if it refuses the password with %d', async (status) => {
      proxy.setAction(() => ({ status }));
      await expectFault(
        proxy.url,
        `the proxy ${proxy.url} wants other credentials than those of EGRESS_PROXY_URL (${status})`,
      );
    });

    test('if its certificate is not trusted', async () => {
      const secure = await startConnectProxy({ tls: aCertificate({ name: 'proxy.test' }) });
      await expectFault(secure.url, `the proxy ${secure.url} cannot be reached (DEPTH_ZERO_SELF_SIGNED_CERT)`);
      await secure.close();
    });

    test('and requests work again when it is back', async () => {
      const port = await freePort();
      const client = through(`http://127.0.0.1:${port}`);
      expect(await post(rig.receiver.url, true, client)).toMatchObject({ type: 'local-fault', cause: 'proxy' });
      const back = await startConnectProxy({ port });
      expect(await post(rig.receiver.url, true, client)).toMatchObject({ type: 'reply', status: 200 });
      await back.close();
    });
  });

  test('a tunnel that breaks while idle is replaced', async () => {
    const client = through(proxy.url);
    await post(rig.receiver.url, true, client);
    const { port } = new URL(proxy.url);
    await proxy.close();
    await rig.receiver.waitForOpenConnections(0);
    proxy = await startConnectProxy({ port: Number(port) });
    await eventually(async () => (await post(rig.receiver.url, true, client)).type === 'reply', { what: 'a reply' });
    expect(proxy.targets).toHaveLength(1);
  });
});
