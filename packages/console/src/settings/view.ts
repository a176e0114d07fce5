import { deadLetterListFilter, deadLettersQuery, deliveriesQuery, eventQuery } from '@mailhook/core';
import { parseOrThrow } from '@mailhook/platform/http-server';
import type {
  AlertAddress,
  CampaignWebhook,
  DeadLetterDetail,
  DeadLetterGroups,
  DeliveryAttempt,
  DeliveryAttemptDetail,
  DestinationHistory,
  DestinationStatus,
  EventQuery,
  EventTraces,
  Page,
  SigningSecret,
  Subscription,
  UnroutedType,
  CustomerServices,
  DeadLetterPage,
  VersionedSettings,
  AccountHistory,
  HistoryRange,
} from '@mailhook/core';
import type { FormFields } from '@mailhook/platform/http-server';
import type { Content } from '../html/markup.ts';
import { saidProblem } from '../messages/coded.ts';
import { texts } from '../messages/texts.ts';
import type { PageHost } from '../page-host.ts';
import { isRefusal } from './advice.ts';
import type { PageName, PageQuestion } from './pages.ts';

/** A part of the page, or the reason why it could not be read. Parts fail independently. */
export type Loaded<Value> = { readonly value: Value } | { readonly fault: Content; readonly status: number };

/** The signing secrets that an account has. */
export interface Signing {
  readonly secrets: Loaded<readonly SigningSecret[]>;
  /** Those of each destination that has some, by its id, or `campaign` for the campaign webhook. */
  readonly ownSecrets: Loaded<ReadonlyMap<string, readonly SigningSecret[]>>;
}

/** What the search for an event has found, and whether by a key of the event or by its recipient. */
export interface FoundEvent extends EventTraces {
  readonly by: 'key' | 'recipient';
}

/** The data that changes without user action. */
export interface LiveView {
  readonly nowMs: number;
  readonly question: PageQuestion;
  readonly campaign: Loaded<CampaignWebhook>;
  readonly subscriptions: Loaded<readonly Subscription[]>;
  /** By destination id, or `campaign` for the campaign webhook. While the page is open, only of active destinations. */
  readonly statuses: Loaded<ReadonlyMap<string, DestinationStatus>>;
  /** The last 24 hours, by destination id, or `campaign` for the campaign webhook. */
  readonly history: Loaded<ReadonlyMap<string, DestinationHistory>>;
  /** The range that the page asks for, of the destinations that it shows together. */
  readonly chart: Loaded<DestinationHistory>;
  /** How long a receiver has for a reply. */
  readonly deadlineMs: number;
  /** Events of the last 24 hours that no active destination took. */
  readonly unrouted: Partial<Record<UnroutedType, number>>;
  readonly deliveries: Loaded<Page<DeliveryAttempt>>;
  readonly kept: AccountReadings['kept'];
  /** Read only if a receiver refused a listed attempt (401 or 403). */
  readonly signing: Signing | undefined;
  readonly deadLetters: Loaded<DeadLetterPage>;
  /** By cause and destination. Read for the page of dead letters only. */
  readonly groups: Loaded<DeadLetterGroups>;
}

export interface View extends LiveView, Signing {
  readonly accountName: Loaded<string>;
  /** How Mailhook calls each destination, for those that have such settings. */
  readonly settings: Loaded<ReadonlyMap<string, VersionedSettings>>;
  /** Undefined if the page does not show them, or the installation sends no e-mails. */
  readonly alerts: Loaded<readonly AlertAddress[]> | undefined;
  /** Undefined if the query names no event. */
  readonly event: Loaded<FoundEvent> | undefined;
  /** Undefined if the query names no attempt. */
  readonly attempt: Loaded<DeliveryAttemptDetail> | undefined;
  /** Undefined if the query names no dead letter. */
  readonly letter: Loaded<DeadLetterDetail> | undefined;
}

/** What the settings page reads besides. */
export interface AccountReadings {
  /** Undefined for an unknown account. */
  readonly nameOf: (account: string) => Promise<string | undefined>;
  /** Which attempts are kept, and how many events a search covers at most, as numbers in texts. */
  readonly kept: {
    readonly attempts: number;
    readonly megabytes: number;
    readonly days: number;
    readonly perSecond: number;
    readonly perSecondOfAll: number;
    readonly waiting: number;
    readonly resends: number;
    readonly deadLetters: number;
  };
  readonly readHistory: (
    account: string,
    which: { readonly campaign: boolean; readonly subscriptions: readonly string[]; readonly range: HistoryRange },
    nowMs: number,
  ) => Promise<AccountHistory>;
  /** How long a receiver has for a reply, in milliseconds. */
  readonly deadlineMs: number;
}

export interface ViewDeps extends AccountReadings, Pick<PageHost, 'asProblem' | 'logger'> {
  readonly api: CustomerServices;
  /** Unix milliseconds. */
  readonly now: () => number;
}

const LOG_ROWS = 25;
/** Rows of the log on the first tab of an endpoint. */
const LATEST_ROWS = 5;
const DEAD_LETTERS = 20;

