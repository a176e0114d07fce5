import { EMAIL_EVENTS_QUEUE } from '@mailhook/core';
import { eventually } from '@mailhook/testing';
import type { LogLine } from '@mailhook/testing';
import { compareContents } from './contents.ts';
import type { Contents } from './contents.ts';
import { startCountingReceiver } from './counting-receiver.ts';
import { isOver, unfinishedJobs } from './engine-state.ts';
import { PATIENCE_MS } from './fault-report.ts';
import { createLedger } from './ledger.ts';
import type { Ledger } from './ledger.ts';
import { createCustomers, startLoad } from './load.ts';
import type { Customer, Load } from './load.ts';
import { createRandom, runSeed } from './random.ts';
import type { Random } from './random.ts';
import { startStack } from './stack.ts';
import type { Stack, StackOptions } from './stack.ts';

/** A stack under a load of both mechanisms, with receivers that refuse 5 % of the requests. */
export interface RunUnderLoad {
  readonly stack: Stack;
  readonly ledger: Ledger;
  /** Of all requests, by their `webhook-id`. */
  readonly contents: Contents;
  readonly customers: readonly Customer[];
  readonly random: Random;
  readonly load: Load;
  /** When each event was accepted, in `performance.now()`. */
  readonly acceptedAtMs: ReadonlyMap<string, number>;
  /** The lines of the log with which workers report lost writes. */
  readonly lostWrites: readonly LogLine[];
  moreOf(count: 'accepted' | 'delivered', more: number): Promise<true>;
  /** Ends the load. Resolves when every accepted event that is not excused has arrived, and no work is left. */
  everythingArrives(isExcused?: (key: string) => boolean): Promise<void>;
  /** Prints what became of the events. */
  report(fault: string): void;
  close(): Promise<void>;
}

export async function startRunUnderLoad(series: string, options: Partial<StackOptions>): Promise<RunUnderLoad> {
  const random = createRandom(runSeed());
  const ledger = createLedger();
  const contents = compareContents();
  const acceptedAtMs = new Map<string, number>();
  const lostWrites: LogLine[] = [];
  const receiver = await startCountingReceiver(ledger, (_path, { webhookId, text }) => {
    contents.see(webhookId, text);
    return { delayMs: random.between(10, 60), ...(random.next() < 0.05 ? { status: 500 } : {}) };
  });
  const stack = await startStack({
    workers: { 'transactional-notifier': 2, 'campaign-batcher': 2 },
    env: { RETRY_SCHEDULE: Array.from({ length: 30 }, () => '200ms').join(','), BREAKER_FAILURES: '1000' },
    onLine: (_name, line) => {
      if (line.message.startsWith('Redis lost its writes')) lostWrites.push(line);
    },
    ...options,
  });
  const customers = await createCustomers(stack, receiver.url, 10);
  const accept = (keys: readonly string[]): void => {
    for (const key of keys) acceptedAtMs.set(key, performance.now());
    ledger.accept(keys);
  };
  const rates = { everyMs: 80, notifications: 5, campaignEvents: 10 };
  const load = startLoad({ stack, ledger: { accept }, random, customers, series, ...rates });
  const isAtRest = async (): Promise<boolean> => {
    const fed = await unfinishedJobs(stack.client, `${stack.queuePrefix}:${EMAIL_EVENTS_QUEUE}`);
    const remains = await Promise.all(Object.values(stack.state).map((state) => state.remains()));
    return fed.length === 0 && remains.every(isOver);
  };
  return {
    stack,
    ledger,
    contents,
    customers,
    random,
    load,
    acceptedAtMs,
    lostWrites,
    moreOf(count, more) {
      const wanted = ledger[count] + more;
      return eventually(() => ledger[count] >= wanted, { withinMs: 2 * PATIENCE_MS, what: `${more} more ${count}` });
    },
    async everythingArrives(isExcused = () => false) {
      await load.stop();
      const owed = (): string[] => ledger.missing(Infinity).filter((key) => !isExcused(key));
      const isWhole = eventually(() => owed().length === 0, { withinMs: 2 * PATIENCE_MS, what: 'every owed event' });
      await isWhole.catch(() => expect(owed().slice(0, 10)).toEqual([]));
      await eventually(isAtRest, { withinMs: 2 * PATIENCE_MS, what: 'the end of all work' });
      expect(contents.changed).toEqual([]);
      expect(stack.endedThemselves).toEqual([]);
    },
    report(fault) {
      process.stdout.write(
        `${fault}: ${ledger.accepted} accepted, ${ledger.outstanding} missing, ${ledger.duplicates} twice, ` +
          `${ledger.renamed.length} under another webhook-id, ${contents.repeated} repeated requests ` +
          `(${contents.changed.length} with another content), ${load.refused} requests refused, ` +
          `longest delay ${ledger.greatestDelayMs} ms, ${lostWrites.length} reports of lost writes\n`,
      );
    },
    async close() {
      await load.stop();
      await stack.close();
      await receiver.close();
    },
  };
}
