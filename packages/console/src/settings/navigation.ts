import type { HistoryRange } from '@mailhook/core';
import type { FormFields } from '@mailhook/platform/http-server';
import { PAGE_PATH } from '../html/elements.ts';
import type { IconName } from '../html/icons.ts';
import type { Localized } from '../html/markup.ts';
import { texts } from '../messages/texts.ts';

/** The pages of the navigation. Their names are the ends of their paths, except for the first one, the entry. */
export const NAVIGATION = [
  ['overview', texts.shell.overview],
  ['endpoints', texts.shell.endpoints],
  ['deliveries', texts.shell.deliveries],
  ['dead-letters', texts.shell.deadLetters],
  ['events', texts.eventLog.title],
  ['alerts', texts.alerts.title],
  ['secrets', texts.shell.secrets],
  ['changes', texts.changes.title],
  ['developers', texts.shell.developers],
] as const satisfies readonly (readonly [IconName, Localized])[];
/** Pages that belong to one of these, which leads to them. */
const BELOW = { 'new-endpoint': 'endpoints', 'event-types': 'developers' } as const;
export type PageName = (typeof NAVIGATION)[number][0] | keyof typeof BELOW;

/** The page of the navigation that a page belongs to, or the page itself. */
export const entryOf = (page: PageName): PageName => (page in BELOW ? BELOW[page as keyof typeof BELOW] : page);

/** The tabs of an endpoint's page. */
export const TABS = [
  ['overview', texts.shell.overview],
  ['deliveries', texts.shell.deliveries],
  ['replay', texts.replays.tab],
  ['testing', texts.shell.testing],
  ['settings', texts.shell.settings],
] as const;
export type TabName = (typeof TABS)[number][0];

/** Of the list of endpoints. */
const OF_ENDPOINTS = ['sort', 'find'] as const;
/** Of attempts. `try` is `attempt` of the API: here this names the opened attempt. */
export const ATTEMPT_FILTERS = ['status', 'type', 'reply', 'try', 'text', 'from', 'to'] as const;
const FILTERS = ['destination', ...ATTEMPT_FILTERS, 'cursor'] as const;
const OPENED = ['attempt', 'dead', 'letter', 'event', 'cause'] as const;
/** Of accepted events. */
const OF_LOG = ['campaign', 'outcome', 'entry'] as const;
/** Of the list of changes. */
const OF_CHANGES = ['by', 'about'] as const;
const QUERY_FIELDS = [...FILTERS, ...OPENED, ...OF_LOG, ...OF_ENDPOINTS, ...OF_CHANGES] as const;
export type QueryField = (typeof QUERY_FIELDS)[number];

/** Which page a browser asks for, and what is asked of it. An empty field is not asked. */
export interface PageQuestion extends Readonly<Record<QueryField, string>> {
  readonly page: PageName;
  /** The endpoint of the page `endpoints` that is open: a subscription's id, or `campaign`. Without one, all. */
  readonly endpoint: string;
  readonly tab: TabName;
  /** Whether `event` was typed into a form whose text no address may have. */
  readonly isTyped?: boolean;
  /** The time that figures, charts and lists show, unless `from` or `to` name another. */
  readonly range: PeriodName;
}

/** What pages show that are asked for no time. */
export const DAY = '24h';
export const PERIODS = ['1h', 'today', DAY, '7d'] as const satisfies readonly (HistoryRange | 'today')[];
type PeriodName = (typeof PERIODS)[number];

/** Times are ISO 8601, or local ones of a form (`period.ts`). */
export function questionOf(page: PageName, endpoint: string, query: FormFields): PageQuestion {
  const fields = QUERY_FIELDS.map((name) => [name, (query[name] ?? '').trim()]);
  const tab = TABS.find(([name]) => name === query['tab'])?.[0] ?? 'overview';
  const range = PERIODS.find((name) => name === query['range']) ?? DAY;
  return { ...(Object.fromEntries(fields) as Record<QueryField, string>), page, endpoint, tab, range };
}

/** The question for a page, without a filter. */
export const pageOf = (page: PageName, endpoint = '', tab: TabName = 'overview'): PageQuestion =>
  questionOf(page, endpoint, { tab });

/** The whole body of an attempt's request. */
export const bodyPath = (attempt: string): string =>
  `${PAGE_PATH}/deliveries/body?attempt=${encodeURIComponent(attempt)}`;

export const pathOf = (page: PageName): string => (page === 'overview' ? PAGE_PATH : `${PAGE_PATH}/${page}`);

/** The address of an endpoint's page. */
export const endpointUrl = (id: string, tab: TabName = 'overview'): string => urlOf(pageOf('endpoints', id, tab));

/** Whether the text may be a recipient's address. A messageId in angle brackets is none. */
export const isPersonal = (event: string): boolean => event.includes('@') && !event.startsWith('<');

/** The address of a page, with some of the question changed, and never with what no address may have. */
export function urlOf(question: PageQuestion, change: Partial<PageQuestion> = {}): string {
  const { page, endpoint, tab, range, isTyped = false, ...fields } = { ...question, ...change };
  const entries = Object.entries(fields).filter(
    ([name, value]) => value !== '' && !(name === 'event' && (isTyped || isPersonal(value))),
  );
  if (endpoint !== '' && tab !== 'overview') entries.unshift(['tab', tab]);
  if (range !== DAY) entries.push(['range', range]);
  const query = new URLSearchParams(entries).toString();
  const path = endpoint === '' ? pathOf(page) : `${pathOf(page)}/${encodeURIComponent(endpoint)}`;
  return query === '' ? path : `${path}?${query}`;
}

/**
 * The page that has what an address of the entry asks for, if the entry has not. Portal links, guides and bookmarks may
 * name such addresses.
 */
export function elsewhere(query: FormFields): string | undefined {
  const { login = '' } = query;
  if (login !== '') return endpointUrl(login, 'settings');
  const question = questionOf('overview', '', query);
  const asks = (fields: readonly QueryField[]): boolean => fields.some((name) => question[name] !== '');
  // A time alone is one of the entry.
  if (asks(['attempt', ...FILTERS.filter((name) => name !== 'from' && name !== 'to')]))
    return urlOf(question, { page: 'deliveries' });
  if (asks(['dead', 'letter'])) return urlOf(question, { page: 'dead-letters' });
  return asks(['event']) ? urlOf(question, { page: 'events' }) : undefined;
}
