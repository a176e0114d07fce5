import { Redis } from 'ioredis';
import type { Mechanism } from '@mailhook/core';
import { NO_LIMITS, VERSION_1_REQUESTS } from '@mailhook/core';
import { createDestinationRegistry, Installation } from '@mailhook/delivery';
import { ACTIVE, DELETED, readMailbox } from '@mailhook/delivery/mailbox';
import { eventually, uniqueName } from '@mailhook/testing';
import { startApi } from '../api-rig.suite.ts';
import type { ApiRig } from '../api-rig.suite.ts';

describe('records of destinations that the store does not have', () => {
  let api: ApiRig;
  let redis: Redis;
  let installation: Installation;
  const log: string[] = [];
  beforeAll(async () => {
    api = await startApi({}, (line) => log.push(line));
    redis = new Redis(api.redisUrl, { maxRetriesPerRequest: null });
    installation = new Installation(redis, api.prefix, 1);
  });
  afterAll(async () => {
    await installation.close();
    redis.disconnect();
    await api.close();
  });

  const save = async (account: string, id: string, kind: Mechanism) => {
    const record = { id, kind, account, address: 'http://127.0.0.1:9/', active: true, inactiveReason: null };
    const more = { version: Date.now(), secrets: [], headers: {}, limits: NO_LIMITS, ...VERSION_1_REQUESTS[kind] };
    await createDestinationRegistry(installation).save({ ...record, ...more });
    return async () => (await readMailbox(redis, installation.keysOf(account, kind), id)).record;
  };

  it('are removed by the comparison, but not those of accounts that the store has never had', async () => {
    const [account, deleted] = [await api.newAccount(), await api.newAccount()];
    const known = await api.subscribe(account, 'open');
    await api.admin('delete', `/admin/accounts/${deleted.id}`);
    const [left, never] = [uniqueName('left'), uniqueName('never')];
    const ofKnown = await save(account.id, left, 'transactional');
    const campaign = await save(account.id, `campaign-${account.id}`, 'campaign');
    const ofDeleted = await save(deleted.id, uniqueName('deleted'), 'transactional');
    const ofUnknown = await save(never, `campaign-${never}`, 'campaign');
    await redis.del(`${api.prefix}:store-resync`);
    const isDone = async () => [(await ofKnown())?.record, (await ofDeleted())?.record, (await campaign())?.address];
    await eventually(async () => String(await isDone()) === String([DELETED, DELETED, '']), {
      withinMs: 10_000,
      what: 'the removal',
    });
    await eventually(() => log.some((line) => line.includes('that the store does not have; they stay')), {
      what: 'a line in the log',
    });
    expect((await ofUnknown())?.record).toBe(ACTIVE);
    const { record } = await readMailbox(redis, installation.keysOf(account.id, 'transactional'), known);
    expect(record?.record).toBe(ACTIVE);
  });
});
