import { gzipSync } from 'node:zlib';
import type { ReplyAction } from '@mailhook/testing';
import type { ReceiverClient } from './receiver-client.ts';
import { IDENTITY, open, receiverClientRig, TIMEOUT_MS } from './receiver-client-rig.suite.ts';

const KEPT = 16;

describe('the kept start of a reply', () => {
  const rig = receiverClientRig();
  let client: ReceiverClient;
  beforeEach(() => {
    client = rig.create({ replyExcerptBytes: KEPT });
  });
  afterEach(() => client.close());

  const received = async (action: ReplyAction, by = client) => {
    rig.answering(action);
    const exchange = await rig.post(rig.receiver.url, true, by);
    const { received: kept, wasSent } = exchange;
    expect(wasSent).toBe(true);
    return { type: exchange.type, ...kept, body: kept && Buffer.from(kept.body).toString('latin1') };
  };

  test.each<[string, ReplyAction, object]>([
    ['a short body', { status: 500, body: 'oops' }, { status: 500, body: 'oops', isWhole: true }],
    ['no body', { status: 503 }, { body: '', isWhole: true }],
    ['exactly the limit', { status: 500, body: 'x'.repeat(KEPT) }, { body: 'x'.repeat(KEPT), isWhole: true }],
    ['a long body', { status: 500, body: 'x'.repeat(KEPT + 1) }, { body: 'x'.repeat(KEPT), isWhole: false }],
    ['a huge body', { status: 500, fillBytes: 10_000_000 }, { type: 'reply', isWhole: false }],
    [
      'a body of a wanted reply',
      { body: 'Notice: x' },
      { type: 'reply', status: 200, body: 'Notice: x', isWhole: true },
    ],
    ['a wanted reply that is too long', { fillBytes: 1_000_000 }, { type: 'invalid-reply', body: ' '.repeat(KEPT) }],
    ['binary', { status: 500, body: Buffer.from([0, 255, 27]) }, { body: '\0\xff\x1b', isWhole: true }],
    ['a redirect', { redirect: 'http://127.0.0.1:1/' }, { headers: { location: 'http://127.0.0.1:1/' } }],
    ['no HTTP', { rawBytes: 'SSH-2.0\r\n' }, { type: 'invalid-reply', body: undefined }],
    [
      'a thousand headers',
      { rawBytes: `HTTP/1.1 500 X\r\n${'a: b\r\n'.repeat(1000)}server: ${'s'.repeat(8000)}\r\n\r\nend` },
      { status: 500, headers: { server: 's'.repeat(8000) }, body: 'end' },
    ],
  ])('%s', async (_what, action, expected) => {
    expect(await received(action)).toMatchObject(expected);
  });

  test('a body that does not come delays nothing, and a late one is a timeout with its status', async () => {
    expect(await received({ status: 500, hang: 'body' })).toMatchObject({ type: 'reply', status: 500, isWhole: false });
    const hasty = rig.create({ replyExcerptBytes: KEPT, timeoutMs: TIMEOUT_MS });
    expect(await received({ hang: 'body' }, hasty)).toMatchObject({ type: 'timeout', status: 200, isWhole: false });
    await hasty.close();
  });

  test('a web page that counts as delivered shows its start', async () => {
    const page = { headers: { 'content-type': 'text/html' }, body: '<p>Log in' };
    rig.answering(page);
    expect((await rig.post(rig.receiver.url, false, client)).received).toMatchObject({ body: Buffer.from(page.body) });
  });

  test('a socket is used again after it', async () => {
    for (let i = 0; i < 5; i += 1)
      expect(await received({ status: 500, body: 'oops' })).toMatchObject({ body: 'oops' });
    expect(rig.receiver.connections.total).toBe(1);
  });

  test('by default nothing is kept', async () => {
    expect(await received({ status: 500, body: 'oops' }, rig.client)).toEqual({ type: 'reply', body: undefined });
  });

  test('nothing was sent to a blocked address, and without a connection', async () => {
    const guarded = rig.create({ replyExcerptBytes: KEPT, egress: { ...open, allowPrivate: false } });
    const none = { wasSent: false, received: undefined };
    expect(await rig.post(rig.receiver.url, true, guarded)).toMatchObject({ type: 'blocked', ...none });
    expect(await rig.post('http://127.0.0.1:1/', true, client)).toMatchObject({ type: 'unreachable', ...none });
    expect(rig.receiver.requests).toEqual([]);
    await guarded.close();
  });

  describe('with readsStart', () => {
    const start = async (action: ReplyAction, by = client) => {
      rig.answering(action);
      return by.post({ address: rig.receiver.url, body: '{}', ...IDENTITY, needsBody: false, readsStart: true });
    };
    const page = '<!doctype html><title>Robot Challenge Screen</title>';

    test.each<[string, ReplyAction, object]>([
      ['a page', { status: 202, body: page, headers: { 'sg-captcha': 'challenge' } }, { challenge: 'sg-captcha' }],
      ['a page without a length', { rawBytes: `HTTP/1.1 202 OK\r\n\r\n${page}` }, {}],
      ['a compressed page', { status: 202, body: gzipSync(page), headers: { 'content-encoding': 'gzip' } }, {}],
      [
        'a refusal',
        { status: 202, body: page, headers: { 'cf-mitigated': 'challenge' } },
        { challenge: 'cf-mitigated' },
      ],
    ])('the body of %s is there although the status decides', async (_what, action, more) => {
      expect(await start(action, rig.client)).toMatchObject({ type: 'reply', status: 202, body: page, ...more });
    });

    test('the kept start is that of the body', async () => {
      const { received: kept } = await start({ status: 202, body: page });
      expect(kept).toMatchObject({ status: 202, isWhole: false });
      expect(String(kept?.body)).toBe(page.slice(0, KEPT));
    });

    test.each<[string, ReplyAction, string | undefined]>([
      ['that does not come', { status: 202, hang: 'body' }, '['],
      ['that is empty', { status: 202 }, ''],
      ['that is cut', { rawBytes: 'HTTP/1.1 202 OK\r\ncontent-length: 9\r\n\r\nabc' }, 'abc'],
      ['that is too long', { status: 202, fillBytes: 1_000_000 }, expect.stringMatching(/^ +$/) as string],
    ])('a body %s changes no result', async (_what, action, body) => {
      const exchange = await start(action);
      expect(exchange).toMatchObject({ type: 'reply', status: 202 });
      expect(Reflect.get(exchange, 'body')).toEqual(body);
    });
  });
});
