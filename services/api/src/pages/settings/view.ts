import { campaignDestinationId } from '@mailhook/core';
import type {
  CampaignWebhook,
  DeadLetter,
  DeliveryAttempt,
  DestinationStatus,
  EventTraces,
  SigningSecret,
  Store,
  Subscription,
} from '@mailhook/core';
import type { DeliveryHistory, DestinationHistory, Page } from '@mailhook/delivery';
import { asProblem } from '@mailhook/platform/http-server';
import type { FormFields } from '@mailhook/platform/http-server';
import type { Logger } from '@mailhook/platform/logger';
import { translateError } from '../../http/errors.ts';
import type { AccountApi } from '../../customer-api/account-api.ts';

/** A part of the page, or the reason why it could not be read. Parts fail independently. */
export type Loaded<Value> = { readonly value: Value } | { readonly fault: string; readonly status: number };

/** The query in the page's address. */
export interface PageQuery {
  readonly destination: string;
  readonly status: string;
  readonly cursor: string;
  /** A hash or a messageId. */
  readonly event: string;
}

/** The data that changes without user action. */
export interface LiveView {
  readonly nowMs: number;
  readonly question: PageQuery;
  readonly campaign: Loaded<CampaignWebhook>;
  readonly subscriptions: Loaded<readonly Subscription[]>;
  /** By destination id, or `campaign` for the campaign webhook. While the page is open, only of active destinations. */
  readonly statuses: Loaded<ReadonlyMap<string, DestinationStatus>>;
  /** By destination id, or `campaign` for the campaign webhook. */
  readonly history: Loaded<ReadonlyMap<string, DestinationHistory>>;
  readonly deliveries: Loaded<Page<DeliveryAttempt>>;
  readonly deadLetters: Loaded<Page<DeadLetter>>;
}

export interface View extends LiveView {
  readonly accountName: string;
  readonly secrets: Loaded<readonly SigningSecret[]>;
  /** Undefined if the query names no event. */
  readonly event: Loaded<EventTraces> | undefined;
}

export interface ViewDeps {
  readonly api: AccountApi;
  readonly store: Pick<Store, 'findAccount'>;
  readonly history: DeliveryHistory;
  readonly logger: Logger;
  /** Unix milliseconds. */
  readonly now: () => number;
}

/** Number of subscriptions that the page shows. The API lists all. */
export const LISTED_MAX = 50;
const LOG_ROWS = 25;
const DEAD_LETTERS = 20;

export function questionOf(query: FormFields): PageQuery {
  const of = (name: string): string => (query[name] ?? '').trim();
  return { destination: of('destination'), status: of('status'), cursor: of('cursor'), event: of('event') };
}

/** Loads everything that the page shows, in parallel. Never rejects. */
export async function loadView(deps: ViewDeps, account: string, question: PageQuery): Promise<View> {
  const { api, store } = deps;
  const load = loader(deps.logger);
  const [shown, found, secrets, event] = await Promise.all([
    loadChanging(deps, account, question, () => true),
    load(() => store.findAccount(account)),
    load(() => api.secrets.list(account)),
    question.event === '' ? undefined : load(() => findEvent(api, account, question.event)),
  ]);
  return { ...shown, accountName: valueOf(found)?.name ?? account, secrets, event };
}

/**
 * Loads only the data that changes without user action, because every open page polls it every few seconds. Never rejects. Leaves out the statuses of
 * inactive subscriptions, because finding out why one is off may take a search through the log.
 */
export const loadNews = (deps: ViewDeps, account: string, question: PageQuery): Promise<LiveView> =>
  loadChanging(deps, account, question, ({ active }) => active);

async function loadChanging(
  deps: ViewDeps,
  account: string,
  question: PageQuery,
  hasStatus: (subscription: Subscription) => boolean,
): Promise<LiveView> {
  const { api } = deps;
  const load = loader(deps.logger);
  const nowMs = deps.now();
  const settings = Promise.all([load(() => api.campaign.read(account)), load(() => api.subscriptions.list(account))]);
  const listed = settings.then(([, found]) => (valueOf(found) ?? []).slice(0, LISTED_MAX));
  const [[campaign, subscriptions], statuses, history, deliveries, deadLetters] = await Promise.all([
    settings,
    settings.then(([found]) =>
      load(async () => loadStatuses(deps, account, valueOf(found), (await listed).filter(hasStatus))),
    ),
    load(async () => loadHistory(deps, account, await listed, nowMs)),
    load(() => api.deliveries(account, deliveriesQueryOf(question))),
    load(() => api.deadLetters.list(account, { limit: DEAD_LETTERS })),
  ]);
  return { nowMs, question, campaign, subscriptions, statuses, history, deliveries, deadLetters };
}

export const valueOf = <Value>(loaded: Loaded<Value>): Value | undefined =>
  'value' in loaded ? loaded.value : undefined;

const loader =
  (logger: Logger) =>
  async <Value>(read: () => Promise<Value>): Promise<Loaded<Value>> => {
    try {
      return { value: await read() };
    } catch (error) {
      const problem = asProblem(error, translateError);
      if (problem.code === 'internal_error') logger.error('the settings page could not be read', { error });
      const { status, detail = AWAY } = problem;
      return { fault: status === 503 ? AWAY : detail, status };
    }
  };

const AWAY = 'This cannot be read at the moment. Nothing is lost; try again in a minute.';

const deliveriesQueryOf = ({ destination, status, cursor }: PageQuery): FormFields => ({
  limit: String(LOG_ROWS),
  ...(destination === '' ? {} : { destination }),
  ...(status === '' ? {} : { status }),
  ...(cursor === '' ? {} : { cursor }),
});

async function loadHistory(
  { history }: ViewDeps,
  account: string,
  subscriptions: readonly Subscription[],
  nowMs: number,
): Promise<ReadonlyMap<string, DestinationHistory>> {
  const campaign = campaignDestinationId(account);
  const found = await history.read(account, [campaign, ...subscriptions.map(({ id }) => id)], nowMs);
  return new Map([...found].map(([id, one]) => [id === campaign ? 'campaign' : id, one]));
}

async function loadStatuses(
  { api }: ViewDeps,
  account: string,
  campaign: CampaignWebhook | undefined,
  subscriptions: readonly Subscription[],
): Promise<ReadonlyMap<string, DestinationStatus>> {
  const found = await api.destinations.of(account, {
    campaign: campaign ?? { address: null, active: false },
    subscriptions,
  });
  return new Map(found.map((status) => [status.destination, status]));
}

/** The text may be a hash or a message id. Hashes have 10 to 50 characters. */
async function findEvent(api: AccountApi, account: string, text: string): Promise<EventTraces> {
  const mayBeHash = text.length >= 10 && text.length <= 50;
  const [byMessageId, byHash] = await Promise.all([
    api.eventLookup(account, { messageId: text }),
    mayBeHash ? api.eventLookup(account, { hash: text }) : undefined,
  ]);
  if (byHash === undefined) return byMessageId;
  // The log finds attempts by the text alone, so both lookups return the same ones. The items come from the lookup that fits.
  const items = [
    ...byHash.items.filter(({ destination }) => destination === 'campaign'),
    ...byMessageId.items.filter(({ destination }) => destination !== 'campaign'),
  ];
  return { ...byHash, items };
}