type Part = 'statuses' | 'history' | 'deliveries' | 'deadLetters' | 'secrets' | 'settings' | 'alerts';

/** What a page shows besides the names of the account's endpoints and the number of its dead letters. */
const PARTS: Readonly<Record<PageName | 'endpoint', readonly Part[]>> = {
  overview: ['statuses', 'history', 'deliveries', 'deadLetters'],
  endpoints: ['statuses', 'history', 'alerts'],
  endpoint: ['statuses', 'history', 'deliveries', 'deadLetters', 'secrets', 'settings'],
  deliveries: ['deliveries'],
  'dead-letters': ['deadLetters'],
  events: [],
  secrets: ['secrets'],
  developers: [],
};

const partsOf = ({ page, endpoint }: PageQuestion): readonly Part[] => PARTS[endpoint === '' ? page : 'endpoint'];

/** A part that the page does not show. */
const NOT_READ = { fault: '', status: 200 } as const;

/** Loads what the page shows, in parallel. Never rejects. */
export async function loadView(deps: ViewDeps, account: string, question: PageQuestion): Promise<View> {
  const { api } = deps;
  const load = loader(deps);
  const parts = partsOf(question);
  const [shown, accountName, { secrets, ownSecrets }, settings, alerts, event, attempt, letter] = await Promise.all([
    loadChanging(deps, account, question, () => true),
    load(async () => (await deps.nameOf(account)) ?? account),
    parts.includes('secrets') ? loadSigning(load, api, account) : { secrets: NOT_READ, ownSecrets: NOT_READ },
    parts.includes('settings') ? load(() => api.destinationSettings.list(account)) : NOT_READ,
    parts.includes('alerts') && api.alerts !== undefined ? loadAlerts(load, api.alerts, account) : undefined,
    question.event === '' ? undefined : load(() => findEvent(api, account, question.event)),
    question.attempt === '' ? undefined : load(() => api.readAttempt(account, question.attempt), texts.attempt.unknown),
    question.letter === ''
      ? undefined
      : load(() => api.deadLetters.read(account, question.letter), texts.deadLetters.unknown),
  ]);
  return { ...shown, accountName, secrets, ownSecrets, settings, alerts, event, attempt, letter };
}

/**
 * Loads only the data that changes without user action, because every open page polls it every few seconds. Never
 * rejects. Leaves out the statuses of inactive subscriptions, because finding out why one is off may take a search
 * through the log.
 */
export const loadNews = (deps: ViewDeps, account: string, question: PageQuestion): Promise<LiveView> =>
  loadChanging(deps, account, question, ({ active }) => active);

async function loadChanging(
  deps: ViewDeps,
  account: string,
  question: PageQuestion,
  hasStatus: (subscription: Subscription) => boolean,
): Promise<LiveView> {
  const { api, deadlineMs, kept } = deps;
  const load = loader(deps);
  const nowMs = deps.now();
  const parts = partsOf(question);
  const { endpoint } = question;
  const isShown = ({ id }: { readonly id: string }): boolean => endpoint === '' || endpoint === id;
  const settings = Promise.all([load(() => api.campaign.read(account)), load(() => api.subscriptions.list(account))]);
  const listed = async () => (valueOf((await settings)[1]) ?? []).filter(isShown);
  const attempts = parts.includes('deliveries')
    ? load(async () => api.deliveries(account, parseOrThrow(deliveriesQuery, deliveriesQueryOf(question))))
    : NOT_READ;
  const [[campaign, subscriptions], statuses, counts, deliveries, signing, deadLetters, groups] = await Promise.all([
    settings,
    parts.includes('statuses')
      ? load(async () => {
          const found = isShown({ id: 'campaign' }) ? valueOf((await settings)[0]) : undefined;
          return loadStatuses(deps, account, found, (await listed()).filter(hasStatus));
        })
      : NOT_READ,
    parts.includes('history')
      ? load(async () => {
          const ids = (await listed()).map(({ id }) => id);
          const which = { campaign: isShown({ id: 'campaign' }), subscriptions: ids, range: question.range };
          return deps.readHistory(account, which, nowMs);
        })
      : NOT_READ,
    attempts,
    Promise.resolve(attempts).then(async (found) => {
      const isRefused = valueOf(found)?.items.some(({ error }) => error !== undefined && isRefusal(error)) === true;
      return isRefused || question.attempt !== '' ? loadSigning(load, api, account) : undefined;
    }),
    load(async () =>
      api.deadLetters.list(
        account,
        parseOrThrow(deadLettersQuery, {
          limit: parts.includes('deadLetters') ? DEAD_LETTERS : 1,
          ...(question.page === 'dead-letters' ? deadLetterFilterOf(question) : {}),
          ...(question.dead === '' ? {} : { cursor: question.dead }),
        }),
      ),
    ),
    question.page === 'dead-letters'
      ? load(async () =>
          api.deadLetters.groups(account, parseOrThrow(deadLetterListFilter, deadLetterFilterOf(question))),
        )
      : NOT_READ,
  ]);
  const history = 'value' in counts ? { value: counts.value.byId } : counts;
  const chart = 'value' in counts ? { value: counts.value.total } : counts;
  const unrouted = valueOf(counts)?.unrouted ?? {};
  return {
    nowMs,
    question,
    campaign,
    subscriptions,
    statuses,
    history,
    chart,
    deadlineMs,
    unrouted,
    deliveries,
    kept,
    signing,
    deadLetters,
    groups,
  };
}

