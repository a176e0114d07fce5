import { setTimeout as wait } from 'node:timers/promises';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { newWindow } from '../../../test/browser/rig/chromium.ts';
import type { Browser } from 'playwright-core';
import { startStack } from '../../../test/end-to-end/rig/started-stack.ts';
import type { StackFile } from '../../../test/end-to-end/rig/started-stack.ts';
import type { Dashboard } from '../../monitoring/dashboard.ts';
import { readDashboard } from '../../monitoring/dashboard.ts';
import { startPrometheus } from '../../monitoring/prometheus.ts';
import { SERVICES } from '../../stack/settings.ts';
import type { Terminal } from '../../terminal.ts';
import { WIDTH, dashboardDocument } from './document.ts';
import { fillPanels } from './evaluate.ts';
import { startDashboardLoad } from './load.ts';

const SCRAPE_SECONDS = 2;
const SHOWN_SECONDS = 90;
/** The time before the shown range, because the first rates need some scrapes. */
const LEAD_MS = 10_000;

/** Takes a picture of the dashboard, with the answers of a real Prometheus about a real stack under load. Takes about two minutes. */
export async function takeDashboard(browser: Browser, file: string, terminal: Terminal): Promise<void> {
  const dashboard = readDashboard();
  terminal.progress('  Starting a stack ...');
  // A short schedule, so that there are dead letters to see.
  const stack = await startStack({ env: { RETRY_SCHEDULE: '1s,3s,10s' } });
  try {
    await limitMemory(stack.file);
    const { filled, range } = await observe(stack.file, terminal, dashboard);
    const window = await newWindow(browser, { viewport: { width: WIDTH, height: 900 } });
    const page = await window.newPage();
    await page.setContent(dashboardDocument(dashboard.title, filled, range));
    await page.screenshot({ path: file, fullPage: true });
    await window.close();
  } finally {
    await stack.close();
  }
}

async function observe(services: StackFile, terminal: Terminal, dashboard: Dashboard) {
  const prometheus = await startPrometheus({ targets: targetsOf(services), scrapeSeconds: SCRAPE_SECONDS });
  const load = await startDashboardLoad(services);
  try {
    terminal.progress(`  Watching it for ${SHOWN_SECONDS} s ...`);
    await wait(LEAD_MS + SHOWN_SECONDS * 1000);
    const end = Math.floor(Date.now() / 1000) - SCRAPE_SECONDS;
    const range = { start: end - SHOWN_SECONDS, end, step: SCRAPE_SECONDS };
    const ask = (query: string) => prometheus.queryRange(query, range);
    return { filled: await fillPanels(dashboard, ask, range, SCRAPE_SECONDS), range };
  } finally {
    await load.stop();
    await prometheus.stop();
  }
}

/** The services' operations ports, which have consecutive numbers. */
function targetsOf({ opsUrl }: StackFile): Record<string, string> {
  const { hostname, port } = new URL(opsUrl);
  return Object.fromEntries(SERVICES.map((name, i) => [name, `${hostname}:${Number(port) + i}`]));
}

/** Limits the memory of Redis as in production, because the headroom is a share of the limit. */
async function limitMemory({ redisUrl }: StackFile): Promise<void> {
  const redis = connectRedis({ url: redisUrl, role: 'fail-fast', name: 'screenshots', onError: () => undefined });
  await whenReady(redis, 5000);
  await redis.config('SET', 'maxmemory', '256mb');
  await closeRedis(redis);
}
