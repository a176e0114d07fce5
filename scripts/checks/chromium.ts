import type { LaunchOptions } from 'playwright-core';
import { findCommand } from '../stack/redis-server.ts';

/** Where `npm test` runs the browser that the test files share. */
export const BROWSER_VARIABLE = 'CHROMIUM_TEST_URL';

/** The shell without windows comes first: the browser tests take a third less time with it. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

/** Returns the path of the first of these on the PATH. */
export const findChromium = (env: NodeJS.ProcessEnv = process.env): string | undefined =>
  NAMES.map((name) => findCommand(name, env)).find((file) => file !== undefined);

/** @param more arguments of the browser. */
export function launchOptions(more: readonly string[] = []): LaunchOptions {
  const executablePath = findChromium();
  if (executablePath === undefined) throw new Error('There is no Chromium on the PATH.');
  // Chromium's sandbox does not work for root, which runs tests in containers. The browser visits only the pages of
  // these tests.
  const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return { executablePath, args: [...args, ...more, '--disable-dev-shm-usage', '--disable-gpu'] };
}
