import path from 'node:path';
import { createLogger } from '@mailhook/platform/logger';
import { freePort, uniqueName } from '@mailhook/testing';
import { compose as composeApi } from '../../../services/api/src/compose.ts';
import { loadConfig as apiConfig } from '../../../services/api/src/config.ts';
import { compose as composeBatcher } from '../../../services/campaign-batcher/src/compose.ts';
import { loadConfig as batcherConfig } from '../../../services/campaign-batcher/src/config.ts';
import { compose as composeNotifier } from '../../../services/transactional-notifier/src/compose.ts';
import { loadConfig as notifierConfig } from '../../../services/transactional-notifier/src/config.ts';

export interface ComposedOptions {
  readonly redisUrl: string;
  readonly adminToken: string;
  readonly producerToken: string;
  /** Without the batcher, nothing delivers campaign events. Default: true. */
  readonly hasBatcher?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** The stream for all log lines as JSON. Default: only errors, to standard output. */
  readonly log?: NodeJS.WritableStream;
}

const FOLDERS = { assets: path.resolve('packages/console/assets'), docs: path.resolve('docs') };

/** Composes the services in this process, as their own processes do. */
export async function composeServices({
  redisUrl,
  adminToken,
  producerToken,
  hasBatcher = true,
  env,
  log,
}: ComposedOptions) {
  const ports = [await freePort(), await freePort(), await freePort()] as const;
  const [apiPort, notifierPort, batcherPort] = ports.map(String) as [string, string, string];
  const common = { HOST: '127.0.0.1', REDIS_URL: redisUrl, QUEUE_PREFIX: uniqueName('composed'), ...env };
  const logger = createLogger({
    service: 'test',
    ...(log === undefined ? { level: 'error' } : { level: 'debug', stream: log, pretty: false }),
  });
  const tokens = { ADMIN_TOKEN: adminToken, PRODUCER_TOKEN: producerToken };
  const api = await composeApi(apiConfig({ ...common, ...tokens, PORT: '0', OPS_PORT: apiPort }), logger, FOLDERS);
  const workers = [await composeNotifier(notifierConfig({ ...common, OPS_PORT: notifierPort }), logger)];
  if (hasBatcher) workers.push(await composeBatcher(batcherConfig({ ...common, OPS_PORT: batcherPort }), logger));
  return {
    baseUrl: `http://127.0.0.1:${api.port}`,
    /** Operations ports, the api's first. */
    opsUrls: ports.slice(0, 1 + workers.length).map((port) => `http://127.0.0.1:${port}`),
    close: async () => {
      await Promise.all(workers.map((worker) => worker.close()));
      await api.close();
    },
  };
}

/** Sends a JSON request with a token. Rejects if the reply is not a success. */
export async function callJson(url: string, token: string, method: string, body: unknown): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json;charset=UTF-8' };
  const reply = await fetch(url, { method, headers, body: JSON.stringify(body) });
  if (!reply.ok) throw new Error(`${method} ${url} answered ${reply.status}: ${await reply.text()}`);
  return reply.json();
}
