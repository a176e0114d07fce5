import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually, uniqueName } from '@mailhook/testing';
import { startApi } from '../api-rig.suite.ts';

describe('an api that starts while the store of the event log is away', () => {
  let folder: string;
  let base: Readonly<Record<string, string>>;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'mailhook-log-'));
    base = { QUEUE_PREFIX: uniqueName('log'), EVENT_LOG: folder };
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  test('takes events if the store was usable before, with 503 for the log until it is back', async () => {
    const first = await startApi(base);
    const account = await first.newAccount();
    await first.close();
    await rename(folder, `${folder}-away`);
    await writeFile(folder, '');
    const api = await startApi(base);
    const search = async () => (await api.as(account.token)('post', '/v3/webhook/log/search', {})).status;
    expect((await api.admin('get', `/admin/accounts/${account.id}`)).status).toBe(200);
    expect(await search()).toBe(503);
    await rm(folder);
    await rename(`${folder}-away`, folder);
    await eventually(async () => (await search()) === 200, { withinMs: 10_000, what: 'the log' });
    await api.close();
  });

  test('does not start with a store that never was usable', async () => {
    await rm(folder, { recursive: true });
    await writeFile(folder, '');
    await expect(startApi(base)).rejects.toThrow();
  });
});
