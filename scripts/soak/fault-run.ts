import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { cannotLimitMemory, eventually } from '@mailhook/testing';
import { z } from 'zod';
import { compareLog, loggingTo } from '../../test/faults/rig/compare-log.ts';
import { startCountingReceiver } from '../../test/faults/rig/counting-receiver.ts';
import { isOver } from '../../test/faults/rig/engine-state.ts';
import { inflictFault } from '../../test/faults/rig/faults.ts';
import type { FaultName } from '../../test/faults/rig/faults.ts';
import { createLedger } from '../../test/faults/rig/ledger.ts';
import { createCustomers, startLoad } from '../../test/faults/rig/load.ts';
import type { Load } from '../../test/faults/rig/load.ts';
import { startMongoReplicaSet } from '../../test/faults/rig/mongo-replica-set.ts';
import type { MongoReplicaSet } from '../../test/faults/rig/mongo-replica-set.ts';
import { createRandom } from '../../test/faults/rig/random.ts';
import type { Random } from '../../test/faults/rig/random.ts';
import { startStack } from '../../test/faults/rig/stack.ts';
import type { Stack } from '../../test/faults/rig/stack.ts';
import { messageOf } from '../user-error.ts';
import type { Terminal } from '../terminal.ts';
import { planFaults } from './fault-plan.ts';
import type { FaultRun, FaultRunOptions, FaultRunResult } from './fault-run-result.ts';
import { resultOf } from './fault-run-result.ts';
import { CUSTOMERS, isForHealthy, misbehave, withShares } from './receivers.ts';
import { startSamples } from './samples.ts';

const REQUEST_EVERY_MS = 100;
const NOTIFICATIONS_SHARE = 0.2;
/**
 * The load waits while more than `UNDELIVERED_MAX` events are undelivered, or `PENDING_MAX` requests are unanswered.
 */
const UNDELIVERED_MAX = 40_000;
const PENDING_MAX = 3;
const LAST_EVENT_MS = 600_000;

/**
 * Inflicts every fault of the rig in random order under load, spread over all accepted events. Receivers hang, flood,
 * refuse and acknowledge in part. At the end, every accepted event must be acknowledged or in a dead letter. After a
 * redrive, all must be acknowledged, and the event log must have each of them once, as delivered.
 */
export async function runFaults(options: FaultRunOptions): Promise<FaultRunResult> {
  const { rate, appendfsync, seed } = options;
  const random = createRandom(seed);
  const ledger = createLedger();
  let isHealed = false;
  const receiver = await startCountingReceiver(
    ledger,
    misbehave(random.about('receivers'), () => isHealed),
  );
  const mongo = await startMongoReplicaSet('mailhook');
  const folder = await mkdtemp(path.join(tmpdir(), 'mailhook-faults-'));
  const stack = await startStack({
    workers: { 'transactional-notifier': 2, 'campaign-batcher': 2 },
    appendfsync,
    hasReplica: true,
    env: {
      RETRY_SCHEDULE: Array.from({ length: 12 }, () => '1s').join(','),
      BREAKER_FAILURES: '1000',
      // With the poison search, parts of a refused batch would leave under other ids, and resends could not be counted.
      POISON_SPLIT: 'false',
      DELIVERY_TIMEOUT_MS: '3000',
      MONGO_URL: mongo.url,
      ...loggingTo(folder),
    },
  });
  const samples = startSamples(() => [
    { name: 'api', pid: stack.api.pid },
    ...stack.workers.map(({ name, process: child }) => ({ name, pid: child.pid })),
    { name: 'redis', pid: stack.redis.pid },
  ]);
  try {
    const customers = withShares(await createCustomers(stack, receiver.url, CUSTOMERS));
    const perRequest = Math.max(1, Math.round((rate * REQUEST_EVERY_MS) / 1000));
    const notifications = Math.round(perRequest * NOTIFICATIONS_SHARE);
    const run: FaultRun = {
      options,
      stack,
      ledger,
      receiver,
      customers,
      reports: [],
      recoveriesMs: new Map(),
      violations: [],
      startedAtMs: performance.now(),
      pace: { events: 0, ticks: 0 },
    };
    const load: Load = startLoad({
      stack,
      ledger,
      random: random.about('load'),
      customers,
      series: 's',
      everyMs: REQUEST_EVERY_MS,
      notifications,
      campaignEvents: perRequest - notifications,
      isHeld: () => load.pending >= PENDING_MAX || ledger.outstanding > UNDELIVERED_MAX || isAhead(run),
    });
    await inflictAll(run, load, mongo, random.about('faults'));
    await load.stop();
    const deadEvents = await endWithDeadLetters(run);
    isHealed = true;
    await endWithRedrive(run, deadEvents);
    if (appendfsync === 'always') await endWithLog(run);
    return resultOf(run, { deadEvents, refusedRequests: load.refused, memory: samples.memory() });
  } finally {
    samples.stop();
    await stack.close();
    await Promise.all([receiver.close(), mongo.stop(), rm(folder, { recursive: true })]);
  }
}

const TICKS_PER_REQUEST_AHEAD = 5;

/**
 * Returns true if the load must skip a request because the faults are behind. It skips only four of five, because
 * faults need events in flight.
 */
function isAhead({ ledger, pace }: FaultRun): boolean {
  if (ledger.accepted < pace.events) return false;
  pace.ticks += 1;
  return pace.ticks % TICKS_PER_REQUEST_AHEAD !== 0;
}

