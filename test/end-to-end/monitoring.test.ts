import { createLogger } from '@mailhook/platform/logger';
import { aCampaignEvent, anOpen, eventually, freePort, startReceiver, startRedis, uniqueName } from '@mailhook/testing';
import { allQueries } from '../../scripts/monitoring/queries.ts';
import { readQuery } from '../../scripts/monitoring/promql.ts';
import type { Selector } from '../../scripts/monitoring/promql.ts';
import { readScrape } from '../../scripts/monitoring/scrape.ts';
import type { Series } from '../../scripts/monitoring/scrape.ts';
import { compose as composeApi } from '../../services/api/src/compose.ts';
import { loadConfig as apiConfig } from '../../services/api/src/config.ts';
import { compose as composeBatcher } from '../../services/campaign-batcher/src/compose.ts';
import { loadConfig as batcherConfig } from '../../services/campaign-batcher/src/config.ts';
import { compose as composeNotifier } from '../../services/transactional-notifier/src/compose.ts';
import { loadConfig as notifierConfig } from '../../services/transactional-notifier/src/config.ts';

const ADMIN_TOKEN = 'admin-token-of-the-tests';
const PRODUCER_TOKEN = 'producer-token-of-the-tests';

/** The three services as their processes compose them, and what each of them tells Prometheus. */
async function startServices(redisUrl: string) {
  const [apiPort, notifierPort, batcherPort] = [await freePort(), await freePort(), await freePort()];
  const common = {
    HOST: '127.0.0.1',
    REDIS_URL: redisUrl,
    QUEUE_PREFIX: uniqueName('monitoring'),
    ALLOW_PRIVATE_DESTINATIONS: 'true',
    RETRY_SCHEDULE: '10ms',
  };
  const logger = createLogger({ level: 'error', service: 'test' });
  const api = await composeApi(
    apiConfig({ ...common, PORT: '0', OPS_PORT: String(apiPort), ADMIN_TOKEN, PRODUCER_TOKEN }),
    logger,
    'services/api/assets',
  );
  const notifier = await composeNotifier(notifierConfig({ ...common, OPS_PORT: String(notifierPort) }), logger);
  const batcher = await composeBatcher(batcherConfig({ ...common, OPS_PORT: String(batcherPort) }), logger);
  const scrape = async (): Promise<Series[]> => {
    const texts = await Promise.all(
      [apiPort, notifierPort, batcherPort].map(async (port) =>
        (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
      ),
    );
    return texts.flatMap(readScrape);
  };
  const call = async (port: number, token: string, method: string, path: string, body: unknown): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json;charset=UTF-8' };
    const reply = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, body: JSON.stringify(body) });
    expect(reply.status).toBeLessThan(300);
    return reply.json();
  };
  return {
    scrape,
    admin: (path: string, body: unknown) => call(apiPort, ADMIN_TOKEN, 'POST', path, body),
    call: (token: string, method: string, path: string, body: unknown) => call(api.port, token, method, path, body),
    close: async () => {
      await Promise.all([notifier.close(), batcher.close()]);
      await api.close();
    },
  };
}

/** What Prometheus itself adds when it scrapes. */
const ADDED_LABELS = ['job', 'instance'];
const OWN_METRICS = ['up'];

/** Why a selector finds nothing in this scrape; undefined when it does. A value that is asked for must be there; others may come later. */
function faultOf({ metric, matchers }: Selector, scrape: readonly Series[]): string | undefined {
  if (OWN_METRICS.includes(metric)) return undefined;
  const series = scrape.filter((one) => one.metric === metric);
  if (series.length === 0) return `there is no metric ${metric}`;
  for (const { label, operator, value } of matchers) {
    if (ADDED_LABELS.includes(label)) continue;
    const values = new Set(series.map(({ labels }) => labels.get(label)));
    if (values.has(undefined)) return `${metric} has no label ${label}`;
    if (operator === '=' && !values.has(value) && !RARE.includes(value)) return `${metric} has no ${label}="${value}"`;
  }
  return undefined;
}

/** Values of settings that a good installation does not have. */
const RARE = ['no'];

test('every query of the alerts, the dashboard and the autoscalers finds what it asks for in the real metrics', async () => {
  const redis = await startRedis({ appendonly: true });
  const receiver = await startReceiver();
  const services = await startServices(redis.url);
  try {
    const { id } = (await services.admin('/admin/accounts', { name: 'monitored' })) as { id: string };
    const { token } = (await services.admin(`/admin/accounts/${id}/tokens`, {})) as { token: string };
    const address = `${receiver.url}/hook`;
    await services.call(token, 'POST', '/v3/webhook/subscriptions', {
      address,
      type: 'open',
      module: 'transactional_email',
    });
    await services.call(token, 'PUT', '/v3/webhook/campaign', { address, active: true });
    await services.call(PRODUCER_TOKEN, 'POST', '/v3/events', [
      anOpen({ account: id }),
      aCampaignEvent({ account: id }),
    ]);
    const delivered = async (): Promise<number> =>
      (await services.scrape())
        .filter(({ metric, labels }) => metric === 'mailhook_events_total' && labels.get('result') === 'delivered')
        .reduce((sum, { value }) => sum + value, 0);
    await eventually(async () => (await delivered()) === 2, { what: 'both events to be counted as delivered' });

    const scrape = await services.scrape();
    const faults = allQueries().flatMap(({ where, expression }) => {
      const { selectors, grouping } = readQuery(expression);
      const found = selectors.map((selector) => faultOf(selector, scrape)).filter((fault) => fault !== undefined);
      const metrics = selectors.map(({ metric }) => metric);
      const known = new Set(
        scrape.filter(({ metric }) => metrics.includes(metric)).flatMap(({ labels }) => [...labels.keys()]),
      );
      const strange = grouping.filter((label) => !known.has(label) && !ADDED_LABELS.includes(label));
      return [...found, ...strange.map((label) => `no metric in it has the label ${label}`)].map(
        (fault) => `${where}: ${fault}`,
      );
    });
    expect(faults).toEqual([]);

    const valueOf = (metric: string): number[] =>
      scrape.filter((one) => one.metric === metric).map(({ value }) => value);
    expect(valueOf('mailhook_ready')).toEqual([1, 1, 1]);
    // The api tells of both mechanisms, each worker of its own.
    expect(valueOf('mailhook_workers')).toEqual([1, 1, 1, 1]);
    expect(valueOf('mailhook_oldest_ready_seconds')).toEqual([0, 0, 0, 0]);
  } finally {
    await services.close();
    await receiver.close();
    await redis.stop();
  }
});
