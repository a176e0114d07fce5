import type { FormFields } from '@mailhook/platform/http-server';
import { RUNBOOK_PATH } from '../guides/guides.ts';
import type { IconName } from '../html/icons.ts';

/** The entry of the pages. */
export const OVERVIEW_PATH = '/admin';
/** Of Bull Board. */
export const BOARD_PATH = '/admin/queues';
/** Beside the paths of the admin API. */
const PAGES_PATH = '/admin/pages';

/** The pages of the navigation. Their names are the ends of their paths, except for the first and the last. */
export const NAVIGATION = [
  ['overview', 'Overview'],
  ['accounts', 'Accounts'],
  ['destinations', 'Destinations'],
  ['dead-letters', 'Dead letters'],
  ['tokens', 'Tokens'],
  ['audit', 'Audit'],
  ['workers', 'Workers'],
  ['queues', 'Queues'],
  ['runbook', 'Runbook'],
] as const satisfies readonly (readonly [IconName, string])[];
export type PageName = (typeof NAVIGATION)[number][0];

/** The tabs of an account's page. */
export const ACCOUNT_TABS = [
  ['overview', 'Overview'],
  ['destinations', 'Destinations'],
  ['tokens', 'Tokens'],
  ['limits', 'Limits'],
  ['audit', 'Audit'],
] as const;

/** The filters of the list of destinations. */
export const DESTINATION_FILTERS = [
  ['', 'All'],
  ['attention', 'Needs attention'],
  ['waiting', 'With events'],
  ['parked', 'Parked'],
  ['paused', 'Paused'],
] as const;

export const TOKEN_TABS = [
  ['', 'Producer tokens'],
  ['access', 'Access tokens'],
  ['admin', 'Admin tokens'],
] as const;

type QueryField = 'find' | 'tab' | 'state' | 'account' | 'actor' | 'action' | 'cursor' | 'from';
export type PageQuery = Partial<Readonly<Record<QueryField, string>>>;

/** Which page a browser asks for, and what is asked of it. */
export interface PageQuestion {
  readonly page: PageName;
  /** The account or the destination that is open. */
  readonly id: string;
  readonly query: PageQuery;
}

const FIELD_MAX_CHARS = 200;

/** What a query asks of a page. `asks`: the fields that the page reads. */
export function questionOf(
  page: PageName,
  id: string,
  query: URLSearchParams,
  asks: readonly (keyof PageQuery)[],
): PageQuestion {
  const fields = asks.map((name) => [name, query.get(name)?.trim().slice(0, FIELD_MAX_CHARS) ?? '']);
  return { page, id, query: Object.fromEntries(fields.filter(([, value]) => value !== '')) as PageQuery };
}

/** The address of a page. */
export function pageUrl(page: PageName, id = '', query: PageQuery = {}): string {
  if (page === 'runbook') return RUNBOOK_PATH;
  const path = page === 'overview' ? OVERVIEW_PATH : `${PAGES_PATH}/${page}`;
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  return `${path}${id === '' ? '' : `/${encodeURIComponent(id)}`}${search === '' ? '' : `?${search}`}`;
}

export const urlOf = ({ page, id, query }: PageQuestion): string => pageUrl(page, id, query);

/** The address of a declared page. */
export const addressOf = (path: string): string => (path === '' ? OVERVIEW_PATH : `${PAGES_PATH}${path}`);

export const accountUrl = (account: string, tab = ''): string => pageUrl('accounts', account, { tab });
export const destinationUrl = (destination: string): string => pageUrl('destinations', destination);

/** The page that now has what a query of the overview asked for. Bookmarks may have such addresses. */
export function elsewhere({ account = '', find = '', from = '' }: FormFields): string | undefined {
  if (account !== '') return accountUrl(account);
  if (find !== '') return pageUrl('accounts', '', { find });
  return from === '' ? undefined : pageUrl('destinations', '', { state: 'attention', from });
}

/** The entry of an alert in the runbook. */
export const runbookUrl = (alert: string): string => `${RUNBOOK_PATH}#${alert.toLowerCase()}`;
