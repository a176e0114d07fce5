import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { LogItem, LogPage } from '@mailhook/core';
import { eventually } from '@mailhook/testing';
import { z } from 'zod';
import { PATIENCE_MS } from '../rig/fault-report.ts';
import type { Customer } from '../rig/load.ts';
import { startRunUnderLoad } from '../rig/run-under-load.ts';
import type { RunUnderLoad } from '../rig/run-under-load.ts';

const KILLS = 6;

/**
 * The log has every accepted event once, also if a process dies between the acceptance, the end of its chunk, and the
 * segment. The histories of producers and receivers say what it must hold.
 */
describe('processes die while the event log is on, under load', () => {
  let run: RunUnderLoad;
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'event-log-'));
  });
  afterEach(async () => {
    await run.close();
    await rm(folder, { recursive: true, force: true });
  }, 90_000);

  const call = async (url: string, token: string, body: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const reply = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!reply.ok) throw new Error(`${url}: ${reply.status} ${await reply.text()}`);
    return reply.json();
  };
  /** The entries of an account. */
  const entriesOf = async ({ account }: Customer): Promise<LogItem[]> => {
    const { baseUrl, opsUrl, adminToken } = run.stack;
    const made = await call(`${opsUrl}/admin/accounts/${account}/tokens`, adminToken, {});
    const { token } = z.object({ token: z.string() }).parse(made);
    const items: LogItem[] = [];
    for (let cursor: string | undefined; ;) {
      const page = (await call(`${baseUrl}/v3/webhook/log/search`, token, { limit: 100, cursor })) as LogPage;
      for (const item of page.items)
        if (!('gap' in item)) items.push(item);
        else throw new Error(`the log has a gap: ${JSON.stringify(item)}`);
      if (page.nextCursor === undefined) return items;
      cursor = page.nextCursor;
    }
  };
  /** What the ledger calls an event. */
  const keyOf = ({ notificationPath }: Customer, { event }: LogItem): string =>
    event['module'] === 'campaign' ? String(event['email']) : `${notificationPath} ${String(event['messageId'])}`;

  /** Plays a store that is away. */
  const withoutStore = async (work: () => Promise<void>): Promise<void> => {
    await rename(folder, `${folder}-away`);
    await writeFile(folder, '');
    await work();
    await rm(folder);
    await rename(`${folder}-away`, folder);
  };

  /** Waits for the deliveries of all events. */
  const expectEachOnce = async (): Promise<void> => {
    await run.everythingArrives();
    const accepted = new Set(run.acceptedAtMs.keys());
    const read = async () =>
      (
        await Promise.all(
          run.customers.map(async (customer) =>
            (await entriesOf(customer)).map((item) => ({ key: keyOf(customer, item), item })),
          ),
        )
      ).flat();
    // The last outcomes come with the last replies, and the log has them with the next reading.
    await eventually(
      async () => (await read()).every(({ item }) => item.destinations.every(({ outcome }) => outcome === 'delivered')),
      { withinMs: PATIENCE_MS, what: 'the outcomes of all events' },
    );
    const entries = await read();
    const keys = entries.map(({ key }) => key).filter((key) => accepted.has(key));
    expect(new Set(keys).size).toBe(accepted.size);
    expect(keys.length).toBe(accepted.size);
    expect(new Set(entries.map(({ item }) => item.entry)).size).toBe(entries.length);
  };

  test('apis, also while the store is away, workers and Redis', async () => {
    run = await startRunUnderLoad('log', { appendfsync: 'always', env: envWith(folder) });
    for (let kill = 0; kill < KILLS; kill += 1) {
      await run.moreOf('delivered', 60);
      const worker = run.stack.workers[kill % run.stack.workers.length];
      if (kill % 3 === 0)
        await withoutStore(async () => {
          await run.stack.restartApi();
          await run.moreOf('delivered', 60);
        });
      else if (kill % 3 === 1 && worker !== undefined) {
        await run.stack.killWorker(worker);
        await run.stack.startWorker(worker.name);
      } else {
        await run.stack.redis.kill();
        await run.stack.redis.restart();
      }
    }
    await expectEachOnce();
    run.report(`event log, ${KILLS} kills`);
  }, 300_000);

  test('the master of Redis, while its buffer waits for the store', async () => {
    run = await startRunUnderLoad('log', { hasReplica: true, env: envWith(folder) });
    await run.stack.untilReplicated();
    await withoutStore(async () => {
      await run.moreOf('delivered', 300);
      await run.load.stop();
      await run.stack.untilReplicated();
      await run.stack.failOver();
    });
    await expectEachOnce();
    run.report('event log, failover');
  }, 300_000);
});

const envWith = (folder: string): NodeJS.ProcessEnv => ({
  EVENT_LOG: folder,
  RETRY_SCHEDULE: Array.from({ length: 30 }, () => '200ms').join(','),
  BREAKER_FAILURES: '1000',
  CUSTOMER_REQUESTS_PER_SECOND: '100000',
});
