import type { Mechanism } from '@mailhook/core';
import { createDestinationRegistry, createPublisher } from '@mailhook/delivery';
import type { DestinationRegistry, Publisher, RoutedEvent } from '@mailhook/delivery';
import { connectRedis, whenReady } from '@mailhook/platform/redis';
import { plainQueue } from '../baselines.ts';
import type { RunPlace } from './addresses.ts';
import { accountAt, addressAt, destinationAt, destinationIdAt } from './addresses.ts';
import { serve } from './calls.ts';
import { monotonicMs } from './clock.ts';
import { bodyOf, eventAt, shuffledDestinations } from './events.ts';

/** The producer: publishes a run's events through the product's publisher, or adds them to plain's queue. */
export interface LoadPlan extends RunPlace {
  readonly to: 'product' | 'plain';
  readonly events: number;
  readonly destinations: number;
  readonly perRequest: number;
}

export interface BurstPlan extends LoadPlan {
  readonly requestsInFlight: number;
}

export interface SteadyPlan extends LoadPlan {
  readonly perSecond: number;
}

export interface Published {
  readonly startedMs: number;
  readonly endedMs: number;
  /** When each event's request was due, and when it was accepted, by the event's number (steady load only). */
  readonly dueMs?: Float64Array;
  readonly acceptedMs?: Float64Array;
  readonly refused: number;
}

type Letter = RoutedEvent & { readonly address: string };
type Publish = (letters: readonly Letter[]) => Promise<unknown>;

interface Open {
  readonly publisher: Publisher;
  readonly registry: DestinationRegistry;
  readonly plain: Readonly<Record<Mechanism, ReturnType<typeof plainQueue>>>;
}

let opened: Open | undefined;
let requests: Letter[][] = [];

function publishTo(to: LoadPlan['to'], kind: Mechanism): Publish {
  if (opened === undefined) throw new Error('not open');
  const { publisher, plain } = opened;
  if (to === 'product') return (letters) => publisher.publish(letters);
  return (letters) => plain[kind](letters.map(({ address, event }) => ({ address, body: bodyOf(event) })));
}

const handlers = {
  async open({ redisUrl, queuePrefix }: { redisUrl: string; queuePrefix: string }) {
    const redis = connectRedis({ url: redisUrl, role: 'fail-fast', name: 'bench-load', onError: () => undefined });
    const patient = connectRedis({ url: redisUrl, role: 'worker', name: 'bench-plain', onError: () => undefined });
    await Promise.all([whenReady(redis, 5000), whenReady(patient, 5000)]);
    const common = { redis, queuePrefix, shards: 1 };
    opened = {
      publisher: await createPublisher({ ...common, waitingMaxEvents: 1_000_000_000 }),
      registry: createDestinationRegistry(common),
      plain: { campaign: plainQueue(patient, 'campaign'), transactional: plainQueue(patient, 'transactional') },
    };
  },
  /** Registers the run's destinations and builds its requests, so that only their publishing is measured. */
  async prepare(plan: LoadPlan) {
    const registry = opened?.registry;
    for (let from = 0; plan.to === 'product' && from < plan.destinations; from += 500) {
      const some = Array.from({ length: Math.min(500, plan.destinations - from) }, (_, i) =>
        destinationAt(plan, from + i),
      );
      await Promise.all(some.map(async (destination) => registry?.save(destination)));
    }
    const order = shuffledDestinations(plan.events, plan.destinations);
    const letterAt = (seq: number): Letter => {
      const to = order[seq] ?? 0;
      const event = eventAt(plan.kind, seq, accountAt(plan, to));
      return { event, destinations: [destinationIdAt(plan, to)], address: addressAt(plan, to) };
    };
    requests = Array.from({ length: Math.ceil(plan.events / plan.perRequest) }, (_, i) =>
      Array.from({ length: Math.min(plan.perRequest, plan.events - i * plan.perRequest) }, (_event, j) =>
        letterAt(i * plan.perRequest + j),
      ),
    );
  },
  /** Publishes as fast as requests are accepted, a fixed number in flight. */
  async burst({ to, kind, requestsInFlight }: BurstPlan): Promise<Published> {
    const publish = publishTo(to, kind);
    const startedMs = monotonicMs();
    let next = 0;
    const lane = async (): Promise<void> => {
      for (let letters = requests[next++]; letters !== undefined; letters = requests[next++]) await publish(letters);
    };
    await Promise.all(Array.from({ length: requestsInFlight }, lane));
    requests = [];
    return { startedMs, endedMs: monotonicMs(), refused: 0 };
  },
  /** Publishes at a fixed rate, whatever becomes of it (open loop). */
  async steady({ to, kind, events, perSecond, perRequest }: SteadyPlan): Promise<Published> {
    const publish = publishTo(to, kind);
    const [dueMs, acceptedMs] = [new Float64Array(events), new Float64Array(events)];
    const startedMs = monotonicMs();
    const open: Promise<void>[] = [];
    let refused = 0;
    const send = async (letters: readonly Letter[], first: number): Promise<void> => {
      try {
        await publish(letters);
        acceptedMs.fill(monotonicMs(), first, first + letters.length);
      } catch {
        refused += letters.length;
      }
    };
    await new Promise<void>((resolve) => {
      let next = 0;
      const timer = setInterval(() => {
        const nowMs = monotonicMs();
        for (; next < requests.length; next += 1) {
          const first = next * perRequest;
          const due = startedMs + (first / perSecond) * 1000;
          if (due > nowMs) return;
          const letters = requests[next] ?? [];
          dueMs.fill(due, first, first + letters.length);
          open.push(send(letters, first));
        }
        clearInterval(timer);
        resolve();
      }, 1);
    });
    await Promise.all(open);
    requests = [];
    return { startedMs, endedMs: monotonicMs(), dueMs, acceptedMs, refused };
  },
};
export type LoadApi = typeof handlers;

serve(handlers);
