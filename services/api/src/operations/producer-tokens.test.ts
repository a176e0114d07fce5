import type { AuditEntry } from '@mailhook/core';
import { startApi } from '../api-rig.suite.ts';
import type { ApiRig } from '../api-rig.suite.ts';
import { aCampaignEvent, eventually } from '@mailhook/testing';

const PATH = '/admin/producer-tokens';

describe('producer tokens in the admin API', () => {
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

  const create = async (body: object) => (await api.admin('post', PATH, body)).body as { id: string; token: string };
  const send = (rig: ApiRig, token: string, accounts: readonly string[], query = '') =>
    rig.as(token)(
      'post',
      `/v3/events${query}`,
      accounts.map((account) => aCampaignEvent({ account })),
    );

  it('two tokens work at once, on all replicas, until one is revoked', async () => {
    const { id: account } = await api.newAccount();
    const [first, next] = [await create({ label: 'old' }), await create({ label: 'new' })];
    for (const rig of [api, second]) {
      for (const { token } of [first, next]) {
        await eventually(async () => (await send(rig, token, [account])).status === 202, { what: 'a 202' });
      }
    }
    expect((await api.admin('delete', `${PATH}/${first.id}`)).body).toEqual({ success: true });
    expect((await send(api, first.token, [account])).status).toBe(401);
    await eventually(async () => (await send(second, first.token, [account])).status === 401, { what: 'a 401' });
    expect((await send(second, next.token, [account])).status).toBe(202);
    expect((await api.admin('delete', `${PATH}/${first.id}`)).status).toBe(404);
  });

  it('a token for some accounts cannot send for others, nor find out whether they exist', async () => {
    const [mine, other] = [(await api.newAccount()).id, (await api.newAccount()).id];
    const { token } = await create({ accounts: [mine] });
    // Twice, because the second request takes the fast path.
    for (let i = 0; i < 2; i += 1) expect((await send(api, token, [mine])).status).toBe(202);
    const answers = [await send(api, token, [mine, other]), await send(api, token, [mine, 'acc_none'])];
    for (const [i, { status, body }] of answers.entries()) {
      expect([status, body]).toMatchObject([
        422,
        {
          code: 'unknown_account',
          detail: `There is no account ${i === 0 ? other : 'acc_none'}, or this producer token may not send for it.`,
          errors: [
            { path: '1.account', message: 'there is no such account, or this producer token may not send for it' },
          ],
        },
      ]);
    }
    const skipped = await send(api, token, [mine, other], '?onError=skip');
    expect(skipped.body).toMatchObject({
      accepted: 1,
      rejected: [{ index: 1, account: other, code: 'unknown_account' }],
    });
  });

  it('lists all tokens with labels, accounts and last use, the one of the environment first', async () => {
    const { id: account } = await api.newAccount();
    const { id, token } = await create({ label: 'tracker', accounts: [account] });
    await send(api, token, [account]);
    const { text, body } = (await api.admin('get', PATH)) as { text: string; body: { items: { id: string }[] } };
    expect(body.items[0]).toMatchObject({
      id: 'environment',
      label: 'PRODUCER_TOKEN',
      accounts: null,
      createdAt: null,
    });
    expect(body.items.find((one) => one.id === id)).toEqual({
      id,
      label: 'tracker',
      accounts: [account],
      expiresAt: null,
      createdAt: expect.any(String) as string,
      lastUsedAt: expect.any(String) as string,
    });
    expect(text).not.toContain(token);
    await api.admin('delete', `${PATH}/${id}`);
    await eventually(
      async () => {
        const [revoked] = ((await api.admin('get', '/admin/audit?limit=1')).body as { items: AuditEntry[] }).items;
        const label = revoked?.changes?.find(({ field }) => field === 'label');
        return revoked?.action === 'revoke producer token' && label?.before === 'tracker' && label.after === null;
      },
      { what: 'an entry with the label' },
    );
  });

  it('says what is wrong with a new token, and that the token of the environment is changed there', async () => {
    expect((await api.admin('post', PATH, { accounts: ['acc_none'] })).body).toMatchObject({
      errors: [{ path: 'accounts.0', message: 'must exist: there is no account acc_none' }],
    });
    expect((await api.admin('post', PATH, { accounts: [] })).status).toBe(422);
    const kept = await api.admin('delete', `${PATH}/environment`);
    expect([kept.status, (kept.body as { detail: string }).detail]).toEqual([
      409,
      'This token comes from the environment. To replace it, change the file in PRODUCER_TOKEN_FILE, or change ' +
        'PRODUCER_TOKEN and restart the api.',
    ]);
    // A producer token opens neither the admin API nor the customers' API.
    const { token } = await create({});
    expect((await api.opsAs(token)('get', '/admin/accounts')).status).toBe(403);
    expect((await api.as(token)('get', '/v3/webhook/subscriptions')).status).toBe(401);
  });
});
