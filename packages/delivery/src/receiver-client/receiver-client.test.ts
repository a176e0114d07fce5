import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { FakeNameServer, FakeReceiver, ReplyAction } from '@mailhook/testing';
import { aCertificate, freePort, startNameServer, startReceiver } from '@mailhook/testing';
import type { ReceiverClient } from '../ports.ts';
import { createReceiverClient } from './receiver-client.ts';

const CAP_BYTES = 64 * 1024;
const TIMEOUT_MS = 400;
/** What a busy machine may add to a deadline. */
const SLACK_MS = 1500;
const open = { allowPrivate: true, allowCidrs: [], deniedPorts: [] };

describe('the receiver client', () => {
  let receiver: FakeReceiver;
  let names: FakeNameServer;
  let client: ReceiverClient;
  /** Only for what is to run into the deadline: the machine may be busy. */
  let hasty: ReceiverClient;

  beforeAll(async () => {
    names = await startNameServer();
    names.setName('receiver.test', ['127.0.0.1']);
  });
  beforeEach(async () => {
    receiver = await startReceiver();
    client = create();
    hasty = create({ timeoutMs: TIMEOUT_MS });
  });
  afterEach(async () => {
    await Promise.all([client.close(), hasty.close()]);
    await receiver.close();
  });
  afterAll(() => names.close());

  const create = (more: Partial<Parameters<typeof createReceiverClient>[0]> = {}): ReceiverClient =>
    createReceiverClient({
      timeoutMs: 10_000,
      replyCapBytes: CAP_BYTES,
      egress: open,
      version: '1.2.3',
      nameServers: [names.address],
      ...more,
    });
  const post = (address: string, needsBody = true, by = client) =>
    by.post({ address, body: '[{"ä":1}]', headers: { 'webhook-id': 'w1' }, needsBody });
  const answering = (action: ReplyAction): void => receiver.setReply(() => action);

  test('sends the body and the headers as they are', async () => {
    const exchange = await post(`${receiver.url}/hook?a=b%20c#fragment`);
    expect(exchange).toMatchObject({ type: 'reply', status: 200, statusText: 'OK', retryAfter: undefined });
    const [request] = receiver.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/hook?a=b%20c', text: '[{"ä":1}]' });
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json;charset=UTF-8',
      'content-length': '10',
      'user-agent': 'Mailhook/1.2.3',
      'webhook-id': 'w1',
      host: `127.0.0.1:${receiver.port}`,
    });
  });

  test.each<[string, ReplyAction, boolean, { type: string; [key: string]: unknown }]>([
    [
      'a reply',
      { status: 201, statusText: 'Made', json: [1] },
      true,
      { type: 'reply', status: 201, statusText: 'Made', body: '[1]' },
    ],
    ['a reply nobody needs to read', { json: [1] }, false, { type: 'reply', status: 200, body: undefined }],
    ['an empty reply', { status: 204 }, true, { type: 'reply', status: 204, body: '' }],
    ['a byte order mark', { body: '\uFEFF[]' }, true, { type: 'reply', body: '[]' }],
    [
      'a refusal',
      { status: 503, headers: { 'retry-after': '7' }, body: 'x' },
      true,
      { type: 'reply', status: 503, retryAfter: '7', body: undefined },
    ],
    ['a redirect', { redirect: 'http://127.0.0.1:1/' }, true, { type: 'reply', status: 302 }],
    ['gzip', { body: gzipSync('[2]'), headers: { 'content-encoding': 'gzip' } }, true, { type: 'reply', body: '[2]' }],
    [
      'deflate',
      { body: deflateSync('[3]'), headers: { 'content-encoding': 'deflate' } },
      true,
      { type: 'reply', body: '[3]' },
    ],
    [
      'bare deflate',
      { body: deflateRawSync('[4]'), headers: { 'content-encoding': 'deflate' } },
      true,
      { type: 'reply', body: '[4]' },
    ],
    [
      'brotli',
      { body: brotliCompressSync('[5]'), headers: { 'content-encoding': 'br' } },
      true,
      { type: 'reply', body: '[5]' },
    ],
    ['no length, ended by closing', { rawBytes: 'HTTP/1.0 200 OK\r\n\r\n[6]' }, true, { type: 'reply', body: '[6]' }],
    [
      'an early hint first',
      {
        rawBytes:
          'HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 3\r\n\r\n[7]',
      },
      true,
      { type: 'reply', status: 200, body: '[7]' },
    ],
    [
      'half a gzip body',
      { body: gzipSync('[2]'.repeat(99)).subarray(0, 20), headers: { 'content-encoding': 'gzip' } },
      true,
      { type: 'invalid-reply', detail: 'its body cannot be decompressed' },
    ],
    [
      'an unknown encoding',
      { body: 'x', headers: { 'content-encoding': 'zstd' } },
      true,
      { type: 'invalid-reply', detail: 'its Content-Encoding is unknown' },
    ],
    [
      'a gzip bomb',
      { gzipBombBytes: 3_000_000 },
      true,
      { type: 'invalid-reply', detail: `its body is longer than ${CAP_BYTES} bytes` },
    ],
    [
      'a body over the cap',
      { fillBytes: 10_000_000 },
      true,
      { type: 'invalid-reply', detail: `its body is longer than ${CAP_BYTES} bytes` },
    ],
    ['a body over the cap that nobody needs', { fillBytes: 10_000_000 }, false, { type: 'reply', status: 200 }],
    ['no HTTP', { rawBytes: 'SSH-2.0-OpenSSH_9.2\r\n' }, true, { type: 'invalid-reply', detail: 'it is not HTTP/1.1' }],
    [
      'an upgrade',
      { rawBytes: 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n' },
      true,
      { type: 'invalid-reply' },
    ],
    [
      'headers over the limit',
      { rawBytes: `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(20_000)}\r\n\r\n` },
      true,
      { type: 'invalid-reply', detail: 'its headers are too long' },
    ],
    ['headers without end', { endlessHeaders: true }, true, { type: 'timeout' }],
    ['a cut body', { rawBytes: 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n[' }, true, { type: 'unreachable' }],
    ['a reset before the reply', { reset: 'reply' }, true, { type: 'unreachable', detail: 'connection reset' }],
    ['a reset in the body', { reset: 'body' }, true, { type: 'unreachable' }],
    ['a reset in a body that nobody needs', { reset: 'body' }, false, { type: 'reply', status: 200 }],
    ['silence', { hang: 'reply' }, true, { type: 'timeout' }],
    ['silence, no body needed', { hang: 'reply' }, false, { type: 'timeout' }],
    ['silence after the headers', { hang: 'body' }, true, { type: 'timeout' }],
    ['silence after the headers, no body needed', { hang: 'body' }, false, { type: 'reply', status: 200 }],
    ['a dripping body', { dripMs: 20, json: 'x'.repeat(500) }, true, { type: 'timeout' }],
    ['a dripping body that nobody needs', { dripMs: 20, json: 'x'.repeat(500) }, false, { type: 'reply', status: 200 }],
    ['a late reply', { delayMs: TIMEOUT_MS * 2, json: [] }, true, { type: 'timeout' }],
  ])('%s', async (_name, action, needsBody, expected) => {
    answering(action);
    const by = expected.type === 'timeout' ? hasty : client;
    const exchange = await post(receiver.url, needsBody, by);
    expect(exchange).toMatchObject(expected);
    expect(exchange.durationMs).toBeLessThan(TIMEOUT_MS + SLACK_MS);
    if (exchange.type === 'timeout') expect(exchange.durationMs).toBeGreaterThanOrEqual(TIMEOUT_MS - 2);
    expect(by.pending).toBe(0);
    // Whatever came, the next request works, and its socket is the only one left.
    answering({ json: [] });
    expect(await post(receiver.url, needsBody)).toMatchObject({ type: 'reply', status: 200 });
    await receiver.waitForOpenConnections(1);
  });

  test('a socket is used again after a reply that nobody needed to read', async () => {
    answering({ json: { padding: 'x'.repeat(1000) } });
    for (let number = 0; number < 5; number += 1) await post(receiver.url, number % 2 === 0);
    expect(receiver.requests).toHaveLength(5);
    expect(receiver.connections.total).toBe(1);
  });

  test('a hanging customer does not hold up another one on the same host', async () => {
    receiver.setReply((request) => (request.path === '/hang' ? { hang: 'reply' } : { json: [] }));
    const patient = create({ timeoutMs: 2000 });
    const hanging = Array.from({ length: 200 }, () => post(`${receiver.url}/hang`, true, patient));
    await receiver.waitForRequests(200);
    const exchange = await post(`${receiver.url}/fine`, true, patient);
    expect(exchange).toMatchObject({ type: 'reply', status: 200 });
    expect(patient.pending).toBe(200);
    expect((await Promise.all(hanging)).every(({ type }) => type === 'timeout')).toBe(true);
    await receiver.waitForOpenConnections(1);
    await patient.close();
    await receiver.waitForOpenConnections(0);
  });

  test('replies of ten megabytes and gzip bombs leave memory flat', async () => {
    let peakBytes = 0;
    const sampler = setInterval(() => (peakBytes = Math.max(peakBytes, process.memoryUsage().arrayBuffers)), 5);
    const patient = create({ timeoutMs: 20_000 });
    const before = process.memoryUsage().arrayBuffers;
    for (const action of [{ fillBytes: 10_000_000 }, { gzipBombBytes: 10_000_000 }]) {
      answering(action);
      const exchanges = await Promise.all(
        Array.from({ length: 30 }, (_one, index) => post(receiver.url, index % 3 > 0, patient)),
      );
      expect(exchanges.filter(({ type }) => type === 'invalid-reply')).toHaveLength(20);
      expect(exchanges.filter(({ type }) => type === 'reply')).toHaveLength(10);
    }
    clearInterval(sampler);
    await patient.close();
    expect(peakBytes - before).toBeLessThan(60_000_000);
  });

  describe('without a connection', () => {
    test('a closed port', async () => {
      const exchange = await post(`http://127.0.0.1:${await freePort()}/`);
      expect(exchange).toMatchObject({ type: 'unreachable', detail: 'connection refused' });
    });

    test('a name that does not resolve', async () => {
      expect(await post('http://missing.test/')).toMatchObject({
        type: 'unreachable',
        detail: 'the name does not resolve',
      });
    });

    test('a name that resolves', async () => {
      expect(await post(`http://receiver.test:${receiver.port}/`)).toMatchObject({ type: 'reply', status: 200 });
      expect(receiver.requests[0]?.headers.host).toBe(`receiver.test:${receiver.port}`);
    });

    test('the look-up counts in the deadline', async () => {
      names.setName('silent.test', 'silent');
      const exchange = await post('http://silent.test/', true, hasty);
      expect(['timeout', 'unreachable']).toContain(exchange.type);
      expect(exchange.durationMs).toBeLessThan(TIMEOUT_MS + SLACK_MS);
    });

    test('a blocked address, before anything is sent', async () => {
      const guarded = create({ egress: { ...open, allowPrivate: false } });
      expect(await post(receiver.url, true, guarded)).toMatchObject({
        type: 'blocked',
        detail: '127.0.0.1 is a loopback address',
      });
      expect(await post(`http://receiver.test:${receiver.port}/`, false, guarded)).toMatchObject({
        type: 'blocked',
        detail: 'receiver.test resolves to a loopback address',
      });
      expect(await post('ftp://example.com/', true, guarded)).toMatchObject({ type: 'blocked' });
      expect(receiver.connections.total).toBe(0);
      await guarded.close();
    });

    test('a handshake that never comes', async () => {
      const sockets = new Set<{ destroyed: boolean; destroy: () => void }>();
      const server = createServer((socket) => sockets.add(socket.on('error', () => undefined).resume()));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const exchange = await post(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`, true, hasty);
      expect(exchange).toMatchObject({ type: 'timeout' });
      expect(sockets.size).toBe(1);
      for (const socket of sockets) socket.destroy();
      server.close();
    });

    test('a host that does not accept', async () => {
      // A stopped process whose backlog is full: the kernel drops what else wants to connect.
      const script =
        "require('net').createServer().listen({port: 0, host: '127.0.0.1', backlog: 1}, function () { console.log(this.address().port) })";
      const deaf = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
      const fillers: Socket[] = [];
      try {
        const [line] = (await once(deaf.stdout, 'data')) as [Buffer];
        deaf.kill('SIGSTOP');
        const port = Number(line.toString());
        for (let number = 0; number < 8; number += 1)
          fillers.push(connect(port, '127.0.0.1').on('error', () => undefined));
        await once(fillers[0]!, 'connect');
        const exchange = await post(`http://127.0.0.1:${port}/`, true, hasty);
        expect(exchange).toMatchObject({ type: 'timeout' });
        expect(exchange.durationMs).toBeLessThan(TIMEOUT_MS + SLACK_MS);
      } finally {
        for (const filler of fillers) filler.destroy();
        deaf.kill('SIGKILL');
      }
    });
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
      expect(await post(`https://receiver.test:${receiver.port}/`)).toMatchObject({
        type: 'unreachable',
        detail: 'TLS: the handshake failed',
      });
    });
  });
});
