import axe from 'axe-core';
import type { Result, RunOptions } from 'axe-core';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { newWindow } from './chromium.ts';
import type { Services, TestCustomer } from './services.ts';

/**
 * A customer at the settings page. `complaints` holds the browser's errors, such as those of scripts and of the content
 * security policy.
 */
export interface CustomerPage {
  readonly page: Page;
  readonly complaints: readonly string[];
  readonly close: () => Promise<void>;
}

export async function openPage(
  browser: Browser,
  { pageUrl }: Pick<Services, 'pageUrl'>,
  more: BrowserContextOptions = {},
): Promise<CustomerPage> {
  const window = await newWindow(browser, more);
  const page = await window.newPage();
  page.setDefaultTimeout(20_000);
  const complaints = collectComplaints(page);
  await page.goto(pageUrl);
  return { page, complaints, close: () => window.close() };
}

/** Collects the browser's errors on this page from now on. */
export function collectComplaints(page: Page): readonly string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // The browser logs replies of 4xx and 5xx too, which tests provoke.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      complaints.push(message.text());
  });
  return complaints;
}

export async function signIn(page: Page, { token }: Pick<TestCustomer, 'token'>): Promise<void> {
  await page.getByLabel('Access token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('[data-signed-in]').waitFor();
}

/** Opens the settings page in a separate window and signs in. */
export async function openSignedIn(
  browser: Browser,
  services: Services,
  customer: Pick<TestCustomer, 'token'>,
  more: BrowserContextOptions = {},
): Promise<CustomerPage> {
  const opened = await openPage(browser, services, more);
  await signIn(opened.page, customer);
  return opened;
}

/** The rules whose result depends on colors. They take most of the time. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];
const WITHOUT_COLORS: RunOptions = { rules: Object.fromEntries(COLOR_RULES.map((id) => [id, { enabled: false }])) };

/**
 * Checks the page, or a frame, with axe against WCAG 2.2 A and AA and axe's best practices. Returns a line per fault.
 */
export async function accessibilityFaults(page: Pick<Page, 'evaluate'>, options: RunOptions = {}): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in globalThis'))) await page.evaluate(axe.source);
  // What passes is counted in a page of thousands of elements, but not described and sent.
  const only = JSON.stringify({ ...options, resultTypes: ['violations'] });
  const violations = await page.evaluate<Result[]>(`axe.run(document, ${only}).then((found) => found.violations)`);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary ?? ''}`),
  );
}

/** Checks the page in light, in dark, and in a narrow window. */
export async function faultsInEveryLook(page: Page): Promise<string[]> {
  const light = await accessibilityFaults(page);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await accessibilityFaults(page, { runOnly: COLOR_RULES });
  await page.emulateMedia({ colorScheme: null });
  return [...light, ...dark, ...(await faultsOfTexts(page))];
}

/** Checks what texts may break: names of elements, and the width of a narrow window. */
export async function faultsOfTexts(page: Page): Promise<string[]> {
  const usual = page.viewportSize();
  await page.setViewportSize({ width: 360, height: 780 });
  const faults = await accessibilityFaults(page, WITHOUT_COLORS);
  const tooWide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  if (usual !== null) await page.setViewportSize(usual);
  return [...faults, ...(tooWide > 0 ? [`${tooWide} px too wide for a phone`] : [])];
}
