import { setTimeout as wait } from 'node:timers/promises';
import { Command } from '@commander-js/extra-typings';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { startStack } from '../../test/end-to-end/rig/started-stack.ts';
import type { StackFile } from '../../test/end-to-end/rig/started-stack.ts';
import { SERVICES } from '../stack/settings.ts';
import { ensureRedisServer } from '../stack/redis-server.ts';
import type { Terminal } from '../terminal.ts';
import { createTerminal } from '../terminal.ts';
import type { Dashboard } from './dashboard.ts';
import { readDashboard } from './dashboard.ts';
import { fillPanels } from './evaluate.ts';
import { startDashboardLoad } from './load.ts';
import { startPrometheus } from './prometheus.ts';

const SCRAPE_SECONDS = 2;
const SHOWN_SECONDS = 90;
/** The time before the queried range, because the first rates need some scrapes. */
const LEAD_MS = 10_000;

export const command = new Command()
  .description(
    `Runs every query of the Grafana dashboard in a real Prometheus that watches a stack under load. Takes two minutes,
and fails when a panel has no data.`,
  )
  .action(async () => {
    const terminal = createTerminal();
    await ensureRedisServer((install) => terminal.line(`Installing Redis: ${install}`), new AbortController().signal);
    terminal.progress('  Starting a stack ...');
    // A short schedule, so that there are dead letters.
    const stack = await startStack({ env: { RETRY_SCHEDULE: '1s,3s,10s' } });
    try {
      await limitMemory(stack.file);
      for (const { panel, lines } of await observe(stack.file, terminal, readDashboard()))
        if (panel.type !== 'row')
          terminal.line(`  ${panel.title}: ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}`);
    } finally {
      await stack.close();
    }
  });

async function observe(services: StackFile, terminal: Terminal, dashboard: Dashboard) {
  const prometheus = await startPrometheus({ targets: targetsOf(services), scrapeSeconds: SCRAPE_SECONDS });
  const load = await startDashboardLoad(services);
  try {
    terminal.progress(`  Watching it for ${SHOWN_SECONDS} s ...`);
    await wait(LEAD_MS + SHOWN_SECONDS * 1000);
    const end = Math.floor(Date.now() / 1000) - SCRAPE_SECONDS;
    const range = { start: end - SHOWN_SECONDS, end, step: SCRAPE_SECONDS };
    const ask = (query: string) => prometheus.queryRange(query, range);
    return await fillPanels(dashboard, ask, range, SCRAPE_SECONDS);
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
