import path from 'node:path';
import { PassThrough } from 'node:stream';
import type { ProducerEvent } from '@mailhook/core';
import { closeInOrder } from '@mailhook/platform/lifecycle';
import { createLogger } from '@mailhook/platform/logger';
import { testRedisUrl, uniqueName } from '@mailhook/testing';
import { compose as composeApi } from '../../../services/api/src/compose.ts';
import { loadConfig as apiConfig } from '../../../services/api/src/config.ts';
import { compose as composeBatcher } from '../../../services/campaign-batcher/src/compose.ts';
import { loadConfig as batcherConfig } from '../../../services/campaign-batcher/src/config.ts';
import { compose as composeNotifier } from '../../../services/transactional-notifier/src/compose.ts';
import { loadConfig as notifierConfig } from '../../../services/transactional-notifier/src/config.ts';

const ADMIN_TOKEN = 'admin-token-of-the-tests';
const PRODUCER_TOKEN = 'producer-token-of-the-tests';
const CLOSE_TIMEOUT_MS = 15_000;

export interface TestCustomer {
  readonly account: string;
  readonly token: string;
  readonly tokenId: string;
}

/** The three services, composed as in their processes, for tests in a browser. */
export type Services = Awaited<ReturnType<typeof startServices>>;

/** @param hasBatcher without it, campaign events have no worker. */
export async function startServices(environment: Readonly<Record<string, string>> = {}, hasBatcher = true) {
  const common = {
    HOST: '127.0.0.1',
    OPS_PORT: '0',
    REDIS_URL: await testRedisUrl(),
    QUEUE_PREFIX: uniqueName('page'),
    ALLOW_PRIVATE_DESTINATIONS: 'true',
    ...environment,
  };
  const logger = createLogger({ level: 'error', service: 'test', pretty: false, stream: new PassThrough().resume() });
  const folders = { assets: path.resolve('packages/console/assets'), docs: path.resolve('docs') };
  const api = await composeApi(apiConfig({ ...common, PORT: '0', ADMIN_TOKEN, PRODUCER_TOKEN }), logger, folders);
  const notifier = await composeNotifier(notifierConfig(common), logger);
  const workers = [notifier, ...(hasBatcher ? [await composeBatcher(batcherConfig(common), logger)] : [])];
  const baseUrl = `http://127.0.0.1:${api.port}`;
  const opsUrl = `http://127.0.0.1:${api.opsPort}`;
  const admin = callWith(`${opsUrl}/admin`, ADMIN_TOKEN);
  const publicApi = (token: string) => callWith(baseUrl, token);
  return {
    baseUrl,
    opsUrl,
    adminToken: ADMIN_TOKEN,
    producerToken: PRODUCER_TOKEN,
    queues: { redisUrl: common.REDIS_URL, prefix: common.QUEUE_PREFIX },
    pageUrl: `${baseUrl}/settings/webhooks`,
    as: publicApi,
    admin,
    async newCustomer(name: string): Promise<TestCustomer> {
      const { id: account } = (await admin('POST', '/accounts', { name })) as { id: string };
      const created = (await admin('POST', `/accounts/${account}/tokens`, {})) as { id: string; token: string };
      return { account, token: created.token, tokenId: created.id };
    },
    revoke: ({ account, tokenId }: TestCustomer) => admin('DELETE', `/accounts/${account}/tokens/${tokenId}`),
    send: (events: readonly ProducerEvent[]) => publicApi(PRODUCER_TOKEN)('POST', '/v3/events', events),
    close: () => closeInOrder([api, ...workers], CLOSE_TIMEOUT_MS),
  };
}

/** Calls a path and resolves with the reply's JSON. Throws for an error status. */
const callWith =
  (baseUrl: string, token: string) =>
  async (method: 'GET' | 'POST' | 'PUT' | 'DELETE', pathname: string, body?: unknown): Promise<unknown> => {
    const answer = await fetch(`${baseUrl}${pathname}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${pathname}: ${answer.status} ${text}`);
    return JSON.parse(text);
  };
