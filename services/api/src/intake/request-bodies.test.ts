import { gzipSync } from 'node:zlib';
import { anOpen } from '@mailhook/testing';
import { PRODUCER_TOKEN, startApi } from '../api-rig.suite.ts';
import type { ApiRig } from '../api-rig.suite.ts';

const MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const MIB = 1024 * 1024;

describe('bodies of POST /v3/events as other software sends them', () => {
  let api: ApiRig;
  let account: string;
  beforeAll(async () => {
    api = await startApi();
    account = (await api.newAccount()).id;
  });
  afterAll(() => api.close());

  const event = (messageId = 'm') => JSON.stringify(anOpen({ account, messageId }));
  const send = async (body: Buffer | string, type = 'application/json', headers: Record<string, string> = {}) => {
    const skip = headers['on-error'] === 'skip' ? '?onError=skip' : '';
    const reply = await fetch(`${api.baseUrl}/v3/events${skip}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${PRODUCER_TOKEN}`, 'content-type': type, ...headers },
      body,
    });
    return { status: reply.status, headers: reply.headers, body: (await reply.json()) as Record<string, unknown> };
  };
  const sendLines = (body: Buffer | string, onError = 'reject') =>
    send(body, 'application/x-ndjson', { 'on-error': onError });
  const accepted = (count: number) => expect.objectContaining({ accepted: count }) as object;

  describe('a byte order mark at the start is ignored', () => {
    it.each([
      ['an object', () => event(), 1],
      ['an array', () => `[${event()},${event()}]`, 2],
      ['a large array', () => `[${Array.from({ length: 2000 }, () => event()).join()}]`, 2000],
    ] as const)('before %s', async (_what, text, count) => {
      expect(await send(Buffer.concat([MARK, Buffer.from(text())]))).toMatchObject({
        status: 202,
        body: accepted(count),
      });
    });

    it.each(['reject', 'skip'])('before lines, with onError=%s', async (onError) => {
      for (const end of ['\n', '\r\n']) {
        const body = Buffer.concat([MARK, Buffer.from([event(), event(), ''].join(end))]);
        const reply = await sendLines(body, onError);
        expect(reply).toMatchObject({ status: 202, body: accepted(2) });
        expect(reply.body['rejected'] ?? []).toEqual([]);
      }
    });

    it('before a blank first line, which still counts', async () => {
      const reply = await sendLines(Buffer.concat([MARK, Buffer.from(`\n${event()}\n{`)]));
      expect(reply.body['detail']).toBe('Line 3 (index 2) is not valid JSON: it ends too early.');
    });

    it('but not elsewhere', async () => {
      expect((await send(`\ufeff\ufeff${event()}`)).status).toBe(400);
    });
  });

  describe('a byte that is not UTF-8', () => {
    const lines = () =>
      Buffer.from([event('one'), event('t\u{fffd}o').replace('\u{fffd}', '~'), event('three')].join('\n'));
    const broken = () => {
      const body = lines();
      body[body.indexOf('~')] = 0xfc;
      return body;
    };
    const at = () => lines().indexOf('~') - lines().indexOf('\n') - 1;

    it('rejects only its line with onError=skip', async () => {
      const reply = await sendLines(broken(), 'skip');
      expect(reply).toMatchObject({ status: 202, body: accepted(2) });
      expect(reply.body['rejected']).toEqual([
        { index: 1, code: 'malformed_json', detail: `Line 2 (index 1) is not valid UTF-8: see byte ${at()}.` },
      ]);
    });

    it('is named with its line', async () => {
      const reply = await sendLines(broken());
      expect([reply.status, reply.body['detail']]).toEqual([
        400,
        `Line 2 (index 1) is not valid UTF-8: see byte ${at()}.`,
      ]);
    });

    it.each([
      [[0xfc], 1],
      [[0xc3, 0xa4, 0xff], 3],
      [[0xe2, 0x82], 1],
      [[0xf0, 0x9f, 0x98], 1],
      [[0xed, 0xa0, 0x80], 1],
    ])('is named with its position in JSON: %j', async (bytes, position) => {
      const body = Buffer.concat([Buffer.from('"'), Buffer.from(bytes), Buffer.from(`","${'x'.repeat(40)}"`)]);
      const reply = await send(body);
      expect([reply.status, reply.body['detail']]).toEqual([
        400,
        `The request body is not valid UTF-8: see byte ${position}.`,
      ]);
    });
  });

  it.each([
    ['[1,]', 'see position 3, where "]" cannot stand'],
    ['{"a":anna@example.com}', 'see position 5, where "a" cannot stand'],
    ['[{"account":1}', 'it ends too early'],
    ['', 'it ends too early'],
  ])('names the position of what is not JSON: %j', async (text, where) => {
    const reply = await send(text);
    expect([reply.status, reply.body['detail']]).toEqual([400, `The request body is not valid JSON: ${where}.`]);
  });

  it.each([
    ['null', 'the body must be an event, or an array of events, not null'],
    ['{"events":[{}]}', 'events is not a field of an event: send the array itself as the body'],
    ['[null]', 'events[0] must be a JSON object, not null'],
    [
      '[null,null,null,[],7]',
      'events[0] must be a JSON object, not null; events[1] must be a JSON object, not null; ' +
        'events[2] must be a JSON object, not null; and 2 more',
    ],
    [
      `[${JSON.stringify({ ...anOpen({ account: 'a', messageId: '' }), time: '2026-01-31' })}]`,
      'events[0].time must be Unix time in seconds such as 1767225600, not "2026-01-31"; ' +
        'events[0].messageId must not be empty',
    ],
  ])('names what it found in place of events: %j', async (text, detail) => {
    const reply = await send(text);
    expect([reply.status, reply.body['detail']]).toEqual([422, detail]);
  });

  it.each([
    [{ 'content-type': 'text/plain' }, 'Content-Type: text/plain.'],
    [{ 'content-type': '' }, 'no Content-Type.'],
    [{ 'content-encoding': 'br' }, 'Content-Type: application/json and Content-Encoding: br.'],
  ])('says how a body of another kind was sent: %j', async (headers, said) => {
    const reply = await send(event(), undefined, headers);
    expect([reply.status, reply.body['detail']]).toEqual([415, expect.stringMatching(`This request has ${said}$`)]);
  });

  describe('compressed with gzip', () => {
    const gzip = { 'content-encoding': 'gzip' };

    it.each(['gzip', 'GZIP', 'x-gzip'])('is accepted with Content-Encoding: %s', async (encoding) => {
      const headers = { 'content-encoding': encoding };
      expect(await send(gzipSync(`[${event()},${event()}]`), undefined, headers)).toMatchObject({ body: accepted(2) });
      const lines = gzipSync(Buffer.concat([MARK, Buffer.from(`${event()}\n${event()}`)]));
      expect(await send(lines, 'application/x-ndjson', headers)).toMatchObject({ body: accepted(2) });
    });

    it('may have several parts', async () => {
      const body = Buffer.concat([gzipSync('['), gzipSync(event()), gzipSync(']')]);
      expect(await send(body, undefined, gzip)).toMatchObject({ body: accepted(1) });
    });

    it('has at most 16 MiB when it is unpacked', async () => {
      const padded = (bytes: number) => gzipSync(event().padEnd(bytes, ' '));
      expect((await send(padded(16 * MIB - 20_000), undefined, gzip)).status).toBe(202);
      const refused = await send(padded(16 * MIB + 1), undefined, gzip);
      expect([refused.status, refused.body['detail']]).toEqual([
        413,
        expect.stringContaining(' after it is unpacked. '),
      ]);
      const plain = await send(event().padEnd(16 * MIB + 1, ' '));
      expect([plain.status, plain.body['detail']]).toEqual([
        413,
        'The request body is larger than 16 MiB. Send less data per request.',
      ]);
    });

    it.each([
      ['without its header', gzipSync(event()), {}],
      ['twice', gzipSync(gzipSync(event())), gzip],
    ])('is named when it comes %s', async (_what, body, headers) => {
      const said = 'The request body is gzip data: compress it once, and send it with Content-Encoding: gzip.';
      for (const type of ['application/json', 'application/x-ndjson']) {
        const reply = await send(body, type, headers);
        expect([reply.status, reply.body['detail']]).toEqual([400, said]);
      }
    });

    it('takes little memory when it is a bomb', async () => {
      const bomb = gzipSync(Buffer.alloc(200 * MIB), { level: 9 });
      const before = process.memoryUsage().rss;
      for (let i = 0; i < 3; i += 1) expect((await send(bomb, undefined, gzip)).status).toBe(413);
      expect(process.memoryUsage().rss - before).toBeLessThan(150 * MIB);
      const { text } = await api.opsAs(undefined)('get', '/metrics');
      expect(text).toMatch(/^mailhook_body_bytes_in_flight 0$/m);
    });

    it.each([
      ['cut off', (whole: Buffer) => whole.subarray(0, -9)],
      ['not gzip at all', () => Buffer.from('{}')],
      ['empty', () => Buffer.alloc(0)],
      ['damaged', (whole: Buffer) => Buffer.concat([whole.subarray(0, 20), Buffer.alloc(20, 7), whole.subarray(40)])],
    ])('is refused when it is %s', async (_what, change) => {
      const reply = await send(change(gzipSync(event())), undefined, gzip);
      expect([reply.status, reply.body['detail']]).toEqual([400, 'The request body is not valid gzip data.']);
    });
  });

  it.each(['deflate', 'br', 'zstd', 'gzip, gzip', 'utf-8'])('refuses Content-Encoding: %s', async (encoding) => {
    const reply = await send(gzipSync(event()), undefined, { 'content-encoding': encoding });
    expect([reply.status, reply.headers.get('accept-encoding')]).toEqual([415, 'gzip']);
  });

  it.each(['application/json; charset=us-ascii', 'application/json;charset="US-ASCII"'])('takes %s', async (type) => {
    expect((await send(event(), type)).status).toBe(202);
  });

  it.each(['', ' ', 'identity'])('takes the Content-Encoding %j', async (encoding) => {
    expect((await send(event(), undefined, { 'content-encoding': encoding })).status).toBe(202);
  });

  it.each(['reject', 'skip'])('takes null as the absence of a field, with onError=%s', async (onError) => {
    const nulls = { id: null, hash: null, url: null, userAgent: null, reason: null };
    const reply = await sendLines(JSON.stringify({ ...anOpen({ account }), ...nulls }), onError);
    expect(reply).toMatchObject({ status: 202, body: accepted(1) });
    expect([reply.body['ignored'], reply.body['rejected'] ?? []]).toEqual([undefined, []]);
  });
});
