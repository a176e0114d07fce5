import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { createLogger } from '@mailhook/platform/logger';
import { eventually, testRedisUrl, uniqueName } from '@mailhook/testing';
import type { ApiRig } from '../api-rig.suite.ts';
import { startApi } from '../api-rig.suite.ts';
import { ID_BLOCKED_MS, startDeletions } from './deletions.ts';
import type { Erasure } from './erasures.ts';

const HOUR_MS = 3_600_000;

describe('with the event log on', () => {
  let api: ApiRig;
  let folder: string;
  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'event-log-'));
    api = await startApi({ EVENT_LOG: folder });
  });
  afterEach(async () => {
    await api.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const erase = async (account: string, wanted: object) =>
    (await api.admin('post', `/admin/accounts/${account}/erasures`, wanted)).body as Erasure;
  const read = async ({ account, id }: Erasure) =>
    (await api.admin('get', `/admin/accounts/${account}/erasures/${id}`)).body as Erasure;
  const erased = () => readdirSync(path.join(folder, 'erasures')).map((name) => name.split('-')[2]);

  test('an erasure hides the events before its answer, which says by when their bytes are gone', async () => {
    const { id } = await api.newAccount();
    const before = Date.now();
    for (const wanted of [{ email: 'anna@example.com' }, { messageId: 'm-1' }]) {
      const erasure = await erase(id, wanted);
      const goneMs = Date.parse(erasure.goneFromLogBy ?? '') - before;
      expect(goneMs).toBeGreaterThan(HOUR_MS);
      expect(goneMs).toBeLessThan(25 * HOUR_MS);
      expect((await read(erasure)).goneFromLogBy).toBe(erasure.goneFromLogBy);
    }
    expect(erased().sort()).toEqual(['email', 'messageId']);
  });

  test('an erasure does not finish before the log has taken it', async () => {
    // No file can be put below a file.
    writeFileSync(path.join(folder, 'erasures'), '');
    const { id } = await api.newAccount();
    const erasure = await erase(id, { email: 'bob@example.com' });
    expect(erasure.goneFromLogBy).toBeUndefined();
    rmSync(path.join(folder, 'erasures'));
    await eventually(async () => (await read(erasure)).finishedAt !== null, { withinMs: 20_000, what: 'the end' });
    expect((await read(erasure)).goneFromLogBy).toBeDefined();
    expect(erased()).toEqual(['email']);
  });

  test('the deletion of an account erases all of its events from the log', async () => {
    const { id } = await api.newAccount();
    expect((await api.admin('delete', `/admin/accounts/${id}`)).status).toBe(202);
    await eventually(() => erased().includes('all'), { what: 'the erasure' });
  });
});

test('without the event log an erasure has no time by which bytes are gone', async () => {
  const api = await startApi();
  const { id } = await api.newAccount();
  const reply = await api.admin('post', `/admin/accounts/${id}/erasures`, { email: 'anna@example.com' });
  expect(reply.body).not.toHaveProperty('goneFromLogBy');
  await api.close();
});

test('the id of a deleted account stays taken while the log has bytes of the account', async () => {
  const redis = new Redis(await testRedisUrl());
  const finishedAt = new Date(Date.now() - ID_BLOCKED_MS - HOUR_MS).toISOString();
  const deletion = { account: 'acme', startedAt: finishedAt, finishedAt, destinations: [] };
  const forgetDeletion = jest.fn(() => Promise.resolve());
  const holdsAccount = jest.fn(() => Promise.resolve(true));
  const deletions = startDeletions({
    store: { listDeletions: () => Promise.resolve([deletion]), forgetDeletion },
    data: {},
    logs: { list: () => Promise.resolve([{ name: '/log', log: { erase: jest.fn(), holdsAccount } }]) },
    redis,
    prefix: uniqueName('deletions'),
    logger: createLogger({ level: 'silent', service: 'api', pretty: false }),
  } as unknown as Parameters<typeof startDeletions>[0]);
  await eventually(() => holdsAccount.mock.calls.length === 2, { withinMs: 10_000, what: 'the second question' });
  expect(forgetDeletion).not.toHaveBeenCalled();
  holdsAccount.mockResolvedValue(false);
  await eventually(() => forgetDeletion.mock.calls.length > 0, { withinMs: 10_000, what: 'the end of the record' });
  expect(forgetDeletion).toHaveBeenCalledWith('acme');
  await deletions.close();
  redis.disconnect();
});
