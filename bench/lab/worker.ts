import { spawn } from 'node:child_process';
import path from 'node:path';
import type { Mechanism } from '@mailhook/core';
import { freePort } from '@mailhook/testing';
import { ROOT } from './paths.ts';

/** One of the product's own worker processes. */
export interface WorkerProcess {
  readonly pid: number;
  /** SIGTERM; resolves when it is gone. */
  stop(): Promise<void>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
}

export interface WorkerOptions {
  readonly kind: Mechanism;
  readonly redisUrl: string;
  readonly queuePrefix: string;
  /** Where `node --cpu-prof` leaves its profile at a clean stop. */
  readonly profileDir?: string | undefined;
  readonly environment?: Readonly<Record<string, string>>;
}

const SERVICES: Readonly<Record<Mechanism, string>> = {
  campaign: 'campaign-batcher',
  transactional: 'transactional-notifier',
};
const READY_WITHIN_MS = 20_000;

/** Starts `node services/<service>/dist/main.js`; resolves when it says that it is ready. */
export async function startWorker(options: WorkerOptions): Promise<WorkerProcess> {
  const port = await freePort();
  const service = SERVICES[options.kind];
  const profile = options.profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profileDir}`];
  const child = spawn(process.execPath, [...profile, path.join(ROOT, 'services', service, 'dist/main.js')], {
    stdio: ['pipe', 'ignore', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      NODE_ENV: 'production',
      MAILHOOK_SUPERVISED: '1',
      HOST: '127.0.0.1',
      OPS_PORT: String(port),
      REDIS_URL: options.redisUrl,
      QUEUE_PREFIX: options.queuePrefix,
      ALLOW_PRIVATE_DESTINATIONS: 'true',
      ADMIN_TOKEN: 'bench-admin-token-0123456789',
      LOG_LEVEL: 'warn',
      ...options.environment,
    },
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    child.kill(signal);
    await exited;
  };
  await untilReady(port, service, () => child.exitCode);
  return { pid: child.pid ?? 0, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') };
}

async function untilReady(port: number, service: string, exitCode: () => number | null): Promise<void> {
  const until = performance.now() + READY_WITHIN_MS;
  for (;;) {
    if (exitCode() !== null) throw new Error(`${service} ended with ${exitCode() ?? ''} before it was ready`);
    const isReady = await fetch(`http://127.0.0.1:${port}/readyz`).then(
      async (reply) => (await reply.text(), reply.ok),
      () => false,
    );
    if (isReady) return;
    if (performance.now() > until) throw new Error(`${service} was not ready within ${READY_WITHIN_MS} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
