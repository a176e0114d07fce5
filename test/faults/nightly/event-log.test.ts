import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ReplayState } from '@mailhook/core';
import { eventually, fillDisk, freeDisk } from '@mailhook/testing';
import { readScrape } from '../../../scripts/monitoring/scrape.ts';
import { callAs, compareLog, loggingTo } from '../rig/compare-log.ts';
import { PATIENCE_MS } from '../rig/fault-report.ts';
import { post } from '../rig/load.ts';
import type { Customer } from '../rig/load.ts';
import { startRunUnderLoad } from '../rig/run-under-load.ts';
import type { RunUnderLoad } from '../rig/run-under-load.ts';

const KILLS = 6;
const REPLAYED = 6000;

/**
 * The log has every accepted event once, also if a process dies between the acceptance, the end of its chunk, and the
 * segment. The histories of producers and receivers say what it must hold.
 */
describe('processes die while the event log is on', () => {
  let run: RunUnderLoad;
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'event-log-'));
  });
  afterEach(async () => {
    await run.close();
    await rm(folder, { recursive: true, force: true });
  }, 90_000);

  const failedWrites = async (): Promise<number> => {
    const scrape = readScrape(await (await fetch(`${run.stack.opsUrl}/metrics`)).text());
    return scrape.find(({ metric }) => metric === 'mailhook_event_log_store_failures_total')?.value ?? 0;
  };

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
    // The last outcomes come with the last replies.
    const compare = () => compareLog(run.stack, run.customers, run.ledger);
    await eventually(async () => (await compare()).length === 0, {
      withinMs: PATIENCE_MS,
      what: 'no difference',
    }).catch(async () => expect(await compare()).toEqual([]));
    expect(run.ledger.delivered).toBeGreaterThan(0);
  };

  test('apis, also while the store is away or full, workers and Redis', async () => {
    run = await startRunUnderLoad('log', { appendfsync: 'always', env: envWith(folder) });
    for (let kill = 0; kill < KILLS; kill += 1) {
      await run.moreOf('delivered', 60);
      const worker = run.stack.workers[kill % run.stack.workers.length];
      if (kill % 3 === 0) {
        await withoutStore(async () => {
          await run.stack.restartApi();
          await run.moreOf('delivered', 60);
        });
        const before = await failedWrites();
        fillDisk(run.stack.api.pid);
        await eventually(async () => (await failedWrites()) > before, {
          withinMs: PATIENCE_MS,
          what: 'a failed write',
        });
        await run.moreOf('delivered', 60);
        freeDisk(run.stack.api.pid);
      } else if (kill % 3 === 1 && worker !== undefined) {
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

  test('a replay, while apis stop and die, and Redis dies', async () => {
    const from = new Date().toISOString();
    run = await startRunUnderLoad('log', { appendfsync: 'always', env: envWith(folder) });
    await run.load.stop();
    const [customer] = run.customers as [Customer];
    for (let part = 0; part < REPLAYED; part += 500) {
      const emails = Array.from({ length: 500 }, (_, i) => `part${part}.${i}@example.com`);
      const event = { account: customer.account, module: 'campaign', event: 'open', campaign: 'aBcDeFgHiJ' };
      const timestamp = Math.floor(Date.now() / 1000);
      const status = await post(
        run.stack,
        emails.map((email) => ({ ...event, timestamp, email })),
      );
      expect(status).toBe(202);
      run.ledger.accept(emails);
    }
    await run.everythingArrives();
    const before = new Set(run.ledger.renamed).size;
    const range = { from, to: new Date().toISOString() };
    const started = await callAs(customer, run.stack, 'destinations/campaign/replay', range);
    const { id } = started as { readonly id: string };
    const read = async () => (await callAs(customer, run.stack, `destinations/campaign/replays/${id}`)) as ReplayState;
    const untilSent = (sent: number) =>
      eventually(async () => (await read()).sent >= sent, { withinMs: PATIENCE_MS, what: `${sent} replayed events` });
    await untilSent(500);
    expect(await run.stack.replaceApi()).toBe(0);
    await untilSent(1500);
    await run.stack.restartApi();
    await untilSent(3000);
    await run.stack.redis.kill();
    await run.stack.redis.restart();
    const state = await eventually(
      async () => {
        const found = await read().catch(() => undefined);
        return found?.state === 'done' && found;
      },
      { withinMs: PATIENCE_MS, what: 'the end of the replay' },
    );
    expect(state).toMatchObject({ sent: state.events, delivered: state.events, dead: 0, missed: 0 });
    expect(state.events).toBeGreaterThanOrEqual(REPLAYED);
    // Each event came in one batch of the replay, though perhaps in several requests.
    expect(new Set(run.ledger.renamed).size - before).toBe(state.events);
    run.report('event log, replay');
  }, 300_000);
});

const envWith = (folder: string): NodeJS.ProcessEnv => ({
  ...loggingTo(folder),
  RETRY_SCHEDULE: Array.from({ length: 30 }, () => '200ms').join(','),
  BREAKER_FAILURES: '1000',
});
