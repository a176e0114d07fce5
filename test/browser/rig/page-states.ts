import type { Page } from 'playwright-core';
import type { BadDay } from './bad-day.ts';

/** A page in one state: where it is, and what opens the rest of it. */
export interface PageState {
  readonly name: string;
  /** After the start of the family's addresses. */
  readonly at: string;
  /** Links that are followed, one after the other. */
  readonly follow?: readonly string[];
  /** What is pressed then. */
  readonly press?: string;
  /** What appears after the press. */
  readonly until?: string;
}

const hoursAgo = (hours: number): string => new Date(Date.now() - hours * 3_600_000).toISOString();

/** Every page of customers. The first ten are looked at in `npm test`. */
export const customerStates = ({ endpoints }: Pick<BadDay, 'endpoints'>): readonly PageState[] => {
  const of = (name: string, tab = ''): string =>
    `/endpoints/${endpoints[name] ?? ''}${tab === '' ? '' : `?tab=${tab}`}`;
  return [
    { name: 'overview', at: '' },
    { name: 'endpoints', at: '/endpoints' },
    { name: 'endpoint-parked', at: of('unauthorized') },
    { name: 'endpoint-settings', at: of('unauthorized', 'settings') },
    { name: 'deliveries', at: '/deliveries' },
    { name: 'attempt', at: '/deliveries?status=failed', follow: ['#log-rows > [role=row] a'] },
    { name: 'dead-letters', at: '/dead-letters' },
    { name: 'events', at: '/events' },
    { name: 'guide', at: '/../../docs/guides/first-webhook' },
    { name: 'reference', at: '/../../docs/subscriptions' },
    { name: 'attempt-delivered', at: '/deliveries?status=delivered', follow: ['#log-rows > [role=row] a'] },
    { name: 'overview-week', at: '?range=7d' },
    { name: 'overview-between', at: `?from=${hoursAgo(30)}&to=${hoursAgo(5)}` },
    { name: 'endpoint-half', at: '/endpoints/campaign' },
    { name: 'endpoint-gone', at: of('gone') },
    { name: 'endpoint-redirect', at: of('redirect') },
    { name: 'endpoint-deliveries', at: of('unauthorized', 'deliveries') },
    { name: 'endpoint-replay', at: of('unauthorized', 'replay') },
    { name: 'endpoint-testing', at: of('unauthorized', 'testing') },
    { name: 'endpoint-report', at: of('unauthorized', 'testing'), press: '[value=check-endpoint]', until: '.report' },
    ...['ask-off', 'ask-delete', 'ask-pause'].map((name) => ({
      name: `endpoint-${name}`,
      at: of('unauthorized', 'settings'),
      press: `main [value=${name}]`,
      until: 'dialog[open]',
    })),
    { name: 'new-endpoint', at: '/new-endpoint', press: '#new-types-bounce', until: '#new-scope' },
    { name: 'campaign-settings', at: '/endpoints/campaign?tab=settings' },
    { name: 'dead-letter', at: '/dead-letters', follow: ['#dead-letter-list a'] },
    { name: 'dead-letters-ask', at: '/dead-letters', press: '[value=ask-redrive]', until: 'dialog[open]' },
    { name: 'event', at: '/events', follow: ['main a[href*="entry="]'] },
    { name: 'event-types', at: '/event-types', press: '#about-click summary' },
    { name: 'alerts', at: '/alerts', press: 'details.choice summary' },
    { name: 'secrets', at: '/secrets' },
    { name: 'changes', at: '/changes' },
    { name: 'developers', at: '/developers' },
  ];
};

/** What somebody sees who is not signed in. `link`: the query of a portal link. */
export const visitorStates = (link: string): readonly PageState[] => [
  { name: 'sign-in', at: '' },
  { name: 'sign-in-refused', at: '', press: 'form .primary', until: '#token-error' },
  { name: 'portal', at: `/../portal${link.replace('?', '#')}` },
  { name: 'portal-incomplete', at: '/../portal' },
  { name: 'portal-unknown', at: '/../portal?link=unknown' },
  { name: 'no-such-page', at: '/nothing' },
];

/** An account that has nothing yet. */
export const FIRST_RUN_STATES: readonly PageState[] = [
  { name: 'first-run', at: '' },
  { name: 'first-endpoint', at: '/new-endpoint' },
  { name: 'first-deliveries', at: '/deliveries' },
];

/** Every page of operators. */
export const OPERATOR_STATES: readonly PageState[] = [
  { name: 'overview', at: '/admin' },
  { name: 'accounts', at: '/admin/pages/accounts' },
  ...['', 'destinations', 'tokens', 'limits', 'audit'].map((tab) => ({
    name: `account-${tab === '' ? 'overview' : tab}`,
    at: '/admin/pages/accounts',
    follow: ['main table a', ...(tab === '' ? [] : [`main a[href$="tab=${tab}"]`])],
  })),
  { name: 'destinations', at: '/admin/pages/destinations' },
  { name: 'parked', at: '/admin/pages/destinations?state=parked' },
  { name: 'destination', at: '/admin/pages/destinations?state=parked', follow: ['#destinations-card a'] },
  { name: 'dead-letters', at: '/admin/pages/dead-letters' },
  ...['redrive', 'discard'].map((name) => ({
    name: `dead-letters-${name}`,
    at: '/admin/pages/dead-letters',
    press: `li:has(> ul.members) [value=ask-${name}]`,
    until: 'dialog[open]',
  })),
  { name: 'tokens', at: '/admin/pages/tokens' },
  { name: 'access-tokens', at: '/admin/pages/tokens?tab=access' },
  { name: 'admin-tokens', at: '/admin/pages/tokens?tab=admin' },
  { name: 'audit', at: '/admin/pages/audit' },
  { name: 'workers', at: '/admin/pages/workers' },
  { name: 'queues', at: '/admin/pages/queues' },
  { name: 'runbook', at: '/admin/runbook' },
];

/** Opens a page in its state. `base`: the start of the family's addresses. */
export async function openState(page: Page, base: string, state: PageState): Promise<void> {
  const { at, follow = [], press, until } = state;
  await page.goto(`${base}${at}`);
  for (const link of follow) {
    const url = await page
      .locator(link)
      .first()
      .evaluate((found) => (found as unknown as { href: string }).href);
    await page.goto(url);
  }
  if (press !== undefined) await page.locator(press).first().click();
  if (until !== undefined) await page.locator(until).first().waitFor();
}
