import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import {
  host,
  integer,
  labeledSecrets,
  mongoUrl,
  optional,
  redisUrl,
  secret,
  siteUrl,
  text,
} from '@mailhook/platform/config';
import { z } from 'zod';
import { environmentFor, RULES } from '../../services/api/src/config.ts';
import type { Tokens } from '../../services/api/src/config.ts';
import { environment as campaignBatcher } from '../../services/campaign-batcher/src/config.ts';
import { environment as transactionalNotifier } from '../../services/transactional-notifier/src/config.ts';
import { readEnvironment } from '../environment.ts';
import { UserError } from '../user-error.ts';
import { createPrivateJson, readPrivateJson } from './stack-file.ts';

/** The environment that `npm start` itself uses. It has values for what a service would miss. */
export const startEnvironment = {
  PORT: integer(3000, { min: 1, max: 65_535 }),
  OPS_PORT: integer(3100, { min: 1, max: 65_533 }),
  HOST: host('127.0.0.1'),
  OPS_HOST: host('127.0.0.1'),
  DATA_DIR: text({ pattern: /./, fault: 'must be a folder' }, '.data').describe(
    'Folder of what `npm start` keeps: Redis files, tokens, logs, `stack.json` (`npm start` only)',
  ),
  REDIS_URL: optional(redisUrl()),
  MONGO_URL: optional(mongoUrl()),
  ADMIN_TOKEN: optional(labeledSecrets()),
  PRODUCER_TOKEN: optional(secret()),
  PUBLIC_URL: optional(siteUrl()),
};

const portsFault = ({ PORT = NaN, OPS_PORT = NaN }) =>
  PORT >= OPS_PORT && PORT <= OPS_PORT + 2
    ? `PORT ${PORT} is one of the operations ports ${OPS_PORT} to ${OPS_PORT + 2}: set PORT or OPS_PORT to another one`
    : undefined;

export const SERVICES = ['api', 'transactional-notifier', 'campaign-batcher'] as const;
export type ServiceName = (typeof SERVICES)[number];

export interface StackSettings {
  readonly host: string;
  /** Where the operations ports listen. */
  readonly opsHost: string;
  readonly port: number;
  /** Operations ports: `OPS_PORT`, `OPS_PORT` + 1 and `OPS_PORT` + 2. */
  readonly opsPorts: Readonly<Record<ServiceName, number>>;
  /** An absolute path. */
  readonly dataDir: string;
  readonly logDir: string;
  readonly redisUrl: string | undefined;
  readonly mongoUrl: string | undefined;
  readonly adminToken: string;
  readonly producerToken: string;
  /** Encrypts stored secrets. Undefined with databases that are not under `dataDir`. */
  readonly secretsKey: string | undefined;
  readonly baseUrl: string;
  readonly opsUrl: string;
}

/** Checks what the services read too. @throws UserError that lists the faults of the environment. */
export function readSettings(env: NodeJS.ProcessEnv): StackSettings {
  const config = readEnvironment(
    { ...campaignBatcher, ...transactionalNotifier, ...environmentFor(env), ...startEnvironment },
    env,
    [...RULES, portsFault],
  );
  const opsPorts = {
    api: config.OPS_PORT,
    'transactional-notifier': config.OPS_PORT + 1,
    'campaign-batcher': config.OPS_PORT + 2,
  };
  const dataDir = path.resolve(config.DATA_DIR);
  const logDir = path.join(dataDir, 'logs');
  makeFolder(logDir);
  return {
    host: config.HOST,
    opsHost: config.OPS_HOST,
    port: config.PORT,
    opsPorts,
    dataDir,
    logDir,
    redisUrl: config.REDIS_URL,
    mongoUrl: config.MONGO_URL,
    ...readTokens(dataDir, config),
    secretsKey: config.REDIS_URL === undefined && config.MONGO_URL === undefined ? readSecretsKey(dataDir) : undefined,
    baseUrl: `http://${reachableHost(config.HOST)}:${config.PORT}`,
    opsUrl: `http://${reachableHost(config.OPS_HOST)}:${config.OPS_PORT}`,
  };
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new UserError(
      `Cannot make the folder ${folder} (${String(error)}). Set DATA_DIR to one that can be written.`,
    );
  }
}

const keptTokens = z.object({ adminToken: z.string(), producerToken: z.string() });

/** Returns the tokens of the environment, or else those of the last start, or else new ones, which it keeps. */
function readTokens(dataDir: string, config: Tokens) {
  const file = path.join(dataDir, 'tokens.json');
  // Of two starts at the same time, both use the tokens of the one that writes the file first.
  createPrivateJson(file, { adminToken: newToken('admin'), producerToken: newToken('producer') });
  const { data: kept } = keptTokens.safeParse(readPrivateJson(file));
  if (kept === undefined)
    throw new UserError(`${file} cannot be read. Remove it, and the next start makes new tokens.`);
  return {
    adminToken: config.ADMIN_TOKEN?.find(({ scope }) => scope === 'admin')?.secret ?? kept.adminToken,
    producerToken: config.PRODUCER_TOKEN ?? kept.producerToken,
  };
}

const keptKey = z.object({ secretsKey: z.string() });

/** Returns the key of the first start. It is apart from the tokens, which may be removed to get new ones. */
function readSecretsKey(dataDir: string): string {
  const file = path.join(dataDir, 'secrets-key.json');
  createPrivateJson(file, { secretsKey: randomBytes(32).toString('base64') });
  const { data } = keptKey.safeParse(readPrivateJson(file));
  if (data !== undefined) return data.secretsKey;
  throw new UserError(
    `${file} cannot be read. Put back your copy of it. Without one, remove it: the next start makes a new key, and ` +
      'customers enter their signing secrets and logins of receivers again.',
  );
}

const newToken = (kind: string): string => `${kind}_${randomBytes(24).toString('base64url')}`;

/** Returns the address at which this machine reaches a listener. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
