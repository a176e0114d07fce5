import type { Mechanism } from '@mailhook/core';
import { createDestinationRegistry, createPublisher, Installation } from '@mailhook/delivery';
import type { DestinationRegistry, Publisher, RoutedEvent } from '@mailhook/delivery';
import { connectRedis, whenReady } from '@mailhook/platform/redis';
import { plainQueue } from '../baselines.ts';
import { serve } from './calls.ts';
import { monotonicMs } from './clock.ts';
import { bodyOf, destinationsInTurn, eventAt, shuffledDestinations } from './events.ts';
import type { Intake } from './http-intake.ts';
import { createHttpIntake } from './http-intake.ts';
import type { BenchLog } from './log.ts';
import { openLog } from './log.ts';
import type { RunPlace } from './places.ts';
import { accountAt, addressAt, destinationAt, routeAt } from './places.ts';

/**
 * What the producer publishes, and where: through the product's publisher, over HTTP to an api, or into plain's queue.
 */
export interface LoadPlan extends RunPlace {
  readonly to: 'publisher' | 'plain' | Intake;
  readonly events: number;
  readonly destinations: number;
  /** Events per request. */
  readonly perRequest: number;
  /** The number of the first event. 0 unless a run is published in parts. */
  readonly firstSeq?: number;
  /** The destinations get events in turn. Default: shuffled. */
  readonly isInTurn?: boolean;
  /** Makes every event a click, for subscriptions to clicks. */
  readonly isAllClicks?: boolean;
}

interface Published {
  readonly startedMs: number;
  readonly endedMs: number;
  readonly refused?: number;
  /** When each event was sent, by number. Steady load only. */
  readonly sentMs?: Float64Array;
  /** When each event was accepted, by number. 0 means refused. Steady load only. */
  readonly acceptedMs?: Float64Array;
}

type Letter = RoutedEvent & { readonly address: string };
interface Request {
  readonly first: number;
  readonly count: number;
  readonly send: () => Promise<unknown>;
}

interface Open {
  readonly installation: Installation;
  readonly publisher: Publisher;
  readonly registry: DestinationRegistry;
  readonly plain: Readonly<Record<Mechanism, ReturnType<typeof plainQueue>>>;
}

const RETRY_MS = 100;

interface Queues {
  readonly redisUrl: string;
  readonly queuePrefix: string;
}

let queues: Queues | undefined;
let opened: Open | undefined;
let log: BenchLog | undefined;
let requests: Request[] = [];

function open(): Open {
  if (opened === undefined) throw new Error('not open');
  return opened;
}

function requestOf({ to, kind }: LoadPlan, letters: readonly Letter[], first: number): Request {
  const common = { first, count: letters.length };
  if (to === 'publisher') return { ...common, send: () => open().publisher.publish(letters) };
  if (to === 'plain') {
    const { addAll } = open().plain[kind];
    return { ...common, send: () => addAll(letters.map(({ address, event }) => ({ address, body: bodyOf(event) }))) };
  }
  const post = createHttpIntake(to);
  const body = JSON.stringify(letters.length === 1 ? letters[0]?.event : letters.map(({ event }) => event));
  return { ...common, send: () => post(body) };
}

async function openQueues(): Promise<Open> {
  if (queues === undefined) throw new Error('not open');
  const { redisUrl, queuePrefix } = queues;
  const redis = connectRedis({ url: redisUrl, role: 'fail-fast', name: 'bench-load', onError: () => undefined });
  const patient = connectRedis({ url: redisUrl, role: 'worker', name: 'bench-plain', onError: () => undefined });
  await Promise.all([whenReady(redis, 5000), whenReady(patient, 5000)]);
  const installation = new Installation(redis, queuePrefix, 1);
  return {
    installation,
    publisher: await createPublisher(
      installation,
      { waitingMaxEvents: 1_000_000_000, waitingMaxBytes: Number.MAX_SAFE_INTEGER },
      { isLogOn: () => log !== undefined },
    ),
    registry: createDestinationRegistry(installation),
    plain: { campaign: plainQueue(patient, 'campaign'), transactional: plainQueue(patient, 'transactional') },
  };
}

const isTaken = (request: Request): Promise<boolean> =>
  request.send().then(
    () => true,
    () => false,
  );

