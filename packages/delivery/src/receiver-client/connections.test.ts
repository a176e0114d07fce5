import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { aCertificate, freePort, startDeafHost, startReceiver } from '@mailhook/testing';
import { SLACK_MS, TIMEOUT_MS, open, receiverClientRig } from './receiver-client-rig.suite.ts';

describe('the receiver client', () => {
  const rig = receiverClientRig();
  const { create, post } = rig;

  describe('without a connection', () => {
    test('a closed port', async () => {
      const exchange = await post(`http://127.0.0.1:${await freePort()}/`);
      expect(exchange).toMatchObject({ type: 'unreachable', detail: 'connection refused' });
    });

    test('a name that does not resolve', async () => {
      expect(await post('http://missing.test/')).toMatchObject({
        type: 'unreachable',
        detail: 'the name does not resolve to an address that Mailhook may call',
      });
    });

    test('a name that resolves', async () => {
      expect(await post(`http://receiver.test:${rig.receiver.port}/`)).toMatchObject({ type: 'reply', status: 200 });
      expect(rig.receiver.requests[0]?.headers.host).toBe(`receiver.test:${rig.receiver.port}`);
    });

    test('a lookup without an answer ends before the deadline', async () => {
      rig.names.setName('silent.test', 'silent');
      const patient = create({ timeoutMs: 3000 });
      // At the deadline the detail would be that no connection was made.
      expect(await post('http://silent.test/', true, patient)).toMatchObject({
        type: 'unreachable',
        detail: 'the name server did not answer',
      });
      await patient.close();
    });

    test('a blocked address, before anything is sent', async () => {
      const guarded = create({ egress: { ...open, allowPrivate: false } });
      expect(await post(rig.receiver.url, true, guarded)).toMatchObject({
        type: 'blocked',
        detail: '127.0.0.1 is a loopback address',
      });
      expect(await post(`http://receiver.test:${rig.receiver.port}/`, false, guarded)).toMatchObject({
        type: 'blocked',
        detail: 'the name does not resolve to an address that Mailhook may call',
      });
      expect(await post('ftp://example.com/', true, guarded)).toMatchObject({ type: 'blocked' });
      expect(rig.receiver.connections.total).toBe(0);
      await guarded.close();
    });

    test('a handshake that never comes', async () => {
      const sockets = new Set<{ destroyed: boolean; destroy: () => void }>();
      const server = createServer((socket) => sockets.add(socket.on('error', () => undefined).resume()));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const exchange = await post(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`, true, rig.hasty);
      expect(exchange).toMatchObject({ type: 'unreachable', detail: 'TLS: the handshake did not end in time' });
      expect(sockets.size).toBe(1);
      for (const socket of sockets) socket.destroy();
      server.close();
    });

    test('a host that does not accept', async () => {
      const deaf = await startDeafHost();
      const exchange = await post(`http://127.0.0.1:${deaf.port}/`, true, rig.hasty);
      expect(exchange).toMatchObject({ type: 'unreachable', detail: 'no connection was made in time' });
      expect(exchange.durationMs).toBeLessThan(TIMEOUT_MS + SLACK_MS);
      deaf.close();
    });
  });

  test('at the limit of connections, the one that has been idle longest makes room', async () => {
    const receivers = await Promise.all(Array.from({ length: 3 }, () => startReceiver()));
    const [a, b, c] = receivers.map(({ url }) => url) as [string, string, string];
    const limited = create({ connectionsMax: 2 });
    const isReused = async (url: string) => (await post(url, true, limited)).isConnectionReused;
    expect(await isReused(a)).toBe(false);
    expect(await isReused(b)).toBe(false);
    expect(await isReused(a)).toBe(true);
    expect(await isReused(c)).toBe(false);
    expect(await isReused(a)).toBe(true);
    await limited.close();
    await Promise.all(receivers.map((receiver) => receiver.close()));
  });

  describe('over TLS', () => {
    test.each([
      ['a trusted certificate', {}, true, { type: 'reply', status: 200 }],
      ['a self-signed certificate', {}, false, { type: 'unreachable', detail: 'TLS: the certificate is self-signed' }],
      [
        'an expired certificate',
        { notAfter: new Date(Date.now() - 1000) },
        true,
        { type: 'unreachable', detail: 'TLS: the certificate has expired' },
      ],
      [
        'a certificate that is not valid yet',
        { notBefore: new Date(Date.now() + 3_600_000) },
        true,
        { type: 'unreachable', detail: 'TLS: the certificate is not valid yet' },
      ],
      [
        'another name',
        { name: 'other.test' },
        true,
        { type: 'unreachable', detail: 'TLS: the certificate is for another name' },
      ],
    ])('%s', async (_name, certificate, isTrusted, expected) => {
      const tls = aCertificate({ name: 'receiver.test', ...certificate });
      const secure = await startReceiver({ tls });
      const trusting = create({ timeoutMs: 3000, ...(isTrusted ? { ca: tls.cert } : {}) });
      expect(await post(`https://receiver.test:${secure.port}/`, true, trusting)).toMatchObject(expected);
      await trusting.close();
      await secure.close();
    });

    test('plain HTTP at an https address', async () => {
      expect(await post(`https://receiver.test:${rig.receiver.port}/`)).toMatchObject({
        type: 'unreachable',
        detail: 'TLS: the server does not speak TLS on this port',
      });
    });
  });
});
