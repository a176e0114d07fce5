import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createFolderStore } from '@mailhook/event-log';
import { createLogger } from '@mailhook/platform/logger';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { eventually, testRedisUrl, uniqueName } from '@mailhook/testing';
import type { Beacons } from './beacons.ts';
import { createBeacons } from './beacons.ts';

describe('beacons of apis that share a folder', () => {
  let redis: Redis;
  let folders: string[];
  let prefix: string;
  const opened: Beacons[] = [];
  beforeAll(async () => {
    redis = connectRedis({ url: await testRedisUrl(), role: 'fail-fast', name: 'test', onError: () => undefined });
    await whenReady(redis, 5000);
  });
  afterAll(() => closeRedis(redis));
  beforeEach(async () => {
    prefix = uniqueName('beacons');
    folders = await Promise.all(['a', 'b'].map((name) => mkdtemp(path.join(tmpdir(), `beacons-${name}-`))));
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((one) => one.close()));
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  });

  const start = async (folder: string | undefined): Promise<Beacons> => {
    const logger = createLogger({ service: 'test', level: 'silent' });
    const store = createFolderStore(folder ?? '');
    const beacons = createBeacons({ store, redis, prefix, logger, checkEveryMs: 20 });
    opened.push(beacons);
    await beacons.check();
    return beacons;
  };

  it('see each other in one folder, also after the folder was emptied', async () => {
    const [one, other] = [await start(folders[0]), await start(folders[0])];
    expect([one.fault(), other.fault()]).toEqual([undefined, undefined]);
    await rm(path.join(folders[0] ?? '', 'beacons'), { recursive: true });
    await eventually(() => one.fault() === undefined && other.fault() === undefined, { what: 'both beacons again' });
  });

  it('miss each other in two folders, until one of them ends', async () => {
    const one = await start(folders[0]);
    const other = await start(folders[1]);
    expect(other.fault()).toContain('does not share the folder');
    await eventually(() => one.fault() !== undefined, { what: 'the fault of the first api' });
    await other.close();
    await eventually(() => one.fault() === undefined, { what: 'the end of the fault' });
  });
});
