import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { testRedisUrl, uniqueName } from '@mailhook/testing';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { ensureChromium } from './checks/chromium.ts';
import { furnish } from './screenshots/scene.ts';
import { ensureRedisServer } from './stack/redis-server.ts';
import { createTerminal } from './terminal.ts';
import { runCommand, UserError } from './user-error.ts';
import { launchChromium } from '../test/browser/rig/chromium.ts';
import { openPage, signIn } from '../test/browser/rig/page.ts';
import type { Services, TestCustomer } from '../test/browser/rig/services.ts';
import { startServices } from '../test/browser/rig/services.ts';

const FOLDER = 'docs/images';
const LARGEST_BYTES = 150_000;

interface Picture {
  readonly name: string;
  readonly window: BrowserContextOptions;
  readonly isSignedIn: boolean;
  /** The part of the page that is to be seen. */
  readonly at?: string;
}

const DESKTOP = { width: 1280, height: 860 };
const PICTURES: readonly Picture[] = [
  { name: 'sign-in', window: { viewport: { width: 1280, height: 640 } }, isSignedIn: false },
  { name: 'settings-page', window: { viewport: DESKTOP }, isSignedIn: true },
  { name: 'deliveries', window: { viewport: DESKTOP }, isSignedIn: true, at: '#deliveries' },
  { name: 'settings-page-dark', window: { viewport: DESKTOP, colorScheme: 'dark' }, isSignedIn: true },
  { name: 'settings-page-phone', window: { viewport: { width: 390, height: 844 } }, isSignedIn: true },
  { name: 'deliveries-phone', window: { viewport: { width: 390, height: 844 } }, isSignedIn: true, at: '#deliveries' },
];

/** Takes the pictures of the documentation, of the page as it is now. */
async function takePictures(): Promise<void> {
  const terminal = createTerminal();
  await ensureRedisServer((command) => terminal.line(`Installing Redis: ${command}`), new AbortController().signal);
  await ensureChromium((command) => terminal.line(`Installing Chromium: ${command}`));
  mkdirSync(FOLDER, { recursive: true });
  const redisUrl = await testRedisUrl();
  const prefix = uniqueName('screenshots');
  const services = await startServices({ QUEUE_PREFIX: prefix, RETRY_SCHEDULE: '10ms', BREAKER_FAILURES: '100' });
  const browser = await launchChromium();
  try {
    const customer = await furnish(services, redisUrl, prefix);
    for (const picture of PICTURES) {
      const file = path.join(FOLDER, `${picture.name}.png`);
      await take(browser, services, customer, picture, file);
      const bytes = statSync(file).size;
      if (bytes > LARGEST_BYTES)
        throw new UserError(`${file} has ${bytes} bytes, and should have ${LARGEST_BYTES} at most.`);
      terminal.line(`  ${file}  ${Math.round(bytes / 1000)} kB`);
    }
  } finally {
    await browser.close();
    await services.close();
  }
}

async function take(
  browser: Browser,
  services: Services,
  customer: TestCustomer,
  picture: Picture,
  file: string,
): Promise<void> {
  const { page, close } = await openPage(browser, services, { ...picture.window, reducedMotion: 'reduce' });
  if (picture.isSignedIn) await signIn(page, customer);
  if (picture.at !== undefined) await page.goto(`${services.pageUrl}${picture.at}`);
  await page.waitForTimeout(300);
  await page.screenshot({ path: file, animations: 'disabled' });
  await close();
}

void runCommand(takePictures).then(() => process.exit());
