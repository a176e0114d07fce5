import { EMAIL_EVENTS_QUEUE } from '@mailhook/core';
import { cannotLosePower, eventually, LOSS_VARIANTS, unlessImpossible } from '@mailhook/testing';
import type { PowerLoss, PowerLossOptions } from '@mailhook/testing';
import { compareContents } from './rig/contents.ts';
import { startCountingReceiver } from './rig/counting-receiver.ts';
import type { CountingReceiver } from './rig/counting-receiver.ts';
import { isOver, unfinishedJobs } from './rig/engine-state.ts';
import { explainRepeats } from './rig/explain-repeats.ts';
import { allInFlight, PATIENCE_MS, WORKER_NAMES } from './rig/fault-report.ts';
import type { FaultReport } from './rig/fault-report.ts';
import { createLedger } from './rig/ledger.ts';
import { createCustomers, startLoad } from './rig/load.ts';
import type { Customer, Load } from './rig/load.ts';
import { createRandom, runSeed } from './rig/random.ts';
import { rewriteFile, untilRewritten } from './rig/until-rewritten.ts';
import { startStack } from './rig/stack.ts';
import type { Stack } from './rig/stack.ts';
import { variants } from './rig/variants.ts';

const CRASHES = { always: 20, everysec: 10 };
/** With `everysec`: how long before the crash a lost event may have been accepted. */
const WINDOW_MS = 10_000;
/** A rewrite of the append-only file takes long enough for a crash, and Redis begins none by itself. */
const SLOW_REWRITES = ['--rdb-key-save-delay', '300', '--auto-aof-rewrite-percentage', '0'];

