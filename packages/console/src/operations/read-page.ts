import { DEAD_LETTERS_KEPT_MS, formatCount, OPERATIONS_ACCOUNT, withoutQuotations } from '@mailhook/core';
import type { AccountDetails, OperatorServices } from '@mailhook/core';
import { html } from '../html/markup.ts';
import type { Markup } from '../html/markup.ts';
import { accountDestinations, accountLimits, accountOverview, hasAddress } from './account-content.ts';
import { accountsContent, nextLink, searchContent, shareBadge } from './accounts-content.ts';
import { auditContent, auditTable } from './audit-content.ts';
import { deadLettersContent } from './dead-letters-content.ts';
import { destinationContent } from './destination-page.ts';
import { destinationTable, KINDS, stateBadge } from './destination-table.ts';
import { headline, overviewContent } from './overview-content.ts';
import { ACCOUNT_TABS, accountUrl, BOARD_PATH, DESTINATION_FILTERS, pageUrl, TOKEN_TABS, urlOf } from './pages.ts';
import type { PageName, PageQuestion } from './pages.ts';
import { queuesContent } from './queues-content.ts';
import { accessTokens, adminTokens, allAccessTokens, producerTokens } from './tokens-content.ts';
import type { Names, PageContext, Shown } from './view.ts';
import { workersContent } from './workers-content.ts';

export interface ReadPageDeps {
  readonly services: OperatorServices;
}

/** Rows of a page of a list. */
const ROWS = 50;
/** Accounts whose destinations or tokens are on one page. */
const ACCOUNTS_OF_ROWS = 10;
/** Dead letters of a page. They are grouped by destination. */
const DEAD_LETTERS_READ = 200;
/** Reading costs more with every destination that comes before. */
const FROM_MAX = 2000;
/** Of the charts: three hours. */
const TREND_MINUTES = 180;
const DAY_MS = 86_400_000;

const NO_NAMES: Names = new Map();

/** Reads what a page shows. Rejects with a 404 for an unknown account or destination, and while Redis is away. */
export const readPage = (deps: ReadPageDeps, question: PageQuestion): Promise<Shown> =>
  READ[question.page](deps, question);

type Read = (deps: ReadPageDeps, question: PageQuestion) => Promise<Shown>;

const contextOf = (question: PageQuestion, names: Names, nowMs = Date.now()): PageContext => ({
  names,
  nowMs,
  back: urlOf(question),
  deadLettersDays: DEAD_LETTERS_KEPT_MS / DAY_MS,
});

const READ: Readonly<Record<PageName, Read>> = {
  overview: readOverview,
  accounts: (deps, question) => (question.id === '' ? readAccounts(deps, question) : readAccount(deps, question)),
  destinations: (deps, question) =>
    question.id === '' ? readDestinations(deps, question) : readDestination(deps, question),
  'dead-letters': readDeadLetters,
  tokens: readTokens,
  audit: readAudit,
  workers: async ({ services }) => {
    const { report } = await services.readOperations();
    return {
      title: 'Workers',
      lead: 'Each sends heartbeats. Without one, other workers claim its destinations within seconds.',
      content: workersContent(report),
      isLive: true,
      asOf: report.time,
    };
  },
  queues: async ({ services }) => {
    const { report } = await services.readOperations();
    return {
      title: 'Queues',
      lead: 'Jobs by state over all shards, and the Redis that holds them.',
      beside: html`<a class="button quiet" href="${BOARD_PATH}">Open Bull Board</a>`,
      content: queuesContent(report),
      isLive: true,
      asOf: report.time,
    };
  },
  // The guides have it.
  runbook: () => Promise.reject(new Error('The runbook is not read here.')),
};

async function readOverview({ services }: ReadPageDeps, question: PageQuestion): Promise<Shown> {
  const [{ report, names }, trends] = await Promise.all([
    services.readOperations(),
    services.trends.read(TREND_MINUTES, Date.now()),
  ]);
  return {
    title: headline(report.findings),
    lead: 'The whole installation: what is stuck, and why.',
    content: overviewContent(report, trends, contextOf(question, names, Date.parse(report.time))),
    isLive: true,
    asOf: report.time,
  };
}

