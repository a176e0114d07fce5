import { OWN_TOKENS_MAX } from '@mailhook/core';
import { eventually, uniqueName } from '@mailhook/testing';
import { startApi } from '../api-rig.suite.ts';
import type { ApiRig, TestAccount } from '../api-rig.suite.ts';
import { expectProblem } from './customer-api-rig.suite.ts';

interface Listed {
  readonly id: string;
  readonly label: string;
  readonly access: string;
  readonly lastUsedAt: string | null;
}

const PATH = '/v3/webhook/tokens';
const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString();

describe('the access tokens that a customer makes', () => {
  const prefix = uniqueName('own-tokens');
  let api: ApiRig;
  let second: ApiRig;
  let mine: TestAccount;
  beforeAll(async () => {
    [api, second] = await Promise.all([startApi({ QUEUE_PREFIX: prefix }), startApi({ QUEUE_PREFIX: prefix })]);
  });
  afterAll(async () => {
    await Promise.all([api.close(), second.close()]);
  });
  beforeEach(async () => {
    mine = await api.newAccount();
  });
  const call = (method: 'get' | 'post' | 'delete', path = PATH, body?: object) =>
    api.as(mine.token)(method, path, body);
  const create = async (body?: object, token = mine.token) => {
    const reply = await api.as(token)('post', PATH, body);
    expect(reply.status).toBe(201);
    return reply.body as { id: string; token: string };
  };
  const list = async (): Promise<Listed[]> => (await call('get')).body as Listed[];

  it('are shown once, work on every replica, and are listed with their last use', async () => {
    const made = await create({ label: 'ci', access: 'read', expiresAt: inDays(1) });
    expect(made.token).toMatch(/^mhk_/);
    expect(await list()).toMatchObject([
      { id: mine.tokenId, label: '', access: 'manage', expiresAt: null },
      { id: made.id, label: 'ci', access: 'read', lastUsedAt: null },
    ]);
    expect(JSON.stringify(await list())).not.toContain(made.token);
    expect((await api.as(made.token)('get', PATH)).status).toBe(200);
    expect((await list())[1]?.lastUsedAt).toMatch(/Z$/);
    expect((await second.as(made.token)('get', '/v3/webhook/campaign')).status).toBe(200);
    const ofOperator = (await api.admin('get', `/admin/accounts/${mine.id}/tokens`)).body as { items: Listed[] };
    expect(ofOperator.items.map(({ id }) => id)).toEqual([mine.tokenId, made.id]);
  });

  it('only read with the access read: every GET, and the calls that read by POST', async () => {
    const { token } = await create({ access: 'read' });
    const reader = api.as(token);
    const refused = await reader('post', PATH, { access: 'read' });
    expectProblem(refused, 403, 'insufficient_scope');
    expectProblem(await reader('delete', `${PATH}/${mine.tokenId}`), 403, 'insufficient_scope');
    expect((await reader('get', PATH)).status).toBe(200);
    expect((await reader('post', '/v3/webhook/events/search', { email: 'a@example.com' })).status).toBe(200);
    // 404: the log is off.
    expectProblem(await reader('post', '/v3/webhook/log/search', {}), 404, 'event_log_off');
  });

  it('stop on every replica when one is revoked', async () => {
    const { id, token } = await create();
    for (const one of [api, second]) expect((await one.as(token)('get', PATH)).status).toBe(200);
    expect((await call('delete', `${PATH}/${id}`)).status).toBe(200);
    expectProblem(await api.as(token)('get', PATH), 401, 'unauthorized');
    await eventually(async () => (await second.as(token)('get', PATH)).status === 401, { what: 'a 401' });
    expectProblem(await call('delete', `${PATH}/${id}`), 404, 'not_found');
    const other = await api.newAccount();
    expectProblem(await call('delete', `${PATH}/${other.tokenId}`), 404, 'not_found');
    expect((await api.as(other.token)('get', PATH)).status).toBe(200);
  });

  it('end no later than the token that makes them', async () => {
    const [soon, late] = [inDays(2), inDays(3)];
    const { token } = await create({ expiresAt: soon });
    const child = await create({ label: 'child' }, token);
    expect((await list()).find(({ id }) => id === child.id)).toMatchObject({ expiresAt: soon });
    const refused = await api.as(token)('post', PATH, { expiresAt: late });
    expectProblem(refused, 422, 'validation_failed');
    expect((refused.body as { errors: { path: string }[] }).errors).toMatchObject([{ path: 'expiresAt' }]);
    expectProblem(await call('post', PATH, { expiresAt: inDays(-1) }), 422, 'validation_failed');
  });

  it(`are at most ${OWN_TOKENS_MAX}, also if several are made at the same time`, async () => {
    const replies = await Promise.all(
      Array.from({ length: OWN_TOKENS_MAX + 5 }, async (_, i) => {
        const replica = i % 2 === 0 ? api : second;
        return replica.as(mine.token)('post', PATH, { label: `t${i}` });
      }),
    );
    const statuses = replies.map(({ status }) => status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(OWN_TOKENS_MAX - 1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(6);
    expect(await list()).toHaveLength(OWN_TOKENS_MAX);
    const refused = (await call('post')).body as { detail: string };
    expect(refused.detail).toContain(`${OWN_TOKENS_MAX} access tokens already`);
    // An operator may make more.
    expect((await api.admin('post', `/admin/accounts/${mine.id}/tokens`)).status).toBe(201);
  });

  it('are in the audit log, without the token', async () => {
    const { id, token } = await create({ label: 'ci' });
    await call('delete', `${PATH}/${id}`);
    // An entry is written after the answer.
    const items = await eventually(
      async () => {
        const log = await api.admin('get', `/admin/audit?account=${mine.id}&actor=customer`);
        const found = (log.body as { items: object[] }).items;
        return found.length === 2 && found;
      },
      { what: 'both entries' },
    );
    expect(items).toMatchObject([
      { action: 'revoke access token', object: id, via: 'API', token: mine.tokenId },
      { action: 'create access token', object: id, via: 'API', token: mine.tokenId },
    ]);
    expect(JSON.stringify(items)).not.toContain(token);
  });
});
