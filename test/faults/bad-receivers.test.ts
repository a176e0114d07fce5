import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { ReplyAction } from '@mailhook/testing';
import { aCampaignEvent, aCertificate, eventually, startReceiver, testRedisUrl, uniqueName } from '@mailhook/testing';
import type { Rig } from '../engine/rig.ts';
import { startRig } from '../engine/rig.ts';
import { startDoomedWorker } from './rig/doomed.ts';
import type { DoomedWorker } from './rig/doomed.ts';

const TEN_MEGABYTES = 10 * 1024 * 1024;
const ACKNOWLEDGED = /delivered|confirmed/;

/** A kind of bad reply, the receiver's action, and the error that the attempt log must show. */
const REPLIES: readonly (readonly [string, ReplyAction, RegExp])[] = [
  ['ten megabytes', { fillBytes: TEN_MEGABYTES }, /longer than 1048576 bytes/],
  ['a gzip bomb', { gzipBombBytes: 5 * TEN_MEGABYTES }, /longer than 1048576 bytes/],
  ['no HTTP', { rawBytes: 'SSH-2.0-OpenSSH_9.6\r\n' }, /HTTP|invalid/i],
  ['endless headers', { endlessHeaders: true }, /header|HTTP|deadline|in time|within/i],
  ['a web page', { body: '<html>welcome</html>', headers: { 'content-type': 'text/html' } }, /not a JSON array/],
  [
    'a wrong content type over a good-looking body',
    { body: '{"status":"ok"}', headers: { 'content-type': 'image/png' } },
    /not a JSON array/,
  ],
  ['half a body', { reset: 'body' }, /closed|reset|broke|lost|dropped/i],
  ['a redirect', { redirect: 'http://127.0.0.2/' }, /302/],
];

describe('misbehaving receivers, through the engine', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({ kind: 'campaign', scheduleMs: [3_600_000], timeoutMs: 10_000 });
    await rig.startWorker();
  });
  afterAll(() => rig.close());

  /** Sends a batch of one event to this address. Resolves with its row in the attempt log. */
  async function attemptAt(address: string) {
    const account = uniqueName('account');
    const destination = await rig.destination(account, address);
    await rig.publish([aCampaignEvent()], destination);
    return eventually(() => rig.attempts.find((attempt) => attempt.account === account), {
      withinMs: 20_000,
      what: `an attempt at ${address}`,
    });
  }

  test.each(REPLIES)(
    '%s: the attempt fails, the log names the reason, and the next event is not held up',
    async (_name, action, error) => {
      const receiver = await startReceiver({ reply: () => action });
      const attempt = await attemptAt(receiver.url);
      expect(attempt).toMatchObject({ status: 'failed', events: 1, attempt: 1, address: receiver.url });
      expect(String(attempt.error)).toMatch(error);
      expect(String(attempt.error)).not.toMatch(ACKNOWLEDGED);
      expect(attempt.nextAttemptAt).toBeDefined();
      await receiver.close();
    },
  );

  test('a reply that arrives before the request is a failure, with its status line', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end('HTTP/1.1 503 Busy\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const attempt = await attemptAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    expect(attempt.status).toBe('failed');
    expect(String(attempt.error)).toMatch(/it came before the request: HTTP\/1.1 503 Busy|closed|reset/i);
    server.close();
  });

  test('a certificate from an unknown authority', async () => {
    const receiver = await startReceiver({ tls: aCertificate({ name: 'receiver.test' }) });
    const attempt = await attemptAt(receiver.url);
    expect(attempt).toMatchObject({ status: 'failed' });
    expect(String(attempt.error)).toMatch(/certificate|TLS/i);
    expect(receiver.requests).toEqual([]);
    await receiver.close();
  });

  test('a name that does not resolve', async () => {
    const attempt = await attemptAt('http://no-such-name.invalid/');
    expect(attempt).toMatchObject({ status: 'failed' });
    expect(String(attempt.error)).toMatch(/resolve|unreachable|name/i);
  });
});

describe('the memory of a worker', () => {
  let worker: DoomedWorker | undefined;
  afterAll(() => worker?.kill());

  test('stays flat under ten-megabyte replies and gzip bombs', async () => {
    const rig = await startRig({ kind: 'campaign' });
    worker = await startDoomedWorker({
      kind: 'campaign',
      redisUrl: await testRedisUrl(),
      queuePrefix: rig.queuePrefix,
      scheduleMs: Array.from({ length: 40 }, () => 10),
    });
    const { pid } = worker;
    const flood = async (action: ReplyAction, requests: number): Promise<void> => {
      const receiver = await startReceiver({ reply: () => action });
      const destination = await rig.destination(uniqueName('account'), receiver.url);
      await rig.publish([aCampaignEvent()], destination);
      await receiver.waitForRequests(requests, 60_000);
      await receiver.close();
    };
    // The first replies warm the worker up: they allocate code, buffers and pools.
    await flood({ fillBytes: TEN_MEGABYTES }, 5);
    const before = residentMegabytes(pid);
    await flood({ fillBytes: TEN_MEGABYTES }, 20);
    await flood({ gzipBombBytes: 10 * TEN_MEGABYTES }, 10);
    // 20 replies of 10 MB and 10 of 100 MB have passed. A worker that kept them would hold more than a gigabyte.
    expect(residentMegabytes(pid) - before).toBeLessThan(100);
    worker.kill();
    await rig.close();
  }, 180_000);
});

function residentMegabytes(pid: number): number {
  return (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096) / 1_048_576;
}
