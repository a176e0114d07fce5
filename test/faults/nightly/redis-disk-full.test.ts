import { anOpen, eventually, fillDisk, freeDisk, unlessMissing } from '@mailhook/testing';
import { readScrape } from '../../../scripts/monitoring/scrape.ts';
import type { CountingReceiver } from '../rig/counting-receiver.ts';
import { startCountingReceiver } from '../rig/counting-receiver.ts';
import { untilOver } from '../rig/engine-state.ts';
import { createLedger } from '../rig/ledger.ts';
import type { Load } from '../rig/load.ts';
import { createCustomers, startLoad } from '../rig/load.ts';
import { createRandom, runSeed } from '../rig/random.ts';
import type { Stack } from '../rig/stack.ts';
import { startStack } from '../rig/stack.ts';

unlessMissing(describe, 'prlimit')('the disk of Redis is full', () => {
  let ledger: ReturnType<typeof createLedger>;
  let receiver: CountingReceiver;
  let stack: Stack;
  let load: Load;
  let account: string;

  async function start(appendfsync: 'everysec' | 'always'): Promise<void> {
    const random = createRandom(runSeed());
    ledger = createLedger();
    receiver = await startCountingReceiver(ledger, () => ({ delayMs: 20 }));
    stack = await startStack({
      workers: { 'transactional-notifier': 2, 'campaign-batcher': 1 },
      appendfsync,
    });
    const customers = await createCustomers(stack, receiver.url, 4);
    account = customers[0]?.account ?? '';
    const pace = { everyMs: 50, notifications: 5, campaignEvents: 5 };
    load = startLoad({ stack, ledger, random, customers, series: 'disk', ...pace });
    await eventually(() => ledger.delivered > 100, { withinMs: 30_000, what: 'deliveries in progress' });
    fillDisk(stack.redis.pid);
  }
  async function postOne() {
    const reply = await fetch(`${stack.baseUrl}/v3/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stack.producerToken}`, 'content-type': 'application/json' },
      body: JSON.stringify([anOpen({ account })]),
    });
    const { detail = '' } = (await reply.json()) as { detail?: string };
    return { status: reply.status, detail, retryAfter: reply.headers.get('retry-after') };
  }

  /** Expects that the same processes accept and deliver events again: none was restarted. */
  async function expectAllToGoOn(): Promise<void> {
    const [waiting, startedAtMs] = [ledger.outstanding, performance.now()];
    await eventually(async () => (await postOne()).status === 202, { withinMs: 15_000, what: 'a 202' });
    await load.stop();
    await ledger.untilWhole(30_000);
    process.stdout.write(
      `disk full: ${ledger.accepted} accepted, ${waiting} undelivered when there was space, ${ledger.outstanding} ` +
        `missing, ${ledger.duplicates} duplicates, ${load.refused} requests refused; all had arrived after ` +
        `${Math.round(ledger.lastDeliveryAtMs - startedAtMs)} ms\n`,
    );
    expect(ledger.renamed).toEqual([]);
    expect(stack.endedThemselves).toEqual([]);
    await untilOver(Object.values(stack.state));
  }

  afterEach(async () => {
    // The stack closes first, because a request to an unreachable Redis waits until its client is closed.
    await stack.close();
    await load.stop();
    await receiver.close();
  });
  test('appendfsync everysec: events are refused with the reason, deliveries go on when there is space', async () => {
    await start('everysec');
    const refusal = await eventually(
      async () => {
        const reply = await postOne();
        return reply.status !== 202 && reply;
      },
      { withinMs: 15_000, what: 'a refusal' },
    );
    expect(refusal.status).toBe(503);
    expect(refusal.detail).toContain('Redis cannot write to its disk');
    expect(Number(refusal.retryAfter)).toBeGreaterThan(0);
    // The api stays ready, because a 503 of its load balancer would give no reason.
    expect((await fetch(`${stack.opsUrl}/readyz`)).status).toBe(200);
    const scrape = readScrape(await (await fetch(`${stack.opsUrl}/metrics`)).text());
    const failing = scrape.filter(({ metric, value }) => metric === 'mailhook_redis_disk_failing' && value === 1);
    expect(failing.map(({ labels }) => labels.get('what'))).toEqual(['write']);
    // This takes long enough for every worker to lose its lease.
    await eventually(() => load.refused > 80, { withinMs: 30_000, what: 'refusals for seconds' });
    freeDisk(stack.redis.pid);
    await expectAllToGoOn();
  }, 120_000);

  test('appendfsync always: Redis ends, and deliveries go on when it is started again with space', async () => {
    await start('always');
    const hasEnded = (): boolean => !isRunning(stack.redis.pid);
    await eventually(hasEnded, { withinMs: 15_000, what: 'the end of Redis' });
    expect((await postOne()).status).toBe(503);
    await stack.redis.restart();
    fillDisk(stack.redis.pid);
    await eventually(hasEnded, { withinMs: 15_000, what: 'its second end: the disk is still full' });
    await stack.redis.restart();
    await expectAllToGoOn();
  }, 120_000);
});

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