async function readAccounts({ services }: ReadPageDeps, question: PageQuestion): Promise<Shown> {
  const { find, cursor } = question.query;
  if (find === undefined) {
    const page = await services.accounts.list({ limit: ROWS, cursor });
    return {
      title: 'Accounts',
      lead: 'Newest first, with what they keep in Redis.',
      content: accountsContent(page, contextOf(question, NO_NAMES)),
    };
  }
  const result = await services.accounts.search(find);
  const names = await services.accounts.namesOf(result.destinations.map((one) => one.account));
  return {
    title: 'Accounts',
    above: [pageUrl('accounts'), 'Accounts'],
    content: searchContent(find, result, contextOf(question, names)),
  };
}

async function readAccount(deps: ReadPageDeps, question: PageQuestion): Promise<Shown> {
  const { id, query } = question;
  const account = await deps.services.accounts.find(id);
  const names = new Map(account.name === null ? [] : [[id, account.name]]);
  const tabs = ACCOUNT_TABS.filter(([name]) => name !== 'tokens' || id !== OPERATIONS_ACCOUNT);
  const [tab] = tabs.find(([name]) => name === query.tab) ?? ACCOUNT_TABS[0];
  return {
    title: account.name ?? id,
    above: [pageUrl('accounts'), 'Accounts'],
    beside: shareBadge(account),
    lead: html`<code>${id}</code>`,
    tabs: tabs.map(([name, text]) => ({
      url: accountUrl(id, name === 'overview' ? '' : name),
      text,
      isCurrent: name === tab,
    })),
    content: await accountTab(deps, account, tab, contextOf(question, names)),
  };
}

async function accountTab(
  { services }: ReadPageDeps,
  account: AccountDetails,
  tab: (typeof ACCOUNT_TABS)[number][0],
  context: PageContext,
): Promise<Markup> {
  const { id } = account;
  switch (tab) {
    case 'overview':
      return accountOverview(account, context, services.isHttpsOnly);
    case 'destinations':
      return accountDestinations(account, context);
    case 'tokens':
      return accessTokens(id, await services.tokens.list(id), context);
    case 'limits':
      return accountLimits(account);
    case 'audit': {
      const { items } = await services.audit.list({ account: id, limit: ROWS });
      return html`${auditTable(items, context.names)}
        <p class="more-line"><a href="${pageUrl('audit', '', { account: id })}">All actions on this account</a></p>`;
    }
  }
}

async function readDestinations({ services }: ReadPageDeps, question: PageQuestion): Promise<Shown> {
  const { state = '', cursor, from = '0' } = question.query;
  const [current] = DESTINATION_FILTERS.find(([name]) => name === state) ?? DESTINATION_FILTERS[0];
  const { views, names, more } = await listDestinations(
    services,
    current,
    cursor,
    Math.min(Number(from) || 0, FROM_MAX),
  );
  const known = names ?? (await services.accounts.namesOf(views.map(({ account }) => account)));
  return {
    title: 'Destinations',
    lead: 'The addresses that get events, with their delivery state.',
    tabs: DESTINATION_FILTERS.map(([name, text]) => ({
      url: pageUrl('destinations', '', { state: name }),
      text,
      isCurrent: name === current,
    })),
    content: html`${destinationTable('destinations', views, contextOf(question, known))}${more}`,
    isLive: current !== '',
    asOf: new Date().toISOString(),
  };
}

type Filter = (typeof DESTINATION_FILTERS)[number][0];

async function listDestinations(
  services: OperatorServices,
  state: Filter,
  cursor: string | undefined,
  from: number,
): Promise<{ readonly views: AccountDetails['destinations']; readonly names?: Names; readonly more: Markup | false }> {
  if (state === '') {
    const page = await services.accounts.list({ limit: ACCOUNTS_OF_ROWS, cursor });
    const accounts = await Promise.all(page.items.map(({ id }) => services.accounts.find(id)));
    return {
      views: hasAddress(accounts.flatMap(({ destinations }) => destinations)),
      names: new Map(accounts.map(({ id, name }) => [id, name ?? id])),
      more: nextLink('destinations', page.nextCursor),
    };
  }
  if (state === 'attention') {
    const { attention, totals } = await services.overview(from + ROWS);
    const views = attention.slice(from, from + ROWS);
    const all = totals.parked - totals.parkedEmpty + totals.paused + totals.late;
    const next = from + views.length;
    const query = { state, from: String(next) };
    return {
      views,
      more:
        (from > 0 || all > next) &&
        html`<p class="more-line">
          ${formatCount(from + 1)} to ${formatCount(next)} of
          ${formatCount(all)}.${
            all > next && views.length > 0 && html` <a href="${pageUrl('destinations', '', query)}">Next ones</a>`
          }
        </p>`,
    };
  }
  const { items, nextCursor } = await services.lists.list(state, { limit: ROWS, cursor });
  return { views: items, more: nextLink('destinations', nextCursor, { state }) };
}

