import { cannotShiftClocks, eventually, unlessImpossible } from '@mailhook/testing';
import { engineKeys } from '@mailhook/delivery';
import { readAccountSums } from '../../../packages/delivery/src/mailbox/accounts.ts';
import type { CountingReceiver } from '../rig/counting-receiver.ts';
import { startCountingReceiver } from '../rig/counting-receiver.ts';
import { untilOver, unfinishedJobs } from '../rig/engine-state.ts';
import { createLedger } from '../rig/ledger.ts';
import type { Customer, Load } from '../rig/load.ts';
import { createCustomers, post, startLoad } from '../rig/load.ts';
import { createRandom, runSeed } from '../rig/random.ts';
import type { Stack } from '../rig/stack.ts';
import { startStack } from '../rig/stack.ts';

const HOUR_MS = 3_600_000;
const DEAD_LETTERS = 5;

unlessImpossible(describe, cannotShiftClocks())('the clock of Redis steps an hour forward under load', () => {
  const random = createRandom(runSeed());
  const ledger = createLedger();
  let receiver: CountingReceiver;
  let stack: Stack;
  let healthy: readonly Customer[];
  let [refusing, paused, dropped]: Customer[] = [];
  let load: Load;
  let areAllHealthy = false;
  /** The chunks that had not ended at a step forward, as JSON. */
  const openAtSteps: string[] = [];

  beforeAll(async () => {
    const isRefusing = (path: string): boolean =>
      path === refusing?.notificationPath || path === refusing?.campaignPath;
    receiver = await startCountingReceiver(ledger, (path) => ({
      delayMs: random.between(10, 60),
      ...((!areAllHealthy && isRefusing(path)) || random.next() < 0.02 ? { status: 500 } : {}),
    }));
    stack = await startStack({
      workers: { 'transactional-notifier': 2, 'campaign-batcher': 2 },
      clockAheadMs: 0,
      env: {
        RETRY_SCHEDULE: Array.from({ length: 200 }, () => '500ms').join(','),
        BREAKER_FAILURES: '5',
        BREAKER_PARK_MAX: '5s',
      },
    });
    healthy = await createCustomers(stack, receiver.url, 6);
    [refusing, paused, dropped] = await createCustomers(stack, receiver.url, 3, 6);
    await operate(paused!, 'pause', { minutes: 1440 });
    await makeDeadLetters();
    const rates = { everyMs: 100, notifications: 6, campaignEvents: 10 };
    const customers = [...healthy, ...healthy, refusing!, paused!];
    load = startLoad({ stack, ledger, random, customers, series: 'clock', ...rates });
  }, 120_000);

  afterAll(async () => {
    await load.stop();
    await stack.close();
    await receiver.close();
  }, 60_000);

  afterEach(async () => {
    for (const name of ['transactional-notifier', 'campaign-batcher'] as const)
      while (stack.workers.filter((one) => one.name === name).length < 2) await stack.startWorker(name);
  }, 60_000);

  /** Applies an operator's action to an account's campaign address. */
  async function operate({ account }: Customer, action: string, body: object): Promise<void> {
    const reply = await fetch(`${stack.opsUrl}/admin/destinations/campaign-${account}/${action}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stack.adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect({ action, status: reply.status, text: await reply.text() }).toMatchObject({
      status: action === 'drop' ? 202 : 200,
    });
  }

  async function makeDeadLetters(): Promise<void> {
    await operate(dropped!, 'pause', { minutes: 1440 });
    const event = { account: dropped!.account, module: 'campaign', event: 'open', campaign: 'aBcDeFgHiJ' };
    const timestamp = Math.floor(Date.now() / 1000);
    const events = Array.from({ length: DEAD_LETTERS }, (_, i) => ({
      ...event,
      email: `dead${i}@example.com`,
      timestamp,
    }));
    expect(await post(stack, events)).toBe(202);
    await eventually(async () => (await undelivered(dropped!)) === DEAD_LETTERS, { what: 'waiting events' });
    await operate(dropped!, 'drop', { confirm: `campaign-${dropped!.account}` });
    await eventually(async () => (await deadEvents()) === DEAD_LETTERS, { what: 'dead letters' });
  }

  const undelivered = async ({ account }: Customer): Promise<number> =>
    (await readAccountSums(stack.client, engineKeys('mailhook', 0, 'campaign'), account)).events;

  /** Counts the events of all dead letters, from the records in Redis. */
  async function deadEvents(): Promise<number> {
    let events = 0;
    for (const member of await stack.client.zrange('{mailhook:0}:dls', '0', '-1'))
      events += Number(await stack.client.hget(`{mailhook:0}:${member.slice(0, 1)}:dl:${member.slice(1)}`, 'events'));
    return events;
  }

  async function openChunks(): Promise<string[]> {
    const queues = ['transactional', 'campaign'].map((kind) => `{mailhook:0}:${kind}-chunks`);
    const chunks = await Promise.all(queues.map((queue) => unfinishedJobs(stack.client, queue)));
    return chunks.flat().map((chunk) => JSON.stringify(chunk));
  }

  const deliveries = (count: number, what: string): Promise<true> => {
    const wanted = ledger.delivered + count;
    return eventually(() => ledger.delivered > wanted, { withinMs: 30_000, what });
  };

  test('delivery, resends and takeovers go on, and nothing expires', async () => {
    await deliveries(200, 'deliveries before the step');
    const { duplicates } = ledger;
    // The killed workers leave leases and locks with times of the clock before the step.
    for (const kind of ['transactional-notifier', 'campaign-batcher'] as const)
      await stack.killWorker(stack.workers.find((one) => one.name === kind)!);
    openAtSteps.push(...(await openChunks()));
    stack.redis.setClock(HOUR_MS);
    const steppedAtMs = performance.now();
    const before = ledger.missing(Infinity);
    await deliveries(200, 'deliveries after the step');
    await untilHealthyArrived(before);
    process.stdout.write(
      `clock steps: ${ledger.accepted} accepted, what the healthy receivers lacked arrived ` +
        `${Math.round(performance.now() - steppedAtMs)} ms after the step, ${ledger.duplicates - duplicates} ` +
        'duplicates\n',
    );
    expect(await deadEvents()).toBe(DEAD_LETTERS);
    // The paused destination stays paused.
    const state = await fetch(`${stack.opsUrl}/admin/destinations/campaign-${paused!.account}`, {
      headers: { authorization: `Bearer ${stack.adminToken}` },
    });
    expect(await state.json()).toMatchObject({ state: 'paused' });
  }, 120_000);

  /**
   * Resolves when the given events of healthy receivers have arrived: resends of failed attempts, and batches of the
   * killed workers.
   */
  async function untilHealthyArrived(keys: readonly string[]): Promise<void> {
    const paths = new Set(healthy.map(({ notificationPath }) => notificationPath));
    const ofHealthy = keys.filter((key) => paths.has(key.split(' ')[0] ?? ''));
    await eventually(
      () => {
        const missing = new Set(ledger.missing(Infinity));
        return !ofHealthy.some((key) => missing.has(key));
      },
      { withinMs: 30_000, what: 'resends and takeovers' },
    );
  }

  test('with all receivers healthy, everything arrives, and nothing has expired', async () => {
    areAllHealthy = true;
    await load.stop();
    await operate(paused!, 'resume', {});
    await ledger.untilWhole(60_000);
    // A step forward ends the progress of an appended chunk. If its worker was killed before the end of the job, the
    // chunk is appended again.
    const wasOpen = (name: string): boolean => openAtSteps.some((chunk) => chunk.includes(name));
    const nameOf = (renamed: string): string => renamed.split(': ')[0]?.split(' ').at(-1) ?? '';
    expect(ledger.renamed.filter((renamed) => !wasOpen(nameOf(renamed)))).toEqual([]);
    expect(await deadEvents()).toBe(DEAD_LETTERS);
    await untilOver(Object.values(stack.state));
    expect(stack.endedThemselves).toEqual([]);
    process.stdout.write(
      `clock steps: ${ledger.accepted} accepted, ${ledger.outstanding} missing, ${ledger.duplicates} duplicates, ` +
        `repairs ${JSON.stringify([...stack.repairs])}\n`,
    );
  }, 120_000);
});