unlessImpossible(describe, cannotLosePower())('the machine of Redis loses power under load, and Redis restarts', () => {
  describe.each(variants(['always', 'everysec'] as const, 1))('appendfsync %s', (appendfsync) => {
    const isAlways = appendfsync === 'always';
    const random = createRandom(runSeed());
    const ledger = createLedger();
    const contents = compareContents();
    const acceptedAtMs = new Map<string, number>();
    /** Lost events, and how long before the crash each was accepted, in milliseconds. */
    const lost = new Map<string, number>();
    const losses: (PowerLoss & { readonly isRefused: boolean })[] = [];
    const reports: FaultReport[] = [];
    let receiver: CountingReceiver;
    let stack: Stack;
    let customers: readonly Customer[];
    let load: Load;
    let isHeld = false;
    let downUntilMs = 0;

    beforeAll(async () => {
      receiver = await startCountingReceiver(ledger, (_path, { webhookId, text }) => {
        contents.see(webhookId, text);
        return { delayMs: random.between(10, 60), ...(random.next() < 0.05 ? { status: 500 } : {}) };
      });
      stack = await startStack({
        workers: { 'transactional-notifier': 2, 'campaign-batcher': 2 },
        appendfsync,
        canLosePower: true,
        redisArgs: SLOW_REWRITES,
        env: { RETRY_SCHEDULE: Array.from({ length: 30 }, () => '200ms').join(','), BREAKER_FAILURES: '1000' },
      });
      customers = await createCustomers(stack, receiver.url, 10);
      const accept = (keys: readonly string[]): void => {
        for (const key of keys) acceptedAtMs.set(key, performance.now());
        ledger.accept(keys);
      };
      const rates = { everyMs: 80, notifications: 5, campaignEvents: 10, isHeld: () => isHeld };
      load = startLoad({ stack, ledger: { accept }, random, customers, series: 'power', ...rates });
    }, 120_000);

    afterAll(async () => {
      await load.stop();
      await stack.close();
      await receiver.close();
    }, 90_000);

    const owed = (): string[] => ledger.missing(Infinity).filter((key) => !lost.has(key));

    const moreOf = (count: 'accepted' | 'delivered', more: number): Promise<true> => {
      const wanted = ledger[count] + more;
      return eventually(() => ledger[count] >= wanted, { withinMs: 2 * PATIENCE_MS, what: `${more} more ${count}` });
    };

    async function untilRest(): Promise<void> {
      const isAtRest = async (): Promise<boolean> => {
        if (load.pending > 0) return false;
        if ((await unfinishedJobs(stack.client, `${stack.queuePrefix}:${EMAIL_EVENTS_QUEUE}`)).length > 0) return false;
        const remains = await Promise.all(Object.values(stack.state).map((state) => state.remains()));
        return remains.every(isOver);
      };
      await eventually(isAtRest, { withinMs: 2 * PATIENCE_MS, what: 'the end of all work' });
    }

    /** The workers stay cut off until the test has read what they had in flight, which only Redis knows. */
    async function inflict(fault: string, act: () => Promise<void>): Promise<void> {
      const fromMs = performance.now();
      stack.proxy.cut();
      await act();
      const met = await eventually(() => allInFlight({ stack }), { withinMs: PATIENCE_MS, what: 'the state after it' });
      stack.proxy.restore();
      reports.push({ ...met, fault, kills: 1, fromMs, untilMs: performance.now() });
    }

    /** Resolves with whether Redis refused its file, which its own tool then repairs. */
    async function startRedisAgain(): Promise<boolean> {
      const { redis } = stack;
      try {
        await redis.restart();
        return false;
      } catch (error) {
        if (!String(error).includes('Bad file format')) throw error;
        redis.disk?.repair();
        await redis.restart();
        return true;
      }
    }

    async function restartServices(): Promise<void> {
      await stack.restartApi();
      for (const name of [...WORKER_NAMES, ...WORKER_NAMES]) await stack.startWorker(name);
    }

    async function losePower(time: number, variant: PowerLossOptions['variant']): Promise<void> {
      const choices = random.about(`crash ${time}`);
      const isStalled = choices.next() < 0.7;
      // With everysec a whole one, because a loss of power while it begins may leave a gap (docs/reliability.md).
      if (choices.next() < 0.4)
        await (isAlways ? stack.client.call('BGREWRITEAOF').catch(() => undefined) : rewriteFile(stack));
      // With everysec, Redis answers while a sync waits.
      if (isStalled) await stack.redis.disk?.stall();
      if (isStalled && !isAlways) await moreOf('accepted', choices.between(20, 200));
      // Sometimes all services run on the machine of Redis.
      const dying = time % 5 === 0 ? [...stack.workers] : [];
      await inflict('power loss', async () => {
        const loss = await stack.redis.losePower({
          variant,
          names: choices.pick(['strict', 'journal']),
          random: () => choices.next(),
        });
        isHeld = !isAlways;
        await Promise.all(dying.map((worker) => stack.killWorker(worker)));
        losses.push({ ...loss, isRefused: await startRedisAgain() });
        downUntilMs = performance.now();
      });
      if (dying.length > 0) await restartServices();
    }

    function noteLost(crashedAtMs: number): void {
      for (const key of owed()) {
        const acceptedMs = acceptedAtMs.get(key) ?? 0;
        // The producer may see a 202 from before the crash while Redis is down.
        lost.set(key, crashedAtMs - (acceptedMs < downUntilMs ? Math.min(acceptedMs, crashedAtMs) : acceptedMs));
      }
    }

    const crashes = variants([...Array(CRASHES[appendfsync]).keys()], 1).map(
      (i) => [i + 1, LOSS_VARIANTS[(i + random.seed) % LOSS_VARIANTS.length]!] as const,
    );
    test.each(crashes)(
      'crash %i, %s: Redis starts, rewrites its file, and restarts once more',
      async (time, variant) => {
        await moreOf('delivered', 100);
        await losePower(time, variant);
        const crashedAtMs = reports.at(-1)?.fromMs ?? 0;
        await untilRewritten(stack);
        if (isAlways) await moreOf('delivered', 50);
        await inflict('restart', async () => {
          await stack.redis.kill();
          await stack.redis.restart();
        });
        if (!isAlways) {
          await untilRest();
          noteLost(crashedAtMs);
          isHeld = false;
        }
      },
      300_000,
    );

    test('what was accepted arrives, except for the last moment before a crash with everysec', async () => {
      await load.stop();
      const isWhole = eventually(() => owed().length === 0, { withinMs: 2 * PATIENCE_MS, what: 'every owed event' });
      await isWhole.catch(() => expect(owed().slice(0, 10)).toEqual([]));
      const { byFault, unexplained } = explainRepeats(ledger.repeats, reports, customers);
      const explained = [...byFault.values()].reduce((sum, repeats) => sum + repeats.length, 0);
      const windowMs = Math.round(Math.max(0, ...lost.values()));
      process.stdout.write(
        `power loss, ${appendfsync}: ${losses.length} crashes ` +
          `(${losses.filter(({ bytesUnsynced }) => bytesUnsynced > 0).length} with something unsynced, ` +
          `${losses.filter(({ isInRewrite }) => isInRewrite).length} in a rewrite, ` +
          `${losses.filter(({ isRefused }) => isRefused).length} refused starts), ${ledger.accepted} accepted, ` +
          `${lost.size} missing (accepted up to ${windowMs} ms before the crash), ${ledger.duplicates} twice ` +
          `(${explained} explained), ${ledger.renamed.length} under another webhook-id, ${contents.repeated} ` +
          `repeated requests (${contents.changed.length} with another content), ${load.refused} requests refused\n`,
      );
      if (isAlways) {
        expect(ledger.renamed).toEqual([]);
        expect(unexplained).toEqual([]);
      } else {
        expect([...lost].filter(([, ms]) => ms > WINDOW_MS || ms < 0)).toEqual([]);
      }
    }, 120_000);

    test('no webhook-id names two contents, and no process ended', () => {
      expect(contents.changed).toEqual([]);
      expect(stack.endedThemselves).toEqual([]);
    });

    test('no work is left: no events, owners, resends or chunks', () => untilRest(), 90_000);
  });
});
