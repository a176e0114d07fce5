import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import {
  ConfigError,
  integer,
  labeledSecrets,
  mongoUrl,
  optional,
  readConfig,
  redisUrl,
  secret,
  text,
} from '@mailhook/platform/config';
import { z } from 'zod';
import { UserError } from '../user-error.ts';
import { readPrivateJson, writePrivateJson } from './stack-file.ts';

/** The environment that `npm start` itself reads. Each service reads the rest of its variables itself. */
export const startEnvironment = {
  PORT: integer(3000, { min: 1, max: 65_535 }),
  OPS_PORT: integer(3100, { min: 1, max: 65_533 }),
  HOST: text({ pattern: /^\S+$/, fault: 'must be an address to listen on, such as 127.0.0.1' }, '127.0.0.1'),
  DATA_DIR: text({ pattern: /./, fault: 'must be a folder' }, '.data').describe(
    'Folder of what `npm start` keeps: Redis files, tokens, logs, `stack.json` (`npm start` only)',
  ),
  REDIS_URL: optional(redisUrl()),
  MONGO_URL: optional(mongoUrl()),
  ADMIN_TOKEN: optional(labeledSecrets()),
  PRODUCER_TOKEN: optional(secret()),
};

export const SERVICES = ['api', 'transactional-notifier', 'campaign-batcher'] as const;
export type ServiceName = (typeof SERVICES)[number];

export interface StackSettings {
  readonly host: string;
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
  readonly baseUrl: string;
  readonly opsUrl: string;
}

/** @throws UserError that lists the faults of the environment. */
export function readSettings(env: NodeJS.ProcessEnv): StackSettings {
  const config = readEnvironment(env);
  const opsPorts = {
    api: config.OPS_PORT,
    'transactional-notifier': config.OPS_PORT + 1,
    'campaign-batcher': config.OPS_PORT + 2,
  };
  if (Object.values(opsPorts).includes(config.PORT)) {
    throw new UserError(
      `PORT ${config.PORT} is one of the operations ports ${config.OPS_PORT} to ${config.OPS_PORT + 2}. Set PORT or OPS_PORT to another one.`,
    );
  }
  const dataDir = path.resolve(config.DATA_DIR);
  const logDir = path.join(dataDir, 'logs');
  makeFolder(logDir);
  return {
    host: config.HOST,
    port: config.PORT,
    opsPorts,
    dataDir,
    logDir,
    redisUrl: config.REDIS_URL,
    mongoUrl: config.MONGO_URL,
    ...readTokens(dataDir, config),
    baseUrl: `http://${reachableHost(config.HOST)}:${config.PORT}`,
    opsUrl: `http://${reachableHost(config.HOST)}:${config.OPS_PORT}`,
  };
}

function readEnvironment(env: NodeJS.ProcessEnv) {
  try {
    return readConfig(startEnvironment, env);
  } catch (error) {
    if (error instanceof ConfigError) throw new UserError(error.message);
    throw error;
  }
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

const keptTokens = z.object({ adminToken: z.string().optional(), producerToken: z.string().optional() }).catch({});

/** Returns the tokens of the environment, or else those of the last start, or else new ones, which it keeps. */
function readTokens(
  dataDir: string,
  config: Pick<ReturnType<typeof readEnvironment>, 'ADMIN_TOKEN' | 'PRODUCER_TOKEN'>,
) {
  const file = path.join(dataDir, 'tokens.json');
  const kept = keptTokens.parse(readPrivateJson(file));
  const generated = {
    adminToken: kept.adminToken ?? newToken('admin'),
    producerToken: kept.producerToken ?? newToken('producer'),
  };
  if (generated.adminToken !== kept.adminToken || generated.producerToken !== kept.producerToken)
    writePrivateJson(file, generated);
  return {
    adminToken: config.ADMIN_TOKEN?.find(({ scope }) => scope === 'admin')?.secret ?? generated.adminToken,
    producerToken: config.PRODUCER_TOKEN ?? generated.producerToken,
  };
}

const newToken = (kind: string): string => `${kind}_${randomBytes(24).toString('base64url')}`;

/** Returns the address at which this machine reaches a listener. */
function reachableHost(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
