import { spawn } from 'node:child_process';
import { version1Route } from '@mailhook/core';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  anOpen,
  bundleProgram,
  eventually,
  freePort,
  startNameServer,
  startReceiver,
  testRedisUrl,
} from '@mailhook/testing';
import type { FakeReceiver, ServiceProcess } from '@mailhook/testing';
import type { Rig } from '../engine/rig.ts';
import { startRig } from '../engine/rig.ts';
import { startService } from './rig/service.ts';

const HANGING = 230;
const HEALTHY = 10;

/** Receivers get three quarters of them. With fewer, a service may fail to load its modules. */
const OPEN_FILES_MAX = 256;

describe('a worker with few file descriptors', () => {
  let receiver: FakeReceiver;
  let rig: Rig;
  let worker: ServiceProcess;
  let opsUrl: string;

  beforeEach(async () => {
    receiver = await startReceiver({
      reply: ({ path: at }) => (at.startsWith('/hang') ? { hang: 'reply' } : { status: 204 }),
    });
    rig = await startRig({ kind: 'transactional' });
    const opsPort = await freePort();
    opsUrl = `http://127.0.0.1:${opsPort}`;
    worker = await startService(
      'transactional-notifier',
      {
        HOST: '127.0.0.1',
        OPS_PORT: String(opsPort),
        REDIS_URL: await testRedisUrl(),
        QUEUE_PREFIX: rig.queuePrefix,
        DELIVERY_TIMEOUT_MS: '3000',
        ALLOW_PRIVATE_DESTINATIONS: 'true',
      },
      { openFilesMax: OPEN_FILES_MAX },
    );
  }, 60_000);
  afterEach(async () => {
    await worker.kill();
    await rig.close();
    await receiver.close();
  });

  /** Publishes all events in one request, so that all hanging receivers hang at the same time. */
  const publishTo = async (addresses: readonly string[], eventsEach: number): Promise<void> => {
    const ids = addresses.map((address) => address.replaceAll(/\W/g, '-'));
    await Promise.all(ids.map((id, i) => rig.destination(id, addresses[i] ?? '')));
    await rig.publisher.publish(
      ids.flatMap((id) =>
        Array.from({ length: eventsEach }, (_, n) => ({
          event: anOpen({ account: 'acme', messageId: `${id}.${n}` }),
          destinations: [id].map(version1Route),
        })),
      ),
    );
  };
  const localFaults = async (): Promise<number> => {
    const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
    return Number(/^mailhook_local_faults_total\{[^}]*cause="file-descriptors"\} (\d+)$/m.exec(metrics)?.[1]);
  };

  test('and hanging receivers on all connections uses up no attempt of other destinations', async () => {
    const addresses = (name: string, count: number) =>
      Array.from({ length: count }, (_, i) => `${receiver.url}/${name}${i}`);
    await publishTo(addresses('hang', HANGING), 2);
    await eventually(async () => (await localFaults()) > 0, { withinMs: 20_000, what: 'a local fault' });
    await publishTo(addresses('fine', HEALTHY), 5);
    expect((await fetch(`${opsUrl}/healthz`)).status).toBe(200);
    const healthy = () => receiver.requests.filter(({ path: at }) => at.startsWith('/fine'));
    await eventually(() => healthy().length >= HEALTHY * 5, {
      withinMs: 30_000,
      what: 'all events of the healthy receivers',
    });
    expect(healthy().map(({ headers }) => headers['webhook-attempt'])).toEqual(Array(HEALTHY * 5).fill('1'));
  }, 90_000);

  test('and idle connections on all of them makes room for each request', async () => {
    const WAVES = 4;
    for (let wave = 1; wave <= WAVES; wave += 1) {
      const names = Array.from({ length: 100 }, (_, i) => `r${wave}-${i}.localhost`);
      await publishTo(
        names.map((name) => `http://${name}:${receiver.port}/`),
        1,
      );
      await receiver.waitForRequests(wave * 100, 30_000);
    }
    expect(receiver.connections.total).toBe(WAVES * 100);
    expect(receiver.connections.open).toBeGreaterThan(100);
    expect(receiver.connections.open).toBeLessThanOrEqual(OPEN_FILES_MAX * 0.75);
    expect(receiver.requests.map(({ headers }) => headers['webhook-attempt'])).toEqual(Array(WAVES * 100).fill('1'));
    expect((await localFaults()) || 0).toBe(0);
    expect((await fetch(`${opsUrl}/healthz`)).status).toBe(200);
  }, 90_000);
});

test('without free file descriptors, no receiver or name is blamed, and no lookup is wrong', async () => {
  const [receiver, names, dir] = await Promise.all([
    startReceiver(),
    startNameServer(),
    mkdtemp(path.join(tmpdir(), 'mailhook-hosts-')),
  ]);
  const hostsFile = path.join(dir, 'hosts');
  await writeFile(hostsFile, '127.0.0.9 listed.test\n');
  names.setName('named.test', ['127.0.0.1']);
  names.setName('listed.test', ['127.0.0.1']);
  const options = {
    port: receiver.port,
    nameServer: names.address,
    hostsFile,
    names: ['named.test', 'listed.test'],
  };
  try {
    expect(await clientWithoutFiles(options)).toEqual({
      without: {
        post: 'file-descriptors',
        postByName: 'file-descriptors',
        lookups: ['EMFILE', 'EMFILE', 'EMFILE', 'EMFILE'],
      },
      freed: { post: 'reply', postByName: 'reply', lookups: ['127.0.0.1', '127.0.0.9', '127.0.0.1', '127.0.0.1'] },
    });
  } finally {
    await Promise.all([receiver.close(), names.close(), rm(dir, { recursive: true })]);
  }
}, 30_000);

async function clientWithoutFiles(options: unknown): Promise<unknown> {
  const program = await bundleProgram("import './test/faults/rig/client-without-files.ts';");
  const limited = ['-c', 'ulimit -n 1024; exec "$0" "$1" "$2"', process.execPath, program, JSON.stringify(options)];
  const child = spawn('sh', limited, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  let seen: unknown;
  child.on('message', (message) => {
    seen = message;
  });
  await once(child, 'exit');
  return seen;
}
