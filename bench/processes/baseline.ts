import { batchBody, campaignFragment, fragmentHashes, notificationFragment } from '@mailhook/core';
import { createReceiverClient } from '@mailhook/delivery';
import { connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Mechanism } from '@mailhook/core';
import { plainBatcher, plainNotifier, raw } from '../baselines.ts';
import type { RunPlace } from './places.ts';
import { accountAt, addressAt } from './places.ts';
import { serve } from './calls.ts';
import type { RawClient } from './clients.ts';
import { axiosClient, bareClient, throughAxios } from './clients.ts';
import { eventAt, hashOf, shuffledDestinations } from './events.ts';

/** The process of the baselines: plain's worker, or raw's client. */
const client = createReceiverClient({
  timeoutMs: 5000,
  replyCapBytes: 1_048_576,
  egress: { allowPrivate: true, allowCidrs: [], deniedPorts: [] },
});

interface RawPlan extends RunPlace {
  readonly events: number;
  readonly destinations: number;
  readonly perRequest: number;
  readonly inFlight: number;
  readonly client: RawClient;
}

interface PlainPlan {
  readonly kind: Mechanism;
  readonly redisUrl: string;
  readonly isAxios?: boolean;
  /** See `axiosClient`. */
  readonly keepMs?: number | undefined;
}

let prepared: (() => Promise<void>) | undefined;

const handlers = {
  async startPlain({ kind, redisUrl, isAxios = false, keepMs }: PlainPlan) {
    const connection = connectRedis({ url: redisUrl, role: 'worker', name: 'plain', onError: () => undefined });
    await whenReady(connection, 5000);
    const by = isAxios ? axiosClient(keepMs) : client;
    const worker = kind === 'campaign' ? plainBatcher(connection, by) : plainNotifier(connection, by);
    worker.on('error', (error) => console.error('plain:', error.message));
    await worker.waitUntilReady();
  },
  /** Builds the bodies beforehand, so that the run measures only their posting. */
  prepareRaw(plan: RawPlan) {
    const requests = plan.kind === 'campaign' ? batches(plan) : notifications(plan);
    const by = { product: client, axios: throughAxios(client), bare: bareClient() }[plan.client];
    prepared = () => raw(by, requests, plan.inFlight);
  },
  runRaw: () => prepared?.(),
};
export type BaselineApi = typeof handlers;

function notifications(plan: RawPlan) {
  const order = shuffledDestinations(plan.events, plan.destinations);
  return Array.from(order, (destination, seq) => {
    const event = eventAt('transactional', seq, accountAt(plan, destination));
    if (event.module !== 'transactional_email') throw new Error('a notification was wanted');
    return { address: addressAt(plan, destination), body: notificationFragment(event) };
  });
}

function batches(plan: RawPlan) {
  return Array.from({ length: Math.ceil(plan.events / plan.perRequest) }, (_, i) => {
    const destination = i % plan.destinations;
    const count = Math.min(plan.perRequest, plan.events - i * plan.perRequest);
    const fragments = Array.from({ length: count }, (_event, j) => {
      const event = eventAt('campaign', i * plan.perRequest + j, accountAt(plan, destination));
      if (event.module !== 'campaign') throw new Error('a campaign event was wanted');
      return campaignFragment(event, hashOf(event));
    }).join('\n');
    return { address: addressAt(plan, destination), body: batchBody(fragments, 1), hashes: fragmentHashes(fragments) };
  });
}

serve(handlers);
