import { MAILHOOK_VERSION } from '@mailhook/core';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import type { ReplyAction } from '@mailhook/testing';
import { CAP_BYTES, SLACK_MS, TIMEOUT_MS, receiverClientRig } from './receiver-client-rig.suite.ts';

type Row = [string, ReplyAction, boolean, { type: string; [key: string]: unknown }];

describe('the receiver client', () => {
  const rig = receiverClientRig();
  const { create, post, answering } = rig;

  test('sends the body and the headers as they are', async () => {
    const exchange = await post(`${rig.receiver.url}/hook?a=b%20c#fragment`);
    expect(exchange).toMatchObject({ type: 'reply', status: 200, statusText: 'OK', retryAfter: undefined });
    const [request] = rig.receiver.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/hook?a=b%20c', text: '[{"ä":1}]' });
    expect(request?.headers).toMatchObject({
      'content-type': 'application/json;charset=UTF-8',
      'content-length': '10',
      'user-agent': `Mailhook/${MAILHOOK_VERSION}`,
      'webhook-id': 'w1',
      host: `127.0.0.1:${rig.receiver.port}`,
    });
  });

  test.each<Row>([
    [
      'a reply',
      { status: 201, statusText: 'Made', json: [1] },
      true,
      { type: 'reply', status: 201, statusText: 'Made', body: '[1]' },
    ],
    ['a reply without a needed body', { json: [1] }, false, { type: 'reply', status: 200, body: undefined }],
    ['an empty reply', { status: 204 }, true, { type: 'reply', status: 204, body: '' }],
    ['a byte order mark', { body: '\uFEFF[]' }, true, { type: 'reply', body: '[]' }],
    [
      'a refusal',
      { status: 503, headers: { 'retry-after': '7' }, body: 'x' },
      true,
      { type: 'reply', status: 503, retryAfter: '7', body: undefined },
    ],
    [
      'a refusal with two waits',
      { rawBytes: 'HTTP/1.1 529 Busy\r\nretry-after: 20\r\nRetry-After: 30\r\ncontent-length: 0\r\n\r\n' },
      true,
      { type: 'reply', status: 529, retryAfter: '20, 30' },
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
      { body: 'x', headers: { 'content-encoding': 'ZStd, x' } },
      true,
      { type: 'invalid-reply', detail: 'its Content-Encoding “ZStd, x” is unknown' },
    ],
    ...['utf-8', 'none', 'UTF-8, identity', 'zstd', '', 'gzip', 'br'].map((coding): Row => [
      `plain JSON as ${coding}`,
      { body: '\uFEFF[8]', headers: { 'content-encoding': coding } },
      true,
      { type: 'reply', body: '[8]' },
    ]),
    ...['gzip, identity', 'identity,gzip', 'utf-8, gzip', ', x-gzip ,'].map((coding): Row => [
      coding,
      { body: gzipSync('[9]'), headers: { 'content-encoding': coding } },
      true,
      { type: 'reply', body: '[9]' },
    ]),
    [
      'gzip in brotli',
      { body: brotliCompressSync(gzipSync('[10]')), headers: { 'content-encoding': 'gzip, br' } },
      true,
      { type: 'reply', body: '[10]' },
    ],
    [
      'many codings',
      { body: 'x', headers: { 'content-encoding': 'gzip,'.repeat(3000) } },
      true,
      { type: 'invalid-reply', detail: 'its Content-Encoding names too many codings' },
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
    ['an unneeded body over the cap', { fillBytes: 10_000_000 }, false, { type: 'reply', status: 200 }],
    [
      'no HTTP',
      { rawBytes: 'SSH-2.0-OpenSSH_9.2\r\n' },
      true,
      { type: 'invalid-reply', detail: 'it is not HTTP/1.1: it does not begin with HTTP/1.1' },
    ],
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
      { type: 'invalid-reply', detail: 'its headers are too long, or come in too many pieces' },
    ],
    [
      'a very long status line',
      { rawBytes: `HTTP/1.1 500 ${'x'.repeat(14_000)}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n` },
      true,
      { type: 'reply', status: 500, statusText: 'x'.repeat(100) },
    ],
    [
      'a status line with more than printable ASCII',
      {
        rawBytes: Buffer.from(
          'HTTP/1.1 500 \u{1F600} N\u00f6\tno\x7f\r\nconnection: close\r\ncontent-length: 0\r\n\r\n',
        ),
      },
      true,
      { type: 'reply', status: 500, statusText: expect.stringMatching(/^\?+ N\?+no\?$/) as string },
    ],
    [
      'returned headers that are too long',
      {
        rawBytes: `HTTP/1.1 503 Busy\r\nretry-after: ${'7'.repeat(9000)}\r\ncontent-type: ${'a'.repeat(5000)}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
      },
      true,
      { type: 'reply', status: 503, retryAfter: '7'.repeat(100), contentType: 'a'.repeat(100) },
    ],
    ['headers without end', { endlessHeaders: true }, true, { type: 'timeout' }],
    ['a cut body', { rawBytes: 'HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n[' }, true, { type: 'unreachable' }],
    ['a reset before the reply', { reset: 'reply' }, true, { type: 'unreachable', detail: 'connection reset' }],
    ['a reset in the body', { reset: 'body' }, true, { type: 'unreachable' }],
    ['a reset in an unneeded body', { reset: 'body' }, false, { type: 'reply', status: 200 }],
    ['silence', { hang: 'reply' }, true, { type: 'timeout' }],
    ['silence, no body needed', { hang: 'reply' }, false, { type: 'timeout' }],
    ['silence after the headers', { hang: 'body' }, true, { type: 'timeout' }],
    ['silence after the headers, no body needed', { hang: 'body' }, false, { type: 'reply', status: 200 }],
    ['a dripping body', { dripMs: 20, json: 'x'.repeat(500) }, true, { type: 'timeout' }],
    ['an unneeded dripping body', { dripMs: 20, json: 'x'.repeat(500) }, false, { type: 'reply', status: 200 }],
    ['a late reply', { delayMs: TIMEOUT_MS * 2, json: [] }, true, { type: 'timeout' }],
  ])('%s', async (_name, action, needsBody, expected) => {
    answering(action);
    const by = expected.type === 'timeout' ? rig.hasty : rig.client;
    const exchange = await post(rig.receiver.url, needsBody, by);
    expect(exchange).toMatchObject(expected);
    expect(exchange.durationMs).toBeLessThan(TIMEOUT_MS + SLACK_MS);
    if (exchange.type === 'timeout') expect(exchange.durationMs).toBeGreaterThanOrEqual(TIMEOUT_MS - 2);
    expect(by.pending).toBe(0);
    // After any reply, the next request works, and its socket is the only open one.
    answering({ json: [] });
    expect(await post(rig.receiver.url, needsBody)).toMatchObject({ type: 'reply', status: 200 });
    await rig.receiver.waitForOpenConnections(1);
  });

  test('a socket is used again after a reply with an unneeded body', async () => {
    answering({ json: { padding: 'x'.repeat(1000) } });
    for (let number = 0; number < 5; number += 1) await post(rig.receiver.url, number % 2 === 0);
    expect(rig.receiver.requests).toHaveLength(5);
    expect(rig.receiver.connections.total).toBe(1);
  });

  test('a hanging receiver does not delay another one on the same host', async () => {
    rig.receiver.setReply((request) => (request.path === '/hang' ? { hang: 'reply' } : { json: [] }));
    const patient = create({ timeoutMs: 2000 });
    const hanging = Array.from({ length: 200 }, () => post(`${rig.receiver.url}/hang`, true, patient));
    await rig.receiver.waitForRequests(200);
    const exchange = await post(`${rig.receiver.url}/fine`, true, patient);
    expect(exchange).toMatchObject({ type: 'reply', status: 200 });
    expect(patient.pending).toBe(200);
    expect((await Promise.all(hanging)).every(({ type }) => type === 'timeout')).toBe(true);
    await rig.receiver.waitForOpenConnections(1);
    await patient.close();
    await rig.receiver.waitForOpenConnections(0);
  });

  test('replies of ten megabytes and gzip bombs leave memory flat', async () => {
    let peakBytes = 0;
    const sampler = setInterval(() => (peakBytes = Math.max(peakBytes, process.memoryUsage().arrayBuffers)), 5);
    const patient = create({ timeoutMs: 20_000 });
    const before = process.memoryUsage().arrayBuffers;
    for (const action of [{ fillBytes: 10_000_000 }, { gzipBombBytes: 10_000_000 }]) {
      answering(action);
      const exchanges = await Promise.all(
        Array.from({ length: 30 }, (_one, index) => post(rig.receiver.url, index % 3 > 0, patient)),
      );
      expect(exchanges.filter(({ type }) => type === 'invalid-reply')).toHaveLength(20);
      expect(exchanges.filter(({ type }) => type === 'reply')).toHaveLength(10);
    }
    clearInterval(sampler);
    await patient.close();
    expect(peakBytes - before).toBeLessThan(60_000_000);
  });
});
