import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { chromium } from 'playwright-core';
import { BROWSER_VARIABLE, launchOptions } from '../../../scripts/checks/chromium.ts';

/**
 * The browser that test files share, or else one that is started here. Closing the shared one closes only the windows
 * that were opened through it.
 *
 * @param more arguments of the browser, which then is not shared.
 */
export function launchChromium(more: readonly string[] = []): Promise<Browser> {
  const shared = process.env[BROWSER_VARIABLE] ?? '';
  return shared !== '' && more.length === 0 ? chromium.connect(shared) : chromium.launch(launchOptions(more));
}

/** Opens a separate window with separate cookies, a fixed language and a fixed time zone. */
export const newWindow = (browser: Browser, more: BrowserContextOptions = {}): Promise<BrowserContext> =>
  browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', viewport: { width: 1280, height: 900 }, ...more });
