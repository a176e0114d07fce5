import { PassThrough } from 'node:stream';
import { createLogger } from '@mailhook/platform/logger';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { aCampaignEvent, eventually, goodReply, startReceiver } from '@mailhook/testing';
import type { FakeReceiver, ReceivedRequest } from '@mailhook/testing';
import { createApiDocument } from '../../services/api/src/api-docs/document.ts';
import { documentedCalls, readDocument } from '../../services/api/src/api-docs/documented.suite.ts';
import { startApi } from '../../services/api/src/api-rig.suite.ts';
import type { ApiRig } from '../../services/api/src/api-rig.suite.ts';
import { compose as composeBatcher } from '../../services/campaign-batcher/src/compose.ts';
import { loadConfig } from '../../services/campaign-batcher/src/config.ts';

/** The headers of a request without those of the connection. */
const sentHeaders = (request: ReceivedRequest | undefined) =>
  Object.fromEntries(
    Object.entries(request?.headers ?? {}).filter(([name]) => !['host', 'connection', 'content-length'].includes(name)),
  );

/** Compares the API's lists with its documentation at each stage of a delivery. */
describe('answers about deliveries', () => {
  let api: ApiRig;
  let batcher: Closeable;
  let receiver: FakeReceiver;

  beforeAll(async () => {
    api = await startApi();
    const config = loadConfig({
      HOST: '127.0.0.1',
      OPS_PORT: '0',
      REDIS_URL: api.redisUrl,
      QUEUE_PREFIX: api.prefix,
      ALLOW_PRIVATE_DESTINATIONS: 'true',
      RETRY_SCHEDULE: '50ms',
    });
    const stream = new PassThrough().resume();
    batcher = await composeBatcher(config, createLogger({ level: 'warn', service: 'batcher', pretty: false, stream }));
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await batcher.close();
    await Promise.all([api.close(), receiver.close()]);
  });

  test('are as documented: failed, dead, delivered again', async () => {
    const { id: account, token } = await api.newAccount();
    const call = documentedCalls(readDocument(createApiDocument()), api.as(token));
    const list = async (operation: string, query = ''): Promise<{ status?: string; state?: string }[]> =>
      ((await call(operation, undefined, { query })) as { items: { status?: string; state?: string }[] }).items;
    const event = aCampaignEvent({ account, hash: 'the-event-of-this-test' });
    const find = async () =>
      (await list('get /v3/webhook/events', `?hash=${event.hash ?? ''}`)).map(({ state }) => state);

    receiver.setReply(() => ({
      status: 503,
      headers: { 'retry-after': '0', 'content-type': 'text/html' },
      body: '<h1>Busy</h1>',
    }));
    await call('put /v3/webhook/campaign', { address: receiver.url });
    await api.post(event);
    await eventually(async () => (await list('get /v3/webhook/dead-letters')).length === 1, { what: 'a dead letter' });
    await eventually(
      async () => (await list('get /v3/webhook/deliveries')).map(({ status }) => status).join() === 'dead,failed',
      { what: 'two attempts in the list' },
    );
    expect(await find()).toEqual(['dead']);
    const [letter] = (await list('get /v3/webhook/dead-letters')) as { id?: string }[];
    expect(await call('get /v3/webhook/dead-letters/{id}', undefined, { id: letter?.id ?? '' })).toMatchObject({
      payloads: [{ hash: event.hash, email: event.email, attempt: 2 }],
      history: [{ status: 'dead' }, { status: 'failed' }],
    });
    expect(await call('get /v3/webhook/dead-letters.csv')).toBeDefined();
    const foreign = api.as((await api.newAccount()).token);
    const attempts = (await list('get /v3/webhook/deliveries')) as { id?: string }[];
    for (const [i, { id = '' }] of attempts.entries()) {
      const [request] = receiver.requests.toReversed().slice(i);
      expect(await call('get /v3/webhook/deliveries/{id}', undefined, { id })).toMatchObject({
        id,
        wasSent: true,
        request: {
          method: 'POST',
          signatures: 0,
          bytes: Number(request?.headers['content-length']),
          headers: sentHeaders(request),
        },
        reply: { status: 503, headers: { 'retry-after': '0', 'content-type': 'text/html' }, body: '<h1>Busy</h1>' },
        eventKeys: [event.hash],
        held: { state: 'dead', deadLetter: letter?.id, payloads: [{ hash: event.hash }] },
      });
      expect((await foreign('get', `/v3/webhook/deliveries/${id}`)).status).toBe(404);
    }
    expect((await foreign('get', `/v3/webhook/dead-letters/${letter?.id ?? ''}`)).status).toBe(404);

    receiver.setReply(goodReply);
    expect(await call('post /v3/webhook/dead-letters/redrive', {})).toEqual({ redriven: 1 });
    await eventually(async () => (await find()).join() === 'delivered', { what: 'the delivered event' });
    const [newest] = await list('get /v3/webhook/deliveries', '?destination=campaign&limit=1');
    expect(newest).toMatchObject({ status: 'delivered', httpStatus: 200, attempt: 3 });
    const { id = '' } = newest as { id?: string };
    const opened = await call('get /v3/webhook/deliveries/{id}', undefined, { id });
    expect(opened).toMatchObject({
      wasSent: true,
      request: { headers: { 'webhook-attempt': '3' } },
      eventKeys: [event.hash],
    });
    for (const field of ['reply', 'held']) expect(opened).not.toHaveProperty(field);
  });
});
