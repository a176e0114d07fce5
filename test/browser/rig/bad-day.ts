import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { campaignDestinationId, coded, destinationIdOf, fieldsOfEvent } from '@mailhook/core';
import { createEventLog, createFolderStore } from '@mailhook/event-log';
import type { ReplyAction } from '@mailhook/testing';
import { aCampaignEvent, aCertificate, acknowledge, anEvent, eventually, startReceiver } from '@mailhook/testing';
import type { RecordedAttempt } from './history.ts';
import { writePast } from './history.ts';
import type { Services, TestCustomer } from './services.ts';
import { startServices } from './services.ts';

const HOUR_MS = 3_600_000;
const WEEK_HOURS = 7 * 24;
const LOG_RETENTION_HOURS = 72;
const DEADLINE_MS = 1000;
/** Failed attempts until an endpoint is parked: three dead letters of two attempts each. */
const BREAKER_FAILURES = 6;
/** The services of the scene. An event has two attempts, so dead letters come soon. */
const ENVIRONMENT = {
  RETRY_SCHEDULE: '10ms',
  RETRY_JITTER: '0',
  BREAKER_FAILURES: String(BREAKER_FAILURES),
  BREAKER_PARK_MAX: '1h',
  DELIVERY_TIMEOUT_MS: String(DEADLINE_MS),
  DELIVERED_BODY_RETENTION: '24h',
  // Nothing listens there, so each mail has failed.
  SMTP_URL: 'smtp://127.0.0.1:9',
  SMTP_FROM: 'alerts@mailhook.example',
  PUBLIC_URL: 'http://127.0.0.1:9',
};

interface Broken {
  readonly types: readonly [string, ...string[]];
  readonly name: string | null;
  readonly reply: ReplyAction;
  readonly events: number;
  readonly isTls?: true;
}

const PAGE = '<!doctype html><title>Anmeldung am Kundenbereich der Beispielversandhaus GmbH</title><p>Bitte anmelden';
const REDIRECT = { location: 'https://hooks.shop.example/v2/webhooks/incoming/mail-events?region=eu-central-1' };

/**
 * One endpoint per fault. Some get more events than they lose while they become parked, so that events wait there.
 * Names are as long as customers make them, and some have none.
 */
const ENDPOINTS: Readonly<Record<string, Broken>> = {
  healthy: { types: ['open'], name: 'CRM', reply: {}, events: 12 },
  slow: { types: ['click'], name: 'Data warehouse (slow)', reply: { hang: 'reply' }, events: 40 },
  failing: { types: ['bounce'], name: null, reply: { status: 500, body: 'Traceback: no such table' }, events: 1 },
  unauthorized: {
    types: ['complaint', 'unsubscribe'],
    name: 'Kundendienst Süddeutschland: Bestellbestätigungs- und Empfangsbestätigungsbenachrichtigungen',
    reply: { status: 401, json: { error: 'invalid_token', error_description: 'The access token expired' } },
    events: 60,
  },
  redirect: {
    types: ['delivered'],
    name: 'Powiadomienia o niedostarczonych wiadomościach i o rezygnacjach z subskrypcji biuletynu',
    reply: { status: 301, headers: REDIRECT },
    events: 60,
  },
  html: { types: ['sent'], name: null, reply: { body: PAGE, headers: { 'content-type': 'text/html' } }, events: 4 },
  tooLarge: { types: ['rejected'], name: 'Archive', reply: { status: 413 }, events: 4 },
  tls: { types: ['deferred'], name: null, reply: {}, events: 4, isTls: true },
  gone: { types: ['suppression'], name: 'The shop of 2019', reply: { status: 410 }, events: 3 },
};
type FaultName = keyof typeof ENDPOINTS;

/** An account on a bad day, on services of its own with the event log on. */
export interface BadDay {
  readonly services: Services;
  readonly customer: TestCustomer;
  /** Public ids by what is wrong with the endpoint. */
  readonly endpoints: Readonly<Record<FaultName, string>>;
  readonly close: () => Promise<void>;
}

/** Ten endpoints of which most fail, 7 days of uneven history, dead letters of several causes, and an event log. */
export async function startBadDay(environment: Readonly<Record<string, string>> = {}): Promise<BadDay> {
  const folder = await mkdtemp(path.join(tmpdir(), 'mailhook-bad-day-'));
  const eventLog = { EVENT_LOG: folder, EVENT_LOG_RETENTION: `${LOG_RETENTION_HOURS}h` };
  const services = await startServices({ ...ENVIRONMENT, ...eventLog, ...environment });
  let requests = 0;
  const receiver = await startReceiver({
    reply: ({ path: at, json }) => {
      const fault = ENDPOINTS[at.split('/').at(-1) ?? ''];
      if (fault !== undefined) return fault.reply;
      requests += 1;
      const isWhole = requests % 3 === 0;
      return acknowledge(json, (_event, i) => isWhole || i % 2 === 0);
    },
  });
  const tls = aCertificate({ name: 'another-host.example' });
  const secure = await startReceiver({ tls });
  const customer = await services.newCustomer('Beispielversandhaus Süd GmbH & Co. KG');
  const api = services.as(customer.token);
  const urlOf = (name: string): string => {
    const { isTls = false } = ENDPOINTS[name] ?? {};
    return `${isTls ? secure.url : receiver.url}/hooks/eu-central-1/customers/4711/mail-events/${name}`;
  };
  await api('PUT', '/v3/webhook/campaign', { address: urlOf('half'), active: true });
  const endpoints: Record<string, string> = {};
  for (const [name, { types, name: label }] of Object.entries(ENDPOINTS)) {
    const body = { address: urlOf(name), name: label, module: 'transactional_email', types };
    endpoints[name] = ((await api('POST', '/v3/webhook/destinations', body)) as { id: string }).id;
  }
  await api('POST', '/v3/webhook/secrets');
  await addReaders(api, `${receiver.url}/services/T0/B0/Xy7K`);
  const { account } = customer;
  await services.send([
    ...Object.values(ENDPOINTS).flatMap(({ types: [type], events }) =>
      Array.from({ length: events }, () => anEvent(type as 'open', { account })),
    ),
    ...Array.from({ length: 40 }, () => aCampaignEvent({ account })),
  ]);
  await writeLog(folder, customer, endpoints['healthy'] ?? '');
  await writePast(services.queues, pastOf(account, endpoints, urlOf));
  const close = async (): Promise<void> => {
    await services.close();
    await Promise.all([receiver.close(), secure.close()]);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await untilBad(api);
  } catch (error) {
    await close();
    throw error;
  }
  return { services, customer, endpoints, close };
}

