import { Redis } from 'ioredis';
import { engineKeys } from '@mailhook/delivery';
import { aClick, anOpen, eventually } from '@mailhook/testing';
import { PRODUCER_TOKEN, publishedEvents, startApi } from '../api-rig.suite.ts';
import type { ApiRig, TestAccount } from '../api-rig.suite.ts';

describe('POST /v3/events with events that cannot be accepted', () => {
  let api: ApiRig;
  let account: TestAccount;
  let full: TestAccount;
  let connection: Redis;
  beforeAll(async () => {
    api = await startApi();
    connection = new Redis(api.redisUrl, { maxRetriesPerRequest: null });
    full = await api.newAccount();
    await api.subscribe(full, 'open');
    await connection.sadd(`${engineKeys(api.prefix, 0, 'campaign').shared}overfull`, full.id);
    const isFull = async () => (await api.post(anOpen({ account: full.id }))).status === 429;
    await eventually(isFull, { what: 'the account to be overfull' });
  });
  afterAll(async () => {
    connection.disconnect();
    await api.close();
  });
  beforeEach(async () => {
    account = await api.newAccount();
    await api.subscribe(account, 'open');
  });

  const send = (body: string | object, type = 'application/json', query = '?onError=skip') =>
    api.as(PRODUCER_TOKEN)('post', `/v3/events${query}`).set('content-type', type).send(body);
  const published = async () => (await publishedEvents(api)).filter((one) => one.account === account.id);
  const good = () => anOpen({ account: account.id });

  it('refuses the request, and lists every event of an overfull account', async () => {
    const reply = await api.post([good(), anOpen({ account: full.id }), good(), anOpen({ account: full.id })]);
    expect([reply.status, reply.headers['retry-after']]).toEqual([429, '30']);
    const message = `(${full.id}) has too many undelivered events or dead letters`;
    expect(reply.body).toMatchObject({
      code: 'too_many_waiting',
      errors: [
        { path: '1.account', message },
        { path: '3.account', message },
      ],
    });
    expect(await published()).toEqual([]);
  });

  it('onError=skip publishes the others, and lists each one with its index, account and reason', async () => {
    const events = [
      good(),
      { ...good(), time: 1.5 },
      anOpen({ account: 'acc_nobody' }),
      5,
      anOpen({ account: full.id }),
      aClick({ account: account.id }),
      { ...good(), colour: 'red' },
    ];
    const reply = await send(events);
    expect([reply.status, reply.body]).toEqual([
      202,
      {
        accepted: 3,
        withoutDestination: 1,
        ignored: ['colour'],
        rejected: [
          {
            index: 1,
            account: account.id,
            code: 'validation_failed',
            detail: expect.stringMatching(/^time /) as string,
          },
          { index: 2, account: 'acc_nobody', code: 'unknown_account', detail: 'there is no such account' },
          { index: 3, code: 'validation_failed', detail: 'the event must be a JSON object, not 5' },
          {
            index: 4,
            account: full.id,
            code: 'too_many_waiting',
            detail: 'has too many undelivered events or dead letters',
          },
        ],
      },
    ]);
    expect(await published()).toHaveLength(2);
  });

  it('onError=skip has the lines of NDJSON from 0 as indexes, and leaves out those that are not JSON', async () => {
    const reply = await send(`\n${JSON.stringify(good())}\n{"account":\n{}\n`, 'application/x-ndjson');
    expect(reply.body).toMatchObject({
      accepted: 1,
      rejected: [
        { index: 2, code: 'malformed_json', detail: expect.stringContaining('Line 3 (index 2)') as string },
        { index: 3, code: 'validation_failed' },
      ],
    });
    expect(await published()).toHaveLength(1);
  });

  it('onError=skip accepts a request in which nothing is left, and refuses a body that is not JSON', async () => {
    expect((await send([{}])).body).toMatchObject({ accepted: 0, rejected: [{ index: 0 }] });
    expect((await send('[')).status).toBe(400);
    expect((await send([])).status).toBe(422);
    expect((await send(good())).body).toEqual({ accepted: 1, rejected: [] });
  });

  it('refuses another value of onError, and names it', async () => {
    const reply = await send(good(), 'application/json', '?onError=ignore');
    expect([reply.status, reply.body]).toMatchObject([
      422,
      { errors: [{ path: 'onError', message: 'must be reject or skip' }] },
    ]);
    expect((await send([good(), {}], 'application/json', '?onError=reject')).status).toBe(422);
  });

  describe('strict=1', () => {
    const wrong = () => [
      { ...good(), messageID: 'm', url: 'https://x/', clientIp: null },
      { ...good(), messageId: undefined, message_id: 'm' },
      { module: 'campaign', foo: 1 },
      good(),
    ];

    it('refuses unknown fields with their paths, and names the field that was meant', async () => {
      const reply = await send(wrong(), 'application/json', '?strict=1');
      const unknown = 'is not a field of this event';
      expect([reply.status, (reply.body as { errors: object[] }).errors.slice(0, 4)]).toEqual([
        422,
        [
          { path: '0.messageID', message: `${unknown}: write messageId, which it has too` },
          { path: '0.url', message: unknown },
          { path: '1.messageId', message: 'is required: write messageId in place of message_id' },
          { path: '1.message_id', message: `${unknown}: write messageId` },
        ],
      ]);
      expect(await published()).toEqual([]);
    });

    it('rejects only these events with onError=skip, and refuses none with strict=0', async () => {
      const skipped = await send(wrong(), 'application/json', '?strict=1&onError=skip');
      expect(skipped.body).toMatchObject({ accepted: 1, rejected: [{ index: 0 }, { index: 1 }, { index: 2 }] });
      const lenient = await send(wrong().slice(0, 1), 'application/json', '?strict=0');
      expect(lenient.body).toEqual({ accepted: 1, ignored: ['messageID', 'url'] });
    });

    it('refuses another value of strict, and names it', async () => {
      const reply = await send(good(), 'application/json', '?strict=yes');
      expect(reply.body).toMatchObject({ errors: [{ path: 'strict', message: 'must be 0 or 1' }] });
    });
  });

  it('counts accepted events without a destination, and skipped ones', async () => {
    const value = async (series: string) => {
      const { text } = await api.opsAs(undefined)('get', '/metrics');
      return Number(new RegExp(`^${series} (\\d+)$`, 'm').exec(text)?.[1] ?? 0);
    };
    const names = ['mailhook_events_without_destination_total', 'mailhook_events_skipped_total\\{reason="invalid"\\}'];
    const before = await Promise.all(names.map(value));
    await send([aClick({ account: account.id }), good(), {}]);
    expect(await Promise.all(names.map(value))).toEqual(before.map((count) => count + 1));
  });
});
