import { PassThrough } from 'node:stream';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { CAMPAIGN_FIELDS, EVENT_TYPES, namesOf, subscriptionType } from '@mailhook/core';
import { createLogger } from '@mailhook/platform/logger';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { aCampaignEvent, anEvent, anOpen, goodReply, startReceiver } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import { MODULE, startApi } from '../../services/api/src/api-rig.suite.ts';
import type { ApiRig } from '../../services/api/src/api-rig.suite.ts';
import { compose as composeBatcher } from '../../services/campaign-batcher/src/compose.ts';
import { loadConfig as loadBatcherConfig } from '../../services/campaign-batcher/src/config.ts';
import { compose as composeNotifier } from '../../services/transactional-notifier/src/compose.ts';
import { loadConfig as loadNotifierConfig } from '../../services/transactional-notifier/src/config.ts';

const SENT = ['notification.json', 'campaign-batch.json', 'connection-test.json'];

/** Validates what receivers really get with the JSON Schemas that the api serves. */
describe('the JSON Schemas of payloads', () => {
  let api: ApiRig;
  let workers: Closeable[] = [];
  let receiver: FakeReceiver;

  beforeAll(async () => {
    api = await startApi();
    const environment = {
      HOST: '127.0.0.1',
      OPS_PORT: '0',
      ALLOW_PRIVATE_DESTINATIONS: 'true',
      REDIS_URL: api.redisUrl,
      QUEUE_PREFIX: api.prefix,
    };
    const stream = new PassThrough().resume();
    const logger = createLogger({ level: 'warn', service: 'worker', pretty: false, stream });
    workers = await Promise.all([
      composeNotifier(loadNotifierConfig(environment), logger),
      composeBatcher(loadBatcherConfig(environment), logger),
    ]);
    receiver = await startReceiver();
  });
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.close()));
    await Promise.all([api.close(), receiver.close()]);
  });

  const read = async (path: string): Promise<unknown> => (await fetch(`${api.baseUrl}${path}`)).json();
  const validators = async () => {
    const { schemas } = (await read('/schemas')) as { schemas: { file: string }[] };
    const entries = schemas.map(async ({ file }) => {
      // Strict: a misspelled keyword is an error.
      const validate = new Ajv2020({ strict: true, strictTypes: false }).compile(
        (await read(`/schemas/${file}`)) as object,
      );
      return [file, validate] as const;
    });
    return new Map(await Promise.all(entries));
  };

  test('fit every request, and each request fits one of them', async () => {
    const { id: account, token } = await api.newAccount();
    const call = api.as(token);
    const address = receiver.url;
    await call('put', '/v3/webhook/campaign', { address });
    for (const type of subscriptionType.options)
      await call('post', '/v3/webhook/subscriptions', { address, type, module: MODULE });
    const events = [
      ...subscriptionType.options.map((name) => anEvent(name, { account })),
      ...namesOf(CAMPAIGN_FIELDS).map((event) => aCampaignEvent({ account, event })),
    ];
    const schemas = await validators();
    expect(events.filter((event) => schemas.get('producer-event.json')?.(event) !== true)).toEqual([]);
    expect((await api.post(events)).status).toBe(202);
    const lanes = new Set(namesOf(CAMPAIGN_FIELDS).map((name) => EVENT_TYPES[name].lane));
    // Each lane goes in a separate batch.
    await receiver.waitForRequests(subscriptionType.options.length + lanes.size);
    const before = receiver.requests.length;
    await call('post', '/v3/webhook/campaign/test', { address });
    await call('post', '/v3/webhook/campaign/test', { address, send: 'batch' });
    for (const type of subscriptionType.options)
      await call('post', '/v3/webhook/notificationTest/', { address, type, module: MODULE });
    await receiver.waitForRequests(before + 2 + subscriptionType.options.length);
    const fits = receiver.requests.map(({ json }) => SENT.filter((file) => schemas.get(file)?.(json) === true));
    expect(fits.filter((files) => files.length !== 1)).toEqual([]);
    expect([...new Set(fits.flat())].sort()).toEqual([...SENT].sort());
    const replies = receiver.requests.map((request) => (goodReply(request) as { json: unknown }).json);
    const taken = ['acknowledgement.json', 'connection-test-reply.json'];
    expect(replies.filter((reply) => taken.filter((file) => schemas.get(file)?.(reply) === true).length !== 1)).toEqual(
      [],
    );
  });

  test('refuse what Mailhook does not send, and what it does not take', async () => {
    const schemas = await validators();
    const event = { ...aCampaignEvent(), attempt: 1 };
    const { account: _account, module: _module, ...sent } = event;
    const cases: [string, unknown, boolean][] = [
      ['campaign-batch.json', [sent], true],
      ['campaign-batch.json', [event], false],
      ['campaign-batch.json', [], false],
      ['campaign-batch.json', Array.from({ length: 1001 }, () => sent), false],
      ['acknowledgement.json', [{ hash: 'aaaaaaaaaa', status: 'true' }], false],
      ['acknowledgement.json', [{ hash: 'aaaaaaaaaa', status: true, other: 1 }], true],
      ['producer-event.json', { ...anOpen(), other: 1 }, true],
      ['producer-event.json', { ...anOpen(), time: 1_700_000_000_000 }, false],
      ['producer-event.json', { ...anOpen(), name: 'click' }, false],
    ];
    expect(cases.map(([file, value]) => schemas.get(file)?.(value))).toEqual(cases.map(([, , isValid]) => isValid));
  });
});
