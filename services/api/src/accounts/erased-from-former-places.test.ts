import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { LogPage } from '@mailhook/core';
import { fieldsOfEvent } from '@mailhook/core';
import { createEventLog, createFolderStore } from '@mailhook/event-log';
import { anEvent, eventually, uniqueName } from '@mailhook/testing';
import type { ApiRig, TestAccount } from '../api-rig.suite.ts';
import { startApi } from '../api-rig.suite.ts';
import type { Erasure } from './erasures.ts';

const RETENTION_MS = 86_400_000;
const ANNA = 'anna@example.com';

describe('while the event log is off or elsewhere', () => {
  let root: string;
  let folder: string;
  let account: TestAccount;
  let api: ApiRig;
  const environment = () => ({ QUEUE_PREFIX: path.basename(root), EVENT_LOG_RETENTION: '24h' });

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), uniqueName('log')));
    folder = path.join(root, 'log');
    const on = await startApi({ ...environment(), EVENT_LOG: folder });
    account = await on.newAccount();
    await on.close();
    const store = createFolderStore(folder);
    const log = createEventLog({ store, key: (await store.get('key')).toString(), retentionMs: RETENTION_MS });
    const events = [ANNA, 'bob@example.com'].map((email, n) => ({
      acceptedAtMs: Date.now() - 60_000,
      chunk: 'c1',
      n,
      destinations: [],
      ...fieldsOfEvent({ ...anEvent('open', { email }), account: account.id }),
    }));
    await log.close('0', { events, outcomes: [], gaps: [] });
  });
  afterEach(async () => {
    await api.close();
    await rm(root, { recursive: true });
  });

  const accounts = '/admin/accounts/';
  const erase = async () =>
    (await api.admin('post', `${accounts}${account.id}/erasures`, { email: ANNA })).body as Erasure;
  const read = async ({ id }: Erasure) =>
    (await api.admin('get', `${accounts}${account.id}/erasures/${id}`)).body as Erasure;
  const listed = async () => {
    await api.close();
    api = await startApi({ ...environment(), EVENT_LOG: folder });
    const reply = await api.as(account.token)('post', '/v3/webhook/log/search', {});
    return (reply.body as LogPage).items.flatMap((item) => ('gap' in item ? [] : [item.event['email']]));
  };

  test.each([undefined, 'another'])('an erasure hides events in the former place: %s', async (place) => {
    const more = place === undefined ? {} : { EVENT_LOG: path.join(root, place) };
    api = await startApi({ ...environment(), ...more });
    expect((await erase()).goneFromLogBy).toBeDefined();
    expect(await listed()).toEqual(['bob@example.com']);
  });

  test('an erasure waits for a former place that cannot be reached', async () => {
    await rename(folder, `${folder}-away`);
    api = await startApi(environment());
    const erasure = await erase();
    expect(erasure.goneFromLogBy).toBeUndefined();
    await rename(`${folder}-away`, folder);
    await eventually(async () => (await read(erasure)).finishedAt !== null, { withinMs: 20_000, what: 'the end' });
    expect(await listed()).toEqual(['bob@example.com']);
  });

  test('the deletion of an account reaches the former place', async () => {
    api = await startApi(environment());
    await api.admin('delete', `${accounts}${account.id}`);
    const names = () => readdir(path.join(folder, 'erasures')).catch(() => []);
    await eventually(async () => (await names()).some((name) => name.includes('-all-')), { what: 'the erasure' });
  });
});