async function register(plan: LoadPlan): Promise<void> {
  const { registry } = open();
  for (let from = 0; from < plan.destinations; from += 500) {
    const count = Math.min(500, plan.destinations - from);
    await Promise.all(Array.from({ length: count }, (_, i) => registry.save(destinationAt(plan, from + i))));
  }
}

const handlers = {
  /** Says where the queues are. Nothing connects to them before a plan needs it. */
  open: (where: Queues) => {
    queues = where;
  },
  /**
   * Registers the run's destinations (an api already knows its own) and builds the requests, so that the run measures
   * only their sending.
   */
  async prepare(plan: LoadPlan) {
    const { firstSeq = 0, perRequest } = plan;
    if (typeof plan.to === 'string') opened ??= await openQueues();
    if (plan.to === 'publisher' && firstSeq === 0) await register(plan);
    const order = (plan.isInTurn === true ? destinationsInTurn : shuffledDestinations)(plan.events, plan.destinations);
    // The events of a destination share one object. A million more strings would cause garbage collection, which would
    // count as the producer's CPU.
    const places = Array.from({ length: plan.destinations }, (_, to) => ({
      account: accountAt(plan, to),
      destinations: [routeAt(plan, to)],
      address: addressAt(plan, to),
    }));
    const letterAt = (i: number): Letter => {
      const { account, destinations, address } = places[order[i] ?? 0] as (typeof places)[number];
      const seq = firstSeq + i;
      const event = eventAt(plan.kind, seq, account, plan.isAllClicks === true ? 1 : seq % 3);
      return { event, destinations, address };
    };
    requests = Array.from({ length: Math.ceil(plan.events / perRequest) }, (_, r) => {
      const first = r * perRequest;
      const letters = Array.from({ length: Math.min(perRequest, plan.events - first) }, (_e, i) => letterAt(first + i));
      return requestOf(plan, letters, first);
    });
  },
  /** Switches the event log on or off, and resolves when the workers know it. */
  async switchLog(isOn: boolean) {
    opened ??= await openQueues();
    const last = log;
    log = undefined;
    await last?.close();
    if (isOn) log = await openLog(open().installation);
  },
  /** Bytes that are in no segment of the event log yet. */
  loggedBytes: async () => (await log?.bufferedBytes()) ?? 0,
  /**
   * Sends as fast as requests are accepted, a fixed number in flight. Repeats refused requests, as a producer does
   * after a 503.
   */
  async burst({ requestsInFlight }: { requestsInFlight: number }): Promise<Published> {
    const left = requests.values();
    let refused = 0;
    const startedMs = monotonicMs();
    const lane = async (): Promise<void> => {
      for (const request of left) {
        while (!(await isTaken(request))) {
          refused += 1;
          await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
        }
      }
    };
    await Promise.all(Array.from({ length: requestsInFlight }, lane));
    requests = [];
    return { startedMs, endedMs: monotonicMs(), refused };
  },
  /** Sends events at a fixed rate, without waiting for replies (open loop). */
  async steady({ perSecond, events }: { perSecond: number; events: number }): Promise<Published> {
    const [sentMs, acceptedMs] = [new Float64Array(events), new Float64Array(events)];
    const sending: Promise<void>[] = [];
    const send = async (request: Request): Promise<void> => {
      sentMs.fill(monotonicMs(), request.first, request.first + request.count);
      if (await isTaken(request)) acceptedMs.fill(monotonicMs(), request.first, request.first + request.count);
    };
    const startedMs = monotonicMs();
    await new Promise<void>((resolve) => {
      const left = [...requests].reverse();
      const timer = setInterval(() => {
        const dueEvents = ((monotonicMs() - startedMs) / 1000) * perSecond;
        for (let next = left.at(-1); next !== undefined && next.first <= dueEvents; next = left.at(-1)) {
          left.pop();
          sending.push(send(next));
        }
        if (left.length > 0) return;
        clearInterval(timer);
        resolve();
      }, 1);
    });
    await Promise.all(sending);
    requests = [];
    return { startedMs, endedMs: monotonicMs(), sentMs, acceptedMs };
  },
};
export type LoadApi = typeof handlers;

serve(handlers);
