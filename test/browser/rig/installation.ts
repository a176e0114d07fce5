import { eventually, startRedis } from '@mailhook/testing';
import type { ServiceProcess, TestRedis } from '@mailhook/testing';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startService } from '../../faults/rig/service.ts';
import { newWindow } from './chromium.ts';
import type { Services } from './services.ts';
import { startServices } from './services.ts';

/** The services on a Redis of their own, whose faults harm no other test, and an operator at the overview. */
export interface Installation {
  readonly redis: TestRedis;
  readonly services: Services;
  readonly page: Page;
  /** Resolves when the overview, or another page, shows this text. Reloads it until then. */
  readonly see: (text: string | RegExp, path?: string) => Promise<void>;
  /** Opens a page of the operations port. Resolves with its status. */
  readonly open: (path?: string, options?: BrowserContextOptions) => Promise<{ page: Page; status: number }>;
  /** Starts one more batcher as a process, so that it can be killed. */
  readonly startBatcher: () => Promise<ServiceProcess>;
  readonly close: () => Promise<void>;
}

export async function startInstallation(
  browser: Browser,
  environment: Readonly<Record<string, string>> = {},
  hasBatcher = true,
): Promise<Installation> {
  const redis = await startRedis({ appendonly: true });
  const services = await startServices({ REDIS_URL: redis.url, ...environment }, hasBatcher);
  const processes: ServiceProcess[] = [];
  const open: Installation['open'] = async (where = '/admin', options = {}) => {
    const httpCredentials = { username: 'admin', password: services.adminToken };
    const page = await (await newWindow(browser, { httpCredentials, ...options })).newPage();
    page.setDefaultTimeout(20_000);
    const status = (await page.goto(services.opsUrl + where))?.status() ?? 0;
    return { page, status };
  };
  const { page } = await open();
  return {
    redis,
    services,
    page,
    open,
    see: async (text, path = '/admin') => {
      await eventually(
        async () => {
          await page.goto(services.opsUrl + path);
          return (await page.getByText(text).count()) > 0;
        },
        { withinMs: 20_000, everyMs: 250, what: `${path} to show ${String(text)}` },
      );
    },
    startBatcher: async () => {
      const { redisUrl, prefix } = services.queues;
      const env = { HOST: '127.0.0.1', OPS_PORT: '0', REDIS_URL: redisUrl, QUEUE_PREFIX: prefix, LOG_LEVEL: 'info' };
      const batcher = await startService('campaign-batcher', env);
      processes.push(batcher);
      return batcher;
    },
    close: async () => {
      await page.context().close();
      await Promise.all(processes.map((process) => process.kill()));
      await services.close();
      await redis.stop();
    },
  };
}
