import { RUNBOOK_PATH } from '../guides/guides.ts';
import type { IconName } from '../html/icons.ts';

/** The entry of the pages. All forms are sent to it. */
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

const QUERY_FIELDS = ['find', 'tab', 'state', 'account', 'actor', 'action', 'cursor', 'from'] as const;
export type PageQuery = Partial<Readonly<Record<(typeof QUERY_FIELDS)[number], string>>>;

/** Which page a browser asks for, and what is asked of it. */
export interface PageQuestion {
  readonly page: PageName;
  /** The account or the destination that is open. */
  readonly id: string;
  readonly query: PageQuery;
}

const FIELD_MAX_CHARS = 200;

/** A path and a query of these pages as a question. Undefined for another path. */
export function questionOf(url: string): PageQuestion | undefined {
  if (!url.startsWith(OVERVIEW_PATH) || !URL.canParse(url, BASE)) return undefined;
  const { pathname, searchParams } = new URL(url, BASE);
  const [page, id = '', ...rest] = pathname === OVERVIEW_PATH ? ['overview'] : partsOf(pathname);
  const known = NAVIGATION.find(([name]) => name === page && name !== 'runbook')?.[0];
  if (known === undefined || rest.length > 0 || (id !== '' && !OF_ONE.has(known))) return undefined;
  const fields = QUERY_FIELDS.map((name) => [name, searchParams.get(name)?.trim().slice(0, FIELD_MAX_CHARS) ?? '']);
  return { page: known, id, query: Object.fromEntries(fields.filter(([, value]) => value !== '')) as PageQuery };
}

const BASE = 'http://operations.invalid';
/** The pages that have one more per account or destination. */
const OF_ONE: ReadonlySet<PageName> = new Set(['accounts', 'destinations']);

function partsOf(pathname: string): readonly string[] {
  if (!pathname.startsWith(`${PAGES_PATH}/`)) return [];
  const parts = pathname.slice(PAGES_PATH.length + 1).split('/');
  try {
    const decoded = parts.map(decodeURIComponent);
    return decoded[0] === 'overview' ? [] : decoded;
  } catch {
    return [];
  }
}

/** The address of a page. */
export function pageUrl(page: PageName, id = '', query: PageQuery = {}): string {
  if (page === 'runbook') return RUNBOOK_PATH;
  const path = page === 'overview' ? OVERVIEW_PATH : `${PAGES_PATH}/${page}`;
  const search = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '')).toString();
  return `${path}${id === '' ? '' : `/${encodeURIComponent(id)}`}${search === '' ? '' : `?${search}`}`;
}

export const urlOf = ({ page, id, query }: PageQuestion): string => pageUrl(page, id, query);

export const PAGE_PATHS = [OVERVIEW_PATH, `${PAGES_PATH}/:page`, `${PAGES_PATH}/:page/:id`];

export const accountUrl = (account: string, tab = ''): string => pageUrl('accounts', account, { tab });
export const destinationUrl = (destination: string): string => pageUrl('destinations', destination);

/** The page that now has what a query of the overview asked for. Bookmarks may have such addresses. */
export function elsewhere({ page, query }: PageQuestion): string | undefined {
  if (page !== 'overview') return undefined;
  const { account = '', find = '', from = '' } = query;
  if (account !== '') return accountUrl(account);
  if (find !== '') return pageUrl('accounts', '', { find });
  return from === '' ? undefined : pageUrl('destinations', '', { state: 'attention', from });
}

/** The entry of an alert in the runbook. */
export const runbookUrl = (alert: string): string => `${RUNBOOK_PATH}#${alert.toLowerCase()}`;