async function inflictAll(run: FaultRun, load: Load, mongo: MongoReplicaSet, random: Random): Promise<void> {
  const { options, stack, ledger, reports, recoveriesMs, violations, pace } = run;
  const restarts: Promise<unknown>[] = [];
  const onRestart = (restart: Promise<unknown>): void => {
    restart.catch((error: unknown) => violations.push(`a process did not come back: ${messageOf(error)}`));
    restarts.push(restart);
  };
  const plan = planFaults(options.kills, random, impossibleHere(options.terminal));
  for (const [i, fault] of plan.entries()) {
    pace.events = Math.ceil(((i + 1) / plan.length) * options.events);
    while (ledger.accepted < (i / plan.length) * options.events) await wait(50);
    try {
      reports.push(await inflictFault(fault, { stack, ledger, load, mongo, random, onRestart }));
    } catch (error) {
      const violation = `${fault} could not be inflicted: ${messageOf(error)}`;
      options.terminal.warn(`  ${violation}`);
      violations.push(violation);
    }
    void ledger.caughtUp(isForHealthy).then((ms) => recoveriesMs.set(fault, [...(recoveriesMs.get(fault) ?? []), ms]));
    tellProgress(run, plan.length);
  }
  while (ledger.accepted < options.events) await wait(50);
  await Promise.allSettled(restarts);
}

const TELL_EVERY = 10;

function tellProgress({ options, ledger, reports, violations, startedAtMs }: FaultRun, faults: number): void {
  const text =
    `  ${((performance.now() - startedAtMs) / 60_000).toFixed(1)} min: fault ${reports.length} of ${faults} ` +
    `(${reports.at(-1)?.fault}), ${ledger.accepted} accepted, ${ledger.outstanding} undelivered, ` +
    `${ledger.duplicates} twice, ${violations.length} violations`;
  if (options.terminal.isInteractive) options.terminal.progress(text);
  else if (reports.length % TELL_EVERY === 0) options.terminal.line(text);
}

/** @returns the faults that are impossible on this machine, after printing a warning for each. */
function impossibleHere(terminal: Terminal): Set<FaultName> {
  const reasons: [FaultName, string | undefined][] = [['out of memory', cannotLimitMemory()]];
  const impossible = reasons.filter(([, reason]) => reason !== undefined);
  for (const [fault, reason] of impossible) terminal.warn(`  Left out: ${fault} (${reason})`);
  return new Set(impossible.map(([fault]) => fault));
}

/**
 * Waits until all work ends. Resolves with the events in dead letters. These may include events that Redis took
 * although their request got no 202.
 */
async function endWithDeadLetters(run: FaultRun): Promise<number> {
  const { stack, ledger, violations } = run;
  await settleDown(run);
  const dead = await countDeadEvents(stack);
  if (dead < ledger.outstanding)
    violations.push(
      `${ledger.outstanding} accepted events are undelivered, but dead letters hold only ${dead}: ` +
        ledger.missing(5).join(', '),
    );
  return dead;
}

/** Redrives all dead letters. Then exactly their events must arrive in addition. */
async function endWithRedrive(run: FaultRun, deadEvents: number): Promise<void> {
  const { stack, ledger, receiver, violations } = run;
  const { delivered } = ledger;
  const reply = await admin(stack, '/admin/dead-letters/redrive', 'POST');
  if (!reply.ok) violations.push(`the redrive was answered with ${reply.status}`);
  await eventually(() => ledger.outstanding === 0, { withinMs: LAST_EVENT_MS, what: 'all events' }).catch(() =>
    violations.push(`${ledger.outstanding} events are missing: ${ledger.missing(5).join(', ')}`),
  );
  await settleDown(run);
  const left = await countDeadEvents(stack);
  if (ledger.delivered - delivered !== deadEvents)
    violations.push(
      `dead letters held ${deadEvents} events, and ${ledger.delivered - delivered} arrived after the redrive`,
    );
  if (left > 0) violations.push(`dead letters with ${left} events are left after the redrive`);
  if (receiver.refused.size > 0) violations.push(`${receiver.refused.size} refused batches were not sent again`);
}

/** The event log must say what producers and receivers know. */
async function endWithLog({ stack, customers, ledger, violations }: FaultRun): Promise<void> {
  const differences = await compareLog(stack, customers, ledger);
  if (differences.length > 0)
    violations.push(`the event log differs ${differences.length} times: ${differences.slice(0, 3).join('; ')}`);
}

async function settleDown({ stack, violations }: FaultRun): Promise<void> {
  for (const [name, state] of Object.entries(stack.state))
    await eventually(async () => isOver(await state.remains()), { withinMs: LAST_EVENT_MS, what: 'rest' }).catch(
      async () => violations.push(`the ${name} does not come to rest: ${JSON.stringify(await state.remains())}`),
    );
}

const page = z.object({ items: z.array(z.object({ events: z.number() })), nextCursor: z.string().optional() });

async function countDeadEvents(stack: Stack): Promise<number> {
  let [events, cursor] = [0, ''];
  do {
    const reply = await admin(stack, `/admin/dead-letters?limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`, 'GET');
    const { items, nextCursor = '' } = page.parse(await reply.json());
    events += items.reduce((sum, item) => sum + item.events, 0);
    cursor = nextCursor;
  } while (cursor !== '');
  return events;
}

const admin = (stack: Stack, path: string, method: string): Promise<Response> =>
  fetch(stack.opsUrl + path, {
    method,
    headers: { authorization: `Bearer ${stack.adminToken}`, 'content-type': 'application/json' },
    ...(method === 'POST' ? { body: '{}' } : {}),
    signal: AbortSignal.timeout(120_000),
  });
