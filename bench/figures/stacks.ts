import path from 'node:path';
import type { Lab } from '../lab/lab.ts';
import type { NamedReceivers } from '../lab/named-receivers.ts';
import type { Intake } from '../processes/http-intake.ts';
import type { RunPlace } from '../processes/places.ts';
import { accountAt, addressAt } from '../processes/places.ts';
import { openApi } from './api.ts';
import { newPlace } from './steady.ts';

/** All processes of a product on the lab's Redis, from the intake over HTTP to the request at the receiver. */
export interface Stack {
  readonly intake: Intake;
  /** All but Redis. */
  readonly pids: Readonly<Record<string, readonly number[]>>;
  /** Makes accounts for notifications, one per destination. */
  newPlace(destinations: number): Promise<RunPlace>;
}

/** Keeps an idle connection for 5 s like Node's default agent, or for 90 s. */
const PLAIN_KEEP_MS = { plain: 5000, 'plain, keeps 90 s': 90_000 } as const;

export type StackName = 'product' | 'event log' | keyof typeof PLAIN_KEEP_MS;

const TOKEN = 'bench-plain-token-0123456789';

export async function openStack(name: StackName, lab: Lab, receivers: NamedReceivers): Promise<Stack> {
  if (name === 'product') return openProduct(lab, receivers);
  if (name === 'event log') return openProduct(lab, receivers, { EVENT_LOG: path.join(lab.redisServer.dir, 'log') });
  return openPlain(lab, receivers, PLAIN_KEEP_MS[name]);
}

async function openProduct(
  lab: Lab,
  { baseUrl, environment }: NamedReceivers,
  more: Readonly<Record<string, string>> = {},
): Promise<Stack> {
  const api = await openApi(lab, more);
  const notifier = await lab.worker('transactional', environment);
  const batcher = await lab.worker('campaign', environment);
  return {
    intake: api.intake,
    pids: { api: [api.pid], worker: [notifier.pid], batcher: [batcher.pid] },
    newPlace: (destinations) => api.newPlace('transactional', destinations, baseUrl),
  };
}

/** An Express route, a job per event, one worker with 50 slots, axios. */
async function openPlain(lab: Lab, { baseUrl, environment }: NamedReceivers, keepMs: number): Promise<Stack> {
  const { redisUrl } = lab;
  const api = lab.plainApi();
  const worker = lab.baseline(environment);
  await worker.call('startPlain', { kind: 'transactional', redisUrl, isAxios: true, keepMs });
  const port = await api.call('start', { token: TOKEN, redisUrl });
  return {
    intake: { url: `http://127.0.0.1:${port}/v3/events`, token: TOKEN },
    pids: { api: [api.pid], worker: [worker.pid] },
    async newPlace(destinations) {
      const place = newPlace(lab, 'transactional', baseUrl);
      const routes = Array.from(
        { length: destinations },
        (_, i) => [accountAt(place, i), addressAt(place, i)] as const,
      );
      await api.call('route', routes);
      return place;
    },
  };
}
