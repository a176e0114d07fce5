import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { aCampaignEvent, anOpen, eventually, goodReply, startReceiver, startRedis } from '@mailhook/testing';
import { allQueries } from '../../scripts/monitoring/queries.ts';
import { readQuery } from '../../scripts/monitoring/promql.ts';
import type { Selector } from '../../scripts/monitoring/promql.ts';
import { readScrape } from '../../scripts/monitoring/scrape.ts';
import type { Series } from '../../scripts/monitoring/scrape.ts';
import { callJson, composeServices } from './rig/composed-services.ts';

const ADMIN_TOKEN = 'admin-token-of-the-tests';
const PRODUCER_TOKEN = 'producer-token-of-the-tests';

/** Starts the three services, with calls for their APIs and their metrics. */
async function startServices(redisUrl: string) {
  const logFolder = mkdtempSync(path.join(tmpdir(), 'event-log-'));
  const services = await composeServices({
    redisUrl,
    adminToken: ADMIN_TOKEN,
    producerToken: PRODUCER_TOKEN,
    env: { ALLOW_PRIVATE_DESTINATIONS: 'true', RETRY_SCHEDULE: '10ms', EVENT_LOG: logFolder },
  });
  const { baseUrl, opsUrls, close } = services;
  return {
    close: async () => {
      await close();
      rmSync(logFolder, { recursive: true, force: true });
    },
    scrape: async (): Promise<Series[]> => {
      const texts = await Promise.all(opsUrls.map(async (url) => (await fetch(`${url}/metrics`)).text()));
      return texts.flatMap(readScrape);
    },
    admin: (path: string, body: unknown) => callJson(`${opsUrls[0] ?? ''}${path}`, ADMIN_TOKEN, 'POST', body),
    call: (token: string, method: string, path: string, body: unknown) =>
      callJson(`${baseUrl}${path}`, token, method, body),
  };
}

/** Labels and metrics that Prometheus adds when it scrapes. */
const ADDED_LABELS = ['job', 'instance'];
const OWN_METRICS = ['up'];

/**
 * Returns why a selector finds nothing in this scrape, or undefined. A value after `=` must exist, unless it is in
 * `RARE`.
 */
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

/** The name of a metric without the ends that Prometheus adds to the series of a histogram. */
const familyOf = (metric: string): string => metric.replace(/_(bucket|sum|count)$/, '');

/** Values of labels that a good installation does not have. */
const RARE = ['no'];

test('all queries of alerts, dashboard and autoscalers find correct metrics in real services', async () => {
  // Synced as one of the alerts names it.
  const redis = await startRedis({ appendonly: true, appendfsync: 'always' });
  // The receiver refuses the first attempt of each mechanism.
  const receiver = await startReceiver({
    reply: (request) => (request.headers['webhook-attempt'] === '1' ? { status: 500 } : goodReply(request)),
  });
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
    const shown = new Set(
      allQueries().flatMap(({ expression }) => readQuery(expression).selectors.map(({ metric }) => familyOf(metric))),
    );
    const own = new Set(scrape.map(({ metric }) => familyOf(metric)).filter((name) => name.startsWith('mailhook_')));
    expect([...own].filter((name) => !shown.has(name))).toEqual([]);

    // At first nothing waits. Then two events wait for replies that never come.
    const waiting = async (): Promise<number | undefined> =>
      (await services.scrape()).find(({ metric }) => metric === 'mailhook_waiting_events')?.value;
    expect(await waiting()).toBe(0);
    receiver.setReply(() => ({ hang: 'reply' }));
    await services.call(PRODUCER_TOKEN, 'POST', '/v3/events', [
      anOpen({ account: id }),
      aCampaignEvent({ account: id }),
    ]);
    await eventually(async () => (await waiting()) === 2, { what: 'two waiting events' });

    const valueOf = (metric: string): number[] =>
      scrape.filter((one) => one.metric === metric).map(({ value }) => value);
    expect(valueOf('mailhook_resends_total')).toEqual([1, 1]);
    const rejected = scrape.filter(
      ({ metric, labels }) => metric === 'mailhook_deliveries_total' && labels.get('outcome') === 'rejected',
    );
    expect(rejected.map(({ value }) => value)).toEqual([1, 1]);
    expect(valueOf('mailhook_ready')).toEqual([1, 1, 1]);
    // The api reports both mechanisms, and each worker only its mechanism.
    expect(valueOf('mailhook_workers')).toEqual([1, 1, 1, 1]);
    expect(valueOf('mailhook_oldest_ready_seconds')).toEqual([0, 0, 0, 0]);
  } finally {
    await services.close();
    await receiver.close();
    await redis.stop();
  }
});