/** Of alerts: an address, and a webhook that wants only some. */
async function addReaders(api: ReturnType<Services['as']>, address: string): Promise<void> {
  const email = 'webhook-bereitschaft.kundenkommunikation@beispielversandhaus-sued.example';
  await api('POST', '/v3/webhook/alerts', { email, language: 'de' });
  const { id } = (await api('POST', '/v3/webhook/alert-webhooks', { address })) as { id: string };
  await api('PUT', `/v3/webhook/alerts/${id}`, { kinds: ['failing'], muted: ['campaign'] });
}

/** Resolves when enough endpoints are parked, and one is switched off. */
async function untilBad(api: ReturnType<Services['as']>): Promise<void> {
  await eventually(
    async () => {
      const { items } = (await api('GET', '/v3/webhook/destinations')) as { items: { state: string }[] };
      const states = items.map(({ state }) => state);
      return states.filter((state) => state === 'parked').length >= 2 && states.includes('switched_off');
    },
    { what: 'parked and switched-off endpoints', withinMs: 30_000, everyMs: 200 },
  );
}

/** More by day than by night, a newsletter on two days, and an outage of some hours. */
function pastOf(account: string, endpoints: Readonly<Record<string, string>>, urlOf: (name: string) => string) {
  const hourOf = (hoursAgo: number): number => (24 + 14 - (hoursAgo % 24)) % 24;
  const weight = (hoursAgo: number): number => {
    const hour = hourOf(hoursAgo);
    const isNewsletter = hour === 9 && [1, 4].includes(Math.floor(hoursAgo / 24));
    return (hour < 6 ? 1 : 4 + ((hour * 7) % 5)) * (isNewsletter ? 12 : 1);
  };
  const deliveries = (share: number, isFailing: (hoursAgo: number) => boolean) => (hoursAgo: number) => {
    const attempts = Math.ceil(weight(hoursAgo) * share);
    const failed = isFailing(hoursAgo) ? attempts : 0;
    const replyMs = (i: number): number => 15 + ((i * 37 + hoursAgo * 11) % 90);
    return { attempts: failed > 0 && hoursAgo % 3 > 0 ? 0 : attempts, failed, events: 3, replyMs };
  };
  return {
    account,
    hours: WEEK_HOURS,
    deadlineMs: DEADLINE_MS,
    deliveries: new Map([
      [campaignDestinationId(account), deliveries(3, (hours) => hours % 31 === 5)],
      ...Object.entries(endpoints).map(
        ([name, id], i) =>
          [
            destinationIdOf(account, id),
            deliveries(1 / (1 + i), (hours) => name !== 'healthy' && hours < 3 + i * 4),
          ] as const,
      ),
    ]),
    attempts: pastAttempts(account, endpoints, urlOf),
  };
}

/** Attempts of other days and with reasons that no receiver of this machine has. */
function pastAttempts(
  account: string,
  endpoints: Readonly<Record<string, string>>,
  urlOf: (name: string) => string,
): readonly RecordedAttempt[] {
  const fault = coded('unreachable', { fault: coded('tls-other-name') });
  const at = (daysAgo: number): string => new Date(Date.now() - daysAgo * 24 * HOUR_MS).toISOString();
  return Array.from({ length: 6 }, (_, i) => ({
    id: `past${i}`,
    webhookId: `msg_2x6Hq9TnV4aLw0Zr8Yb${i}`,
    time: at(i + 0.4),
    attempt: 1 + i,
    durationMs: 41,
    events: 1,
    account,
    kind: 'transactional' as const,
    shape: 'single' as const,
    destination: endpoints['tls'] ?? '',
    address: urlOf('tls'),
    status: 'failed' as const,
    error: fault,
    nextAttemptAt: at(i),
    eventKeys: [],
  }));
}

/** Accepted events of the last two days with a gap, written as the api closes its segments. */
async function writeLog(folder: string, { account }: TestCustomer, healthy: string): Promise<void> {
  const store = createFolderStore(folder);
  const key = (await store.get('key')).toString();
  const log = createEventLog({ store, key, retentionMs: LOG_RETENTION_HOURS * HOUR_MS });
  const nowMs = Date.now();
  const events = Array.from({ length: 40 }, (_, n) => ({
    acceptedAtMs: nowMs - (n + 1) * 1.1 * HOUR_MS,
    chunk: 'c-past',
    n,
    ...fieldsOfEvent(anEvent(n % 3 === 0 ? 'click' : 'open', { account, email: `kundin${n}@example.com` })),
    destinations: n % 7 === 0 ? [] : [destinationIdOf(account, healthy)],
  }));
  const gap = { account, fromMs: nowMs - 9 * HOUR_MS, toMs: nowMs - 8.5 * HOUR_MS, events: 1240 };
  await log.close('0', { events, outcomes: [], gaps: [{ ...gap, reason: 'store' }] });
  await store.close();
}
