import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions } from 'playwright-core';
import { chromium } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** The browser of this machine: `CHROMIUM_TEST_PATH`, else the first on the PATH. */
export function chromiumPath(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const given = env['CHROMIUM_TEST_PATH'];
  if (given !== undefined && given !== '') return given;
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
  return NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))).find((file) => existsSync(file));
}

export async function launchChromium(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error('There is no Chromium on the PATH.');
  // Its sandbox does not work for root, which is who runs tests in containers; it sees pages of ours alone.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath, args: [...args, '--disable-dev-shm-usage', '--disable-gpu'] });
}

/** A window of its own, with its own cookies, in a fixed language and time zone. */
export const newWindow = (browser: Browser, more: BrowserContextOptions = {}): Promise<BrowserContext> =>
  browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', viewport: { width: 1280, height: 900 }, ...more });
