import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import request from 'supertest';
import { aClick, eventually } from '@mailhook/testing';
import { startApi } from '../api-rig.suite.ts';
import type { ApiRig } from '../api-rig.suite.ts';

const [OLD, NEW, PRODUCER] = ['old-token-of-the-operators', 'new-token-of-the-operators', 'producer-token-in-a-file'];

/** A mounted secret as Kubernetes keeps it: links to a folder that is replaced as a whole. */
function mountedSecret(folder: string) {
  let version = 0;
  const write = (files: Readonly<Record<string, string>>): void => {
    version += 1;
    const data = `..version-${version}`;
    mkdirSync(path.join(folder, data));
    for (const [name, content] of Object.entries(files)) writeFileSync(path.join(folder, data, name), content);
    symlinkSync(data, path.join(folder, '..data-new'));
    renameSync(path.join(folder, '..data-new'), path.join(folder, '..data'));
  };
  for (const name of ['admin', 'producer']) symlinkSync(`..data/${name}`, path.join(folder, name));
  return { write, pathOf: (name: string) => path.join(folder, name) };
}

describe('tokens in files', () => {
  let folder: string;
  let api: ApiRig;
  let secret: ReturnType<typeof mountedSecret>;
  let log = '';
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'mailhook-tokens-'));
    secret = mountedSecret(folder);
    secret.write({ admin: `alice ${OLD}\n`, producer: `${PRODUCER}\n` });
    api = await startApi({
      ADMIN_TOKEN: '',
      PRODUCER_TOKEN: '',
      ADMIN_TOKEN_FILE: secret.pathOf('admin'),
      PRODUCER_TOKEN_FILE: secret.pathOf('producer'),
    });
    api.log.on('data', (chunk: Buffer) => (log += chunk.toString()));
  });
  afterAll(async () => {
    await api.close();
    rmSync(folder, { recursive: true });
  });

  const adminStatus = async (token: string) => (await api.opsAs(token)('get', '/admin/accounts')).status;
  const pageStatus = async (token: string) =>
    (await request(api.opsUrl).get('/admin').auth('admin', token).redirects(0)).status;
  const loggedTimes = (text: string) => log.split('\n').filter((line) => line.includes(text)).length;
  /**
   * Changes the files and awaits the log line. Requests with wrong tokens would soon be refused because there are too
   * many.
   */
  const change = async (files: { admin: string; producer: string }, line = 'a changed file is in use') => {
    const before = loggedTimes(line);
    secret.write(files);
    await eventually(() => loggedTimes(line) > before, { withinMs: 20_000, what: line });
  };

  test('a rotation has no gap, the audit log shows labels, and the pages end with their token', async () => {
    await api.opsAs(OLD)('post', '/admin/accounts', { name: 'by alice' });
    expect(await pageStatus(OLD)).toBe(200);
    expect(await adminStatus(NEW)).toBe(401);

    await change({ admin: `alice ${OLD}\nalice.new ${NEW}\n`, producer: PRODUCER });
    expect(await adminStatus(NEW)).toBe(200);
    expect(await adminStatus(OLD)).toBe(200);
    await api.opsAs(NEW)('post', '/admin/accounts', { name: 'by alice with the new token' });

    await change({ admin: `alice.new ${NEW}\n`, producer: PRODUCER });
    expect(await adminStatus(OLD)).toBe(401);
    expect(await pageStatus(OLD)).toBe(401);
    expect(await pageStatus(NEW)).toBe(200);
    const { items } = (await api.opsAs(NEW)('get', '/admin/audit')).body as { items: { token?: string }[] };
    expect(items.map(({ token }) => token)).toEqual(['alice.new', 'alice']);
  });

  test('a broken or empty file keeps the tokens and is logged once', async () => {
    for (const [content, reason] of [
      ['', 'this file is empty'],
      ['bob short', 'must be at least 24'],
    ] as const) {
      await change({ admin: content, producer: PRODUCER }, reason);
      expect(await adminStatus(NEW)).toBe(200);
    }
    expect(log).not.toContain('bob short');
    rmSync(secret.pathOf('admin'));
    await eventually(() => loggedTimes('cannot be read (ENOENT)') > 0, { withinMs: 20_000, what: 'a missing file' });
    // The files are read in turn, so two changes of the other file mean another look at the missing one.
    for (const producer of ['another-producer-token-in-a-file', PRODUCER]) await change({ admin: NEW, producer });
    expect(loggedTimes('cannot be read (ENOENT)')).toBe(1);
    expect(await adminStatus(NEW)).toBe(200);
  });

  test('a new producer token replaces the one before', async () => {
    const next = 'the-next-producer-token-in-a-file';
    const event = () => aClick({ account: 'nobody' });
    expect((await api.as(PRODUCER)('post', '/v3/events', event())).status).toBe(422);
    await change({ admin: NEW, producer: next });
    expect((await api.as(next)('post', '/v3/events', event())).status).toBe(422);
    expect((await api.as(PRODUCER)('post', '/v3/events', event())).status).toBe(401);
  });
});
