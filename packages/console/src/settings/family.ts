import type {
  AccountHistory,
  CustomerServices,
  DeadLetterPage,
  DestinationStatus,
  HistorySpan,
  ListedSession,
  Session,
  ShownDestination,
  UsedToken,
} from '@mailhook/core';
import { deadLettersQuery } from '@mailhook/core';
import { parseOrThrow } from '@mailhook/platform/http-server';
import type { FormFields } from '@mailhook/platform/http-server';
import type { Logger } from '@mailhook/platform/logger';
import type { Content } from '../html/markup.ts';
import { saidProblem } from '../messages/coded.ts';
import { texts } from '../messages/texts.ts';
import { actionFor, all, pageFor } from '../page/page.ts';
import type { Actions, Page, Reads } from '../page/page.ts';
import type { PageHost } from '../page-host.ts';
import type { PageName, PageQuestion, QueryField } from './navigation.ts';
import type { Snippets } from './overview/snippets.ts';
import { valueOf } from './loaded.ts';
import type { Loaded } from './loaded.ts';

/** What the settings page reads besides. */
interface AccountReadings {
  /** Undefined for an unknown account. */
  readonly nameOf: (account: string) => Promise<string | undefined>;
  /** Which attempts are kept, and how many events a search covers at most, as numbers in texts. */
  readonly kept: {
    readonly delivered: number;
    readonly attempts: number;
    readonly days: number;
    readonly waiting: number;
    readonly resends: number;
    readonly deadLetters: number;
  };
  readonly readHistory: (
    account: string,
    which: { readonly destinations: readonly string[]; readonly span: HistorySpan },
    nowMs: number,
  ) => Promise<AccountHistory>;
  /** How long a receiver has for a reply, in milliseconds. */
  readonly deadlineMs: number;
}

/** What a page is asked, and what answers. */
export interface LiveAsk extends AccountReadings {
  readonly api: CustomerServices;
  readonly account: string;
  readonly question: PageQuestion;
  readonly nowMs: number;
  /** Of the reader. */
  readonly timeZone: string;
  /** Whether an open window asks, as it does every few seconds. */
  readonly isUpdate: boolean;
  /** Reads a part of the page. */
  readonly read: <Value>(read: () => Promise<Value>) => Promise<Loaded<Value>>;
  /** Reads what the address names. `unknown`: what the page says instead of a 404. */
  readonly open: <Value>(read: () => Promise<Value>, unknown?: Content) => Promise<Loaded<Value>>;
  readonly destinations: Promise<Loaded<readonly ShownDestination[]>>;
}

export interface Ask extends LiveAsk {
  readonly session: Session;
  /** Empty while Redis is away. */
  readonly listSessions: () => Promise<readonly ListedSession[]>;
  /** What was typed into a form that is shown again. */
  readonly typed: FormFields | undefined;
  /** Examples that verify a signature. */
  readonly snippets: Snippets;
  /** The start of all paths of the API. */
  readonly baseUrl: string;
}

/** What every page shows: the account's endpoints with their states, and the number of its dead letters. */
export interface Frame {
  readonly nowMs: number;
  readonly question: PageQuestion;
  readonly destinations: Loaded<readonly ShownDestination[]>;
  readonly deadLetters: Loaded<DeadLetterPage>;
  /** How each of the account's destinations is doing, by public id. */
  readonly statuses: Loaded<ReadonlyMap<string, DestinationStatus>>;
  /** Whether accepted events are kept. */
  readonly isLogOn: boolean;
}

/** A page as the frame of the settings takes it. */
export interface Shown {
  readonly title: Content;
  /** The title line, with what can be done. */
  readonly head: Content;
  readonly content: Content;
  /** Default: 200. */
  readonly status?: number;
}

/** What an action of a customer gets. */
export interface Press {
  readonly api: CustomerServices;
  readonly account: string;
  /** The access token of the sign-in. Undefined for a portal link. */
  readonly token: UsedToken | undefined;
  readonly logger: Logger;
}

export interface Customers {
  readonly name: PageName;
  readonly field: QueryField;
  readonly liveAsk: LiveAsk;
  readonly ask: Ask;
  readonly view: Frame;
  readonly shown: Shown;
  readonly press: Press;
}

export type CustomerPage = Page<Customers>;
export type CustomerActions = Actions<Press>;

/** Declares a page of customers. */
export const page = pageFor<Customers>();

/** Declares what a button of these pages does. */
export const action = actionFor<Press>();

export interface FamilyDeps extends AccountReadings, Pick<PageHost, 'asProblem' | 'logger'> {
  readonly api: CustomerServices;
  /** Unix milliseconds. */
  readonly now: () => number;
}

export function askOf(
  deps: FamilyDeps,
  account: string,
  asked: Pick<LiveAsk, 'question' | 'timeZone' | 'isUpdate'>,
): LiveAsk {
  const { api, nameOf, kept, readHistory, deadlineMs, now } = deps;
  const read = readerOf(deps);
  return {
    api,
    nameOf,
    kept,
    readHistory,
    deadlineMs,
    ...asked,
    account,
    nowMs: now(),
    read,
    open: openerOf(read),
    destinations: read(() => api.destinations.settings(account)),
  };
}

/** The frame with the parts that a page reads. */
export function viewOf(ask: LiveAsk, parts: Reads): Promise<Frame & Reads> {
  const { api, account, nowMs, question, destinations, read } = ask;
  const count = async () => api.deadLetters.list(account, parseOrThrow(deadLettersQuery, { limit: 1 }));
  const counted = 'deadLetters' in parts ? undefined : { deadLetters: read(count) };
  const statuses = read(async () => {
    const found = await api.destinations.of(account, valueOf(await destinations) ?? []);
    return new Map(found.map((status) => [status.destination, status]));
  });
  const isLogOn = api.eventLog.isOn;
  return all({ nowMs, question, destinations, statuses, isLogOn, ...counted, ...parts }) as Promise<Frame & Reads>;
}

const readerOf =
  ({ asProblem, logger }: Pick<PageHost, 'asProblem' | 'logger'>): LiveAsk['open'] =>
  async (read, unknown) => {
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

/** The same for what the address names. */
const openerOf =
  (load: LiveAsk['open']): LiveAsk['open'] =>
  async (read, unknown) => {
    const loaded = await load(read, unknown);
    return 'fault' in loaded ? { ...loaded, isOpened: true } : loaded;
  };
