import { campaignDestinationId } from '@mailhook/core';
import type {
  CampaignWebhook,
  DeadLetter,
  DeliveryAttempt,
  EventTraces,
  SigningSecret,
  Store,
  Subscription,
} from '@mailhook/core';
import type { DeliveryHistory, DestinationHistory, Page } from '@mailhook/delivery';
import { asProblem } from '@mailhook/platform/http-server';
import type { Logger } from '@mailhook/platform/logger';
import { translateError } from '../errors.ts';
import type { AccountApi } from '../public/account-api.ts';
import type { Form } from './actions.ts';

/** What could be read, or why it could not. A part that fails takes no other one with it. */
export type Loaded<Value> = { readonly value: Value } | { readonly fault: string };

/** What the address bar asks for. */
export interface Question {
  readonly destination: string;
  readonly status: string;
  readonly cursor: string;
  /** A hash or a messageId. */
  readonly event: string;
}

export interface View {
  readonly accountName: string;
  readonly nowMs: number;
  readonly question: Question;
  readonly campaign: Loaded<CampaignWebhook>;
  readonly subscriptions: Loaded<readonly Subscription[]>;
  /** Of subscriptions that a receiver's 410 switched off: when. */
  readonly goneSince: ReadonlyMap<string, string>;
  /** By destination's id, `campaign` included. */
  readonly history: Loaded<ReadonlyMap<string, DestinationHistory>>;
  readonly deliveries: Loaded<Page<DeliveryAttempt>>;
  readonly deadLetters: Loaded<Page<DeadLetter>>;
  readonly secrets: Loaded<readonly SigningSecret[]>;
  /** Undefined: no event was asked for. */
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

/** Subscriptions that are shown; the API lists all. */
export const LISTED_MAX = 50;
const LOG_ROWS = 25;
const DEAD_LETTERS = 20;
/** Switched-off subscriptions that are looked up in the log. */
const GONE_LOOKED_UP = 20;

export function questionOf(query: Form): Question {
  const of = (name: string): string => (query[name] ?? '').trim();
  return { destination: of('destination'), status: of('status'), cursor: of('cursor'), event: of('event') };
}

/** Everything that the page shows, read side by side. Never rejects. */
export async function loadView(deps: ViewDeps, account: string, question: Question): Promise<View> {
  const { api, store, now } = deps;
  const load = loader(deps.logger);
  const nowMs = now();
  const subscriptions = load(() => api.subscriptions.list(account));
  const [found, campaign, subs, goneSince, history, deliveries, deadLetters, secrets, event] = await Promise.all([
    load(() => store.findAccount(account)),
    load(() => api.campaign.read(account)),
    subscriptions,
    subscriptions.then((list) => loadGone(deps, account, valueOf(list) ?? [])),
    subscriptions.then((list) => load(() => loadHistory(deps, account, valueOf(list) ?? [], nowMs))),
    load(() => api.deliveries(account, deliveriesQueryOf(question))),
    load(() => api.deadLetters.list(account, { limit: DEAD_LETTERS })),
    load(() => api.secrets.list(account)),
    question.event === '' ? undefined : load(() => findEvent(api, account, question.event)),
  ]);
  const accountName = valueOf(found)?.name ?? account;
  return {
    ...{ accountName, nowMs, question, campaign, goneSince, history, deliveries, deadLetters, secrets, event },
    subscriptions: subs,
  };
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
      return { fault: problem.status === 503 ? AWAY : (problem.detail ?? AWAY) };
    }
  };

const AWAY = 'This cannot be read at the moment. Nothing is lost; try again in a minute.';

const deliveriesQueryOf = ({ destination, status, cursor }: Question): Form => ({
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
  const campaign = { id: campaignDestinationId(account), kind: 'campaign' as const };
  const listed = subscriptions.slice(0, LISTED_MAX).map(({ id }) => ({ id, kind: 'transactional' as const }));
  const found = await history.read(account, [campaign, ...listed], nowMs);
  return new Map([...found].map(([id, one]) => [id === campaign.id ? 'campaign' : id, one]));
}

/** A subscription keeps no reason why it is off; its newest attempt does. */
async function loadGone(
  { api }: ViewDeps,
  account: string,
  subscriptions: readonly Subscription[],
): Promise<ReadonlyMap<string, string>> {
  const inactive = subscriptions.filter(({ active }) => !active).slice(0, GONE_LOOKED_UP);
  const newest = await Promise.all(
    inactive.map(({ id }) => api.deliveries(account, { destination: id, limit: '1' }).catch(() => undefined)),
  );
  return new Map(
    inactive.flatMap(({ id }, i) => {
      const attempt = newest[i]?.items[0];
      return attempt?.httpStatus === 410 ? [[id, attempt.time] as const] : [];
    }),
  );
}

/** A text may be either; hashes have 10 to 50 characters (spec, "Limits"). */
async function findEvent(api: AccountApi, account: string, text: string): Promise<EventTraces> {
  const mayBeHash = text.length >= 10 && text.length <= 50;
  const [byMessageId, byHash] = await Promise.all([
    api.eventLookup(account, { messageId: text }),
    mayBeHash ? api.eventLookup(account, { hash: text }) : undefined,
  ]);
  if (byHash === undefined) return byMessageId;
  // The log knows an event's attempts by this text, whichever of the two it is; the rest is told by the look-up that fits.
  const items = [
    ...byHash.items.filter(({ destination }) => destination === 'campaign'),
    ...byMessageId.items.filter(({ destination }) => destination !== 'campaign'),
  ];
  return { ...byHash, items };
}
