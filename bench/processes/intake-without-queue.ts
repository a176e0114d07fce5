import type { RequestListener } from 'node:http';
import { CAMPAIGN_FIELDS, campaignDestinationId, forEachName, version1Route } from '@mailhook/core';
import type { AccountRoutes } from '@mailhook/core';
import { createLogger } from '@mailhook/platform/logger';
import type { Metrics } from '@mailhook/platform/metrics';
import { createMetrics } from '@mailhook/platform/metrics';
import { createBodyBudget, listen, usableMemoryBytes } from '@mailhook/platform/http-server';
import type { Publisher, RoutedEvent } from '@mailhook/delivery';
import { serve } from './calls.ts';
import { sha256 } from './events.ts';
import { knownProducer } from './known-producer.ts';
import { loadModules } from './private-modules.ts';

/**
 * The intake's baseline. It has the api's application and route: sign-in, parsing, validation and routing. Its
 * publisher hashes, groups and serializes like the real one, but skips the add. The compiled modules are private to
 * their packages, so this file imports them by path.
 */

/** The used parts of those modules. */
interface Modules {
  readonly ChunkBuilder: new (
    id: string,
    digest: (text: string) => string,
  ) => { add(event: RoutedEvent): void; build(acceptedAtMs: number): object };
  readonly createTakeEvents: (deps: object) => object;
  readonly createIntakeMetrics: (metrics: Metrics) => object;
  readonly createPublicListener: (deps: object) => RequestListener;
  readonly createAuthenticate: (deps: object) => object;
  readonly createRequestObserver: (deps: object) => object;
}

async function start({ token, accounts }: { token: string; accounts: readonly string[] }): Promise<number> {
  const { ChunkBuilder, ...api } = await loadModules<Modules>();
  const metrics = createMetrics();
  const logger = createLogger({ level: 'error', service: 'intake-without-queue' });
  const publish: Publisher['publish'] = (events) => {
    const builder = new ChunkBuilder('c0', sha256);
    for (const event of events) builder.add(event);
    JSON.stringify(builder.build(Date.now()));
    return Promise.resolve();
  };
  const known = new Map(accounts.map((account) => [account, snapshotOf(account)]));
  const routing = { peek: (account: string) => known.get(account) ?? null };
  const authenticate = api.createAuthenticate(knownProducer(token));
  const bodies = createBodyBudget({ maxBytes: usableMemoryBytes() / 12, metrics });
  const takeEvents = api.createTakeEvents({
    routing,
    bodies,
    publisher: { publish, isOverfull: () => false },
    metrics: api.createIntakeMetrics(metrics),
    refusals: { note: () => undefined },
    reconnected: () => undefined,
  });
  const observe = api.createRequestObserver({ metrics, logger });
  // Stands in for the other routes, which nobody calls.
  const uncalled = new Proxy({}, { get: () => ({}) });
  const app = api.createPublicListener({
    api: uncalled,
    protection: { authenticate, bodies, security: { noteRefusal: () => undefined } },
    audit: { record: () => undefined },
    takeEvents,
    observe,
    logger,
    trustProxy: false,
  });
  return (await listen({ host: '127.0.0.1', port: 0, app })).port;
}

/** An account with a campaign webhook that takes every event. */
function snapshotOf(account: string): { readonly routes: AccountRoutes } {
  const toCampaign = [version1Route(campaignDestinationId(account))];
  return { routes: { transactional_email: {}, campaign: forEachName(CAMPAIGN_FIELDS, () => toCampaign) } };
}

const handlers = { start };
export type IntakeWithoutQueueApi = typeof handlers;

serve(handlers);