/** Whether a part could not be read because Redis or the store is away, or because it was asked for too often. */
export const isUnread = (loaded: Loaded<unknown>): boolean =>
  'fault' in loaded && (loaded.status >= 500 || loaded.status === 429);

export const valueOf = <Value>(loaded: Loaded<Value>): Value | undefined =>
  'value' in loaded ? loaded.value : undefined;

const loadAlerts = (
  load: ReturnType<typeof loader>,
  alerts: NonNullable<CustomerServices['alerts']>,
  account: string,
): Promise<Loaded<readonly AlertAddress[]>> => load(() => alerts.list(account));

async function loadSigning(load: ReturnType<typeof loader>, api: CustomerServices, account: string): Promise<Signing> {
  const [secrets, ownSecrets] = await Promise.all([
    load(() => api.secrets.list(account)),
    load(() => api.destinationSecrets.listAll(account)),
  ]);
  return { secrets, ownSecrets };
}

/** The address of a destination, if it has one. */
export function addressOf(view: Pick<View, 'campaign' | 'subscriptions'>, destination: string): string | undefined {
  if (destination === 'campaign') return valueOf(view.campaign)?.address ?? undefined;
  return valueOf(view.subscriptions)?.find(({ id }) => id === destination)?.address;
}

/** Whether requests to the destination are signed. True if this could not be read. */
export const isSigned = ({ secrets, ownSecrets }: Signing, destination: string): boolean =>
  valueOf(secrets)?.length !== 0 || valueOf(ownSecrets)?.has(destination) !== false;

const loader =
  ({ asProblem, logger }: Pick<PageHost, 'asProblem' | 'logger'>) =>
  async <Value>(read: () => Promise<Value>, unknown?: Content): Promise<Loaded<Value>> => {
    try {
      return { value: await read() };
    } catch (error) {
      const problem = asProblem(error);
      if (problem.code === 'internal_error') logger.error('the settings page could not be read', { error });
      const { status, detail } = problem;
      if (status === 404 && unknown !== undefined) return { fault: unknown, status };
      return { fault: status === 503 || detail === undefined ? texts.shell.away : saidProblem(detail), status };
    }
  };

/** Whether the list shows the requests of a split batch as one row. A filter may match some of them only. */
export const isFolded = ({ status, type, from, to }: PageQuestion): boolean =>
  [status, type, from, to].every((one) => one === '');

function deliveriesQueryOf(question: PageQuestion): FormFields {
  const { page, endpoint, tab, status, type, from, to, cursor } = question;
  const destination = endpoint === '' ? question.destination : endpoint;
  const wanted = Object.entries({ destination, status, type, from, to, cursor }).filter(([, value]) => value !== '');
  const isList = page === 'deliveries' || tab === 'deliveries';
  const folding = isFolded(question) ? { split: 'first' } : {};
  return { limit: String(isList ? LOG_ROWS : LATEST_ROWS), ...folding, ...Object.fromEntries(wanted) };
}

/** Which dead letters a page shows, as the API's query. */
export function deadLetterFilterOf({ destination, cause, from }: PageQuestion): FormFields {
  const wanted = Object.entries({ destination, cause, from });
  return Object.fromEntries(wanted.filter(([, value]) => value !== ''));
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

/** The text may be a hash (10 to 50 characters), a message id, a webhook-id (`msg_`) or a recipient. */
async function findEvent(api: CustomerServices, account: string, text: string): Promise<FoundEvent> {
  const find = async (query: EventQuery): Promise<EventTraces> =>
    api.eventLookup(account, parseOrThrow(eventQuery, query));
  const [byMessage, ...byOther] = await Promise.all([
    find({ messageId: text }),
    ...(text.length >= 10 && text.length <= 50 ? [find({ hash: text })] : []),
    ...(text.startsWith('msg_') ? [find({ webhookId: text })] : []),
  ]);
  // The log finds attempts by the text alone, so the lookup by message id returns those of a hash as well.
  const ofMessage = { ...byMessage, items: byMessage.items.filter(({ destination }) => destination !== 'campaign') };
  const found = [ofMessage, ...byOther];
  const isKey = found.some(({ items, attempts }) => items.length > 0 || attempts.length > 0);
  // Most messageIds hold an @ too, so what matched decides.
  const ofRecipient = !isKey && text.includes('@') ? await find({ email: text }) : undefined;
  const attempts = new Map(found.flatMap((traces) => traces.attempts).map((attempt) => [attempt.id, attempt]));
  return ofRecipient === undefined
    ? {
        by: 'key',
        items: found.flatMap(({ items }) => items),
        attempts: [...attempts.values()].sort((a, b) => (a.time < b.time ? 1 : -1)),
        searched: byMessage.searched,
        isComplete: found.every(({ isComplete }) => isComplete),
      }
    : { by: 'recipient', ...ofRecipient };
}
