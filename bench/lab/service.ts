import { spawn } from 'node:child_process';
import path from 'node:path';
import { freePort } from '@mailhook/testing';
import { ROOT } from './paths.ts';

/** A service process of the product. */
export interface ServiceProcess {
  readonly pid: number;
  readonly opsPort: number;
  /** Sends SIGTERM. Resolves when the process has ended. */
  stop(): Promise<void>;
  /** Sends SIGKILL. Resolves when the process has ended. */
  kill(): Promise<void>;
}

export interface ServiceOptions {
  readonly service: 'api' | 'campaign-batcher' | 'transactional-notifier';
  readonly redisUrl: string;
  readonly queuePrefix: string;
  /** The folder for the profile of `node --cpu-prof`, which a clean stop writes. */
  readonly profileDir?: string | undefined;
  readonly environment?: Readonly<Record<string, string>>;
}

export const ADMIN_TOKEN = 'bench-admin-token-0123456789';
const READY_WITHIN_MS = 30_000;
const POLL_MS = 20;

/** Starts `node services/<service>/dist/main.js`. Resolves when it is ready. The service ends with the bench. */
export async function startService(options: ServiceOptions): Promise<ServiceProcess> {
  const opsPort = await freePort();
  const { service, profileDir } = options;
  const profile = profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`];
  const child = spawn(process.execPath, [...profile, path.join(ROOT, 'services', service, 'dist/main.js')], {
    stdio: ['pipe', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      MAILHOOK_SUPERVISED: '1',
      HOST: '127.0.0.1',
      OPS_PORT: String(opsPort),
      REDIS_URL: options.redisUrl,
      QUEUE_PREFIX: options.queuePrefix,
      ALLOW_PRIVATE_DESTINATIONS: 'true',
      ADMIN_TOKEN,
      LOG_LEVEL: 'error',
      ...options.environment,
    },
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    await exited;
  };
  await untilReady(opsPort, service, () => child.exitCode);
  return { pid: child.pid ?? 0, opsPort, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
}

async function untilReady(port: number, service: string, exitCode: () => number | null): Promise<void> {
  const untilMs = performance.now() + READY_WITHIN_MS;
  while (!(await isReady(port))) {
    if (exitCode() !== null) throw new Error(`${service} ended with ${exitCode() ?? ''} before it was ready`);
    if (performance.now() > untilMs) throw new Error(`${service} was not ready within ${READY_WITHIN_MS / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

const isReady = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    async (reply) => {
      await reply.text();
      return reply.ok;
    },
    () => false,
  );
