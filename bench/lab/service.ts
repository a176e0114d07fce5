import path from 'node:path';
import type { ServiceName, ServiceProcess } from '@mailhook/testing';
import { eventually, freePort, startServiceProcess } from '@mailhook/testing';
import { ROOT } from './paths.ts';

export interface BenchService extends Pick<ServiceProcess, 'pid' | 'stop' | 'kill'> {
  readonly opsPort: number;
}

export interface BenchServiceOptions {
  readonly name: ServiceName;
  readonly redisUrl: string;
  readonly queuePrefix: string;
  /** The folder for the profile of `node --cpu-prof`, which a clean stop writes. */
  readonly profileDir?: string | undefined;
  readonly environment?: Readonly<Record<string, string>>;
}

export const ADMIN_TOKEN = 'bench-admin-token-0123456789';

/** Starts a compiled service. Resolves when it is ready. */
export async function startService(options: BenchServiceOptions): Promise<BenchService> {
  const opsPort = await freePort();
  const { name, profileDir } = options;
  const service = await startServiceProcess({
    name,
    program: path.join(ROOT, 'services', name, 'dist/main.js'),
    nodeOptions: profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`],
    env: {
      HOST: '127.0.0.1',
      OPS_PORT: String(opsPort),
      REDIS_URL: options.redisUrl,
      QUEUE_PREFIX: options.queuePrefix,
      ALLOW_PRIVATE_DESTINATIONS: 'true',
      ADMIN_TOKEN,
      LOG_LEVEL: 'info',
      ...options.environment,
    },
  });
  await eventually(() => isReady(opsPort), { what: `${name} to be ready` });
  return { pid: service.pid, opsPort, stop: () => service.stop(), kill: () => service.kill() };
}

const isReady = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    async (reply) => {
      await reply.text();
      return reply.ok;
    },
    () => false,
  );
