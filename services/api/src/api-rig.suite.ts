import path from 'node:path';
import { PassThrough } from 'node:stream';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import request from 'supertest';
import { chunkJob, engineQueues } from '@mailhook/core';
import type { Mechanism } from '@mailhook/core';
import { engineKeys } from '@mailhook/delivery';
import { createLogger } from '@mailhook/platform/logger';
import { testRedisUrl, uniqueName } from '@mailhook/testing';
import { compose } from './compose.ts';
import { loadConfig } from './config.ts';

export const ADMIN_TOKEN = 'admin-token-of-the-tests';
export const PRODUCER_TOKEN = 'producer-token-of-the-tests';
export const MODULE = 'transactional_email';

const FOLDERS = {
  assets: path.join(__dirname, '../../../packages/console/assets'),
  docs: path.join(__dirname, '../../../docs'),
};

export interface TestAccount {
  readonly id: string;
  readonly token: string;
  readonly tokenId: string;
}

export type ApiRig = Awaited<ReturnType<typeof startApi>>;

/**
 * Starts the composed api on free ports, like in its process. No workers run, so that tests can inspect the published
 * jobs. `onLog` gets each line of its log, from the start on.
 */
export async function startApi(
  environment: Readonly<Record<string, string>> = {},
  onLog: (line: string) => void = () => undefined,
) {
  const prefix = environment['QUEUE_PREFIX'] ?? uniqueName('api');
  const redisUrl = environment['REDIS_URL'] ?? (await testRedisUrl());
  const config = loadConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    OPS_PORT: '0',
    REDIS_URL: redisUrl,
    QUEUE_PREFIX: prefix,
    ADMIN_TOKEN,
    PRODUCER_TOKEN,
    ALLOW_PRIVATE_DESTINATIONS: 'true',
    ...environment,
  });
  const log = new PassThrough().on('data', (line: Buffer) => onLog(line.toString()));
  const api = await compose(
    config,
    createLogger({ level: 'debug', service: 'api', pretty: false, stream: log }),
    FOLDERS,
  );
  const baseUrl = `http://127.0.0.1:${api.port}`;
  const opsUrl = `http://127.0.0.1:${api.opsPort}`;
  return {
    prefix,
    redisUrl,
    baseUrl,
    opsUrl,
    log,
    ...clients(baseUrl, opsUrl),
    close: () => api.close(),
  };
}

type Method = 'get' | 'post' | 'put' | 'delete' | 'patch';

function clients(baseUrl: string, opsUrl: string) {
  const call = (url: string, token: string | undefined) => (method: Method, path: string, body?: unknown) => {
    const client = request(url);
    const sent = client[method](path).ok(() => true);
    if (token !== undefined) void sent.set('authorization', `Bearer ${token}`);
    if (body === undefined) return sent;
    return sent.set('content-type', 'application/json;charset=UTF-8').send(JSON.stringify(body));
  };
  const admin = call(opsUrl, ADMIN_TOKEN);
  return {
    as: (token: string | undefined) => call(baseUrl, token),
    admin,
    opsAs: (token: string | undefined) => call(opsUrl, token),
    post: (events: unknown) => call(baseUrl, PRODUCER_TOKEN)('post', '/v3/events', events),
    async newAccount(name = 'test'): Promise<TestAccount> {
      const account = (await admin('post', '/admin/accounts', { name })).body as { id: string };
      const token = (await admin('post', `/admin/accounts/${account.id}/tokens`, {})).body as {
        id: string;
        token: string;
      };
      return { id: account.id, token: token.token, tokenId: token.id };
    },
    async subscribe(account: TestAccount, type = 'open', address = 'http://127.0.0.1:9/hook'): Promise<string> {
      const reply = await call(baseUrl, account.token)('post', '/v3/webhook/subscriptions', {
        address,
        type,
        module: MODULE,
      });
      expect(reply.status).toBe(201);
      return (reply.body as { id: string }).id;
    },
  };
}

export interface Published {
  readonly destination: string;
  readonly account: string;
  readonly event: Record<string, unknown>;
}

/** The events in the queued chunk jobs, in no particular order. */
export async function publishedEvents({ redisUrl, prefix }: Pick<ApiRig, 'redisUrl' | 'prefix'>): Promise<Published[]> {
  const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
  try {
    const lists = await Promise.all(
      (['transactional', 'campaign'] as const).map((kind) => chunkEvents(connection, prefix, kind)),
    );
    return lists.flat();
  } finally {
    connection.disconnect();
  }
}

async function chunkEvents(connection: Redis, prefix: string, kind: Mechanism): Promise<Published[]> {
  const queue = new Queue(engineQueues(kind).chunks, { connection, prefix: engineKeys(prefix, 0, kind).queuePrefix });
  const jobs = await queue.getJobs(['waiting', 'active', 'delayed', 'prioritized']);
  const groups = jobs.flatMap((job) => chunkJob.parse(job.data).groups);
  await queue.close();
  return groups.flatMap(([mechanism, to, account, , elements]) =>
    [to]
      .flat()
      .flatMap((destination) =>
        elements.flatMap((element) => eventsOf(mechanism, element).map((event) => ({ destination, account, event }))),
      ),
  );
}

/**
 * Parses an entry: 4 digits, then one event per line. A notification's first line is its id, and a campaign event lacks
 * its `attempt`.
 */
function eventsOf(mechanism: Mechanism, element: string): Record<string, unknown>[] {
  const lines = element.slice(4).split('\n');
  const texts = mechanism === 'transactional' ? lines.slice(1) : lines.map((line) => `${line}1}`);
  return texts.map((text) => JSON.parse(text) as Record<string, unknown>);
}