async function readDestination({ services }: ReadPageDeps, question: PageQuestion): Promise<Shown> {
  const view = await services.destinations.find(question.id);
  const names = await services.accounts.namesOf([view.account]);
  return {
    title: `${KINDS[view.kind]} ${view.kind === 'campaign' ? 'webhook' : 'subscription'}`,
    above: [pageUrl('destinations'), 'Destinations'],
    beside: html`<span id="state" data-part>${stateBadge(view)}</span>`,
    lead: html`<code>${view.id}</code>`,
    content: destinationContent(view, contextOf(question, names)),
    isLive: true,
    asOf: new Date().toISOString(),
  };
}

async function readDeadLetters({ services }: ReadPageDeps, question: PageQuestion): Promise<Shown> {
  const { cursor } = question.query;
  const page = await services.deadLetters.list({}, { limit: DEAD_LETTERS_READ, cursor });
  const items = page.items.map((one) => ({ ...one, error: one.error.shownAs(withoutQuotations(String(one.error))) }));
  const names = await services.accounts.namesOf(items.map(({ account }) => account));
  const context = contextOf(question, names);
  return {
    title: 'Dead letters',
    lead: `Given up, and kept for ${context.deadLettersDays} days. Newest first, ${formatCount(
      DEAD_LETTERS_READ,
    )} on a page, grouped by destination.`,
    content: deadLettersContent({ ...page, items }, context),
    isLive: true,
    asOf: new Date().toISOString(),
  };
}

async function readTokens({ services }: ReadPageDeps, question: PageQuestion): Promise<Shown> {
  const [tab] = TOKEN_TABS.find(([name]) => name === question.query.tab) ?? TOKEN_TABS[0];
  return {
    title: 'Tokens',
    lead: 'Who may send events, use the API, and operate this installation.',
    tabs: TOKEN_TABS.map(([name, text]) => ({
      url: pageUrl('tokens', '', { tab: name }),
      text,
      isCurrent: name === tab,
    })),
    content: await tokensTab(services, tab, question),
  };
}

async function tokensTab(
  services: OperatorServices,
  tab: (typeof TOKEN_TABS)[number][0],
  question: PageQuestion,
): Promise<Markup> {
  if (tab === 'admin') return adminTokens(await services.adminTokens());
  if (tab === '') {
    const tokens = await services.producerTokens.list();
    const names = await services.accounts.namesOf(tokens.flatMap(({ accounts }) => accounts ?? []));
    return producerTokens(tokens, contextOf(question, names));
  }
  const page = await services.accounts.list({ limit: ACCOUNTS_OF_ROWS, cursor: question.query.cursor });
  const items = await Promise.all(
    page.items.map(async ({ id, name }) => ({
      account: { id, name: name ?? id },
      tokens: await services.tokens.list(id),
    })),
  );
  const names = new Map(items.map(({ account: { id, name } }) => [id, name]));
  return allAccessTokens({ items, nextCursor: page.nextCursor }, contextOf(question, names));
}

async function readAudit({ services }: ReadPageDeps, { query }: PageQuestion): Promise<Shown> {
  const { account, actor, action, cursor } = query;
  const page = await services.audit.list({ account, actor, action, cursor, limit: ROWS });
  const names = await services.accounts.namesOf(page.items.flatMap((entry) => entry.account ?? []));
  return {
    title: 'Audit',
    lead: 'Changes by customers and operators, kept for 90 days.',
    content: auditContent(page, query, names),
  };
}
