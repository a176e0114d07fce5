import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { chromium } from 'playwright-core';
import { findChromium } from '../../../scripts/checks/chromium.ts';

/** @param more arguments of the browser. */
export async function launchChromium(more: readonly string[] = []): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('There is no Chromium on the PATH.');
  // Chromium's sandbox does not work for root, which runs tests in containers. The browser visits only the pages of
  // these tests.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args: [...args, ...more, '--disable-dev-shm-usage', '--disable-gpu'] });
}

/** Opens a separate window with separate cookies, a fixed language and a fixed time zone. */
export const newWindow = (browser: Browser, more: BrowserContextOptions = {}): Promise<BrowserContext> =>
  browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', viewport: { width: 1280, height: 900 }, ...more });
