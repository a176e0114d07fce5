import { newAccount, TOKENS_MAX } from '@mailhook/core';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { startApi } from '../api-rig.suite.ts';
import type { ApiRig } from '../api-rig.suite.ts';
import { createRedisStore } from '../store/redis/redis-store.ts';
import { aCampaignEvent, eventually, uniqueName } from '@mailhook/testing';

interface Listed {
  readonly items: readonly { readonly id: string; readonly name: string; readonly events: number }[];
  readonly nextCursor?: string;
}

describe('accounts in the admin API', () => {
  let api: ApiRig;
  let second: ApiRig;
  beforeAll(async () => {
    api = await startApi();
    second = await startApi({ QUEUE_PREFIX: api.prefix, REDIS_URL: api.redisUrl });
  });
  afterAll(async () => {
    await second.close();
    await api.close();
  });

  const list = async (query: string) => (await api.admin('get', `/admin/accounts?${query}`)).body as Listed;

  it('creates an account under an id of the platform, renames it, and is idempotent', async () => {
    const id = uniqueName('tenant:eu.1');
    const created = await api.admin('put', `/admin/accounts/${id}`, { name: ' Acme ' });
    expect([created.status, created.body]).toEqual([
      201,
      { id, name: 'Acme', createdAt: expect.stringMatching(/^20.*Z$/) as string },
    ]);
    const same = await api.admin('put', `/admin/accounts/${id}`, { name: 'Acme' });
    expect([same.status, same.body]).toEqual([200, created.body]);
    const renamed = await api.admin('put', `/admin/accounts/${encodeURIComponent(id)}`, { name: 'Acme Europe' });
    expect([renamed.status, (renamed.body as { name: string }).name]).toEqual([200, 'Acme Europe']);
    expect((await api.post([aCampaignEvent({ account: id })])).status).toBe(202);
  });

  it('an account that did not exist a moment ago takes events as soon as the answer has arrived', async () => {
    const id = uniqueName('soon');
    expect((await api.post([aCampaignEvent({ account: id })])).status).toBe(422);
    expect((await api.admin('put', `/admin/accounts/${id}`, { name: 'n' })).status).toBe(201);
    expect((await api.post([aCampaignEvent({ account: id })])).status).toBe(202);
  });

  it.each(['a b', 'ä', 'x'.repeat(65), 'a/b', 'a~b', '..'])('refuses the id %j', async (id) => {
    // A dot segment must be escaped, or else clients remove it.
    const path = encodeURIComponent(id).replaceAll('.', '%2E');
    const refused = await api.admin('put', `/admin/accounts/${path}`, { name: 'n' });
    expect([refused.status, refused.body]).toMatchObject([422, { errors: [{ path: 'account' }] }]);
    expect((await api.admin('put', `/admin/accounts/ok`, {})).body).toMatchObject({ errors: [{ path: 'name' }] });
  });

  it('lists accounts newest first, with counts, by the start of an id or a name', async () => {
    const prefix = uniqueName('listed');
    const ids = ['c', 'a', 'b'].map((letter) => `${prefix}-${letter}`);
    for (const id of ids) await api.admin('put', `/admin/accounts/${id}`, { name: `Name of ${id}` });
    const [newest, ...rest] = [...ids].reverse();
    expect((await list('limit=1')).items[0]).toMatchObject({ id: newest, events: 0, bytes: 0, deadLetters: 0 });
    const first = await list(`limit=2&prefix=${prefix}`);
    const next = await list(`limit=2&prefix=${prefix}&cursor=${encodeURIComponent(first.nextCursor ?? '')}`);
    expect([...first.items, ...next.items].map(({ id }) => id)).toEqual([newest, ...rest]);
    expect((await list(`prefix=name OF ${prefix}`)).items).toHaveLength(3);
    expect((await list(`prefix=${prefix}-none`)).items).toEqual([]);
  });

  it('lists the tokens of an account with their labels and last use, never the tokens themselves', async () => {
    const account = await api.newAccount();
    const path = `/admin/accounts/${account.id}/tokens`;
    const created = (await api.admin('post', path, { label: 'backend' })).body as { id: string; token: string };
    await api.as(created.token)('get', '/v3/webhook/subscriptions');
    const listed = await api.admin('get', path);
    const open = { access: 'manage', expiresAt: null };
    expect(listed.body).toEqual({
      items: [
        {
          id: account.tokenId,
          label: '',
          ...open,
          createdAt: expect.any(String) as string,
          lastUsedAt: null,
        },
        {
          id: created.id,
          label: 'backend',
          ...open,
          createdAt: expect.any(String) as string,
          lastUsedAt: expect.any(String) as string,
        },
      ],
    });
    expect(listed.text).not.toContain(created.token);
    expect((await api.admin('get', '/admin/accounts/none/tokens')).status).toBe(404);
  });

  it('deletes an account: immediately unknown, its token refused everywhere, its deletion visible', async () => {
    const account = await api.newAccount();
    const asCustomer = [api, second].map((one) => one.as(account.token));
    for (const call of asCustomer) expect((await call('get', '/v3/webhook/subscriptions')).status).toBe(200);
    expect((await second.post([aCampaignEvent({ account: account.id })])).status).toBe(202);
    expect((await api.admin('delete', '/admin/accounts/none')).status).toBe(404);
    expect((await api.admin('get', `/admin/accounts/${account.id}/deletion`)).status).toBe(404);

    const deleted = await api.admin('delete', `/admin/accounts/${account.id}`);
    const deletion = { account: account.id, startedAt: expect.any(String) as string, finishedAt: null };
    expect([deleted.status, deleted.body]).toEqual([202, { ...deletion, remaining: { events: 0, deadLetters: 0 } }]);
    expect((await second.admin('get', `/admin/accounts/${account.id}`)).status).toBe(404);
    expect((await second.admin('delete', `/admin/accounts/${account.id}`)).body).toMatchObject(deletion);
    expect((await second.admin('get', `/admin/accounts/${account.id}/deletion`)).body).toMatchObject(deletion);
    for (const call of asCustomer) {
      await eventually(async () => (await call('get', '/v3/webhook/subscriptions')).status === 401, { what: 'a 401' });
    }
    await eventually(async () => (await second.post([aCampaignEvent({ account: account.id })])).status === 422, {
      what: 'the refusal of its events',
    });
    const again = await api.admin('put', `/admin/accounts/${account.id}`, { name: 'n' });
    expect([again.status, (again.body as { detail: string }).detail]).toEqual([
      409,
      expect.stringMatching(/is being deleted. Its id can be used again a week after/),
    ]);
  });

  it('refuses a token beyond the most that an account may have, until one is revoked', async () => {
    const redis = connectRedis({ url: api.redisUrl, role: 'fail-fast', name: 'test', onError: () => undefined });
    await whenReady(redis, 5000);
    const id = uniqueName('tokens');
    const createdAt = new Date().toISOString();
    const tokens = Array.from({ length: TOKENS_MAX }, (_, n) => {
      return { id: `t${n}`, tokenHash: `${id}${n}`, label: '', access: 'read' as const, createdAt, expiresAt: null };
    });
    const store = createRedisStore({ redis, prefix: api.prefix });
    await store.save({ ...newAccount({ id, name: 'n', createdAt }), tokens });
    await closeRedis(redis);
    const path = `/admin/accounts/${id}/tokens`;
    const refused = await api.admin('post', path);
    expect([refused.status, (refused.body as { errors: unknown }).errors]).toEqual([
      422,
      [{ path: 'account', message: 'has 1000 tokens already, the most there may be: revoke one that is not used' }],
    ]);
    expect((await api.admin('delete', `${path}/t0`)).status).toBe(200);
    expect((await api.admin('post', path)).status).toBe(201);
  });
});
