import { mkdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { campaignDestinationId } from '@mailhook/core';
import { aCampaignEvent, testRedisUrl, uniqueName } from '@mailhook/testing';
import type { Browser, BrowserContextOptions } from 'playwright-core';
import { ensureChromium } from './checks/chromium.ts';
import { furnish } from './screenshots/scene.ts';
import { ensureRedisServer } from './stack/redis-server.ts';
import { createTerminal } from './terminal.ts';
import { runCommand, UserError } from './user-error.ts';
import { launchChromium, newWindow } from '../test/browser/rig/chromium.ts';
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
      terminal.line(sizeOf(file));
    }
    await pauseOne(services, customer);
    const file = path.join(FOLDER, 'operations.png');
    await takeOperations(browser, services, file);
    terminal.line(sizeOf(file));
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

/** @throws when a picture is too large to be kept in the repository. */
function sizeOf(file: string): string {
  const bytes = statSync(file).size;
  if (bytes > LARGEST_BYTES)
    throw new UserError(`${file} has ${bytes} bytes, and should have ${LARGEST_BYTES} at most.`);
  return `  ${file}  ${Math.round(bytes / 1000)} kB`;
}

/** So that the operations overview has something to show. */
async function pauseOne({ opsUrl, adminToken, send }: Services, { account }: TestCustomer): Promise<void> {
  const answer = await fetch(`${opsUrl}/admin/destinations/${campaignDestinationId(account)}/pause`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ minutes: 360 }),
  });
  if (!answer.ok) throw new UserError(`The destination could not be paused: ${await answer.text()}`);
  await send(Array.from({ length: 1200 }, () => aCampaignEvent({ account })));
}

async function takeOperations(browser: Browser, { opsUrl, adminToken }: Services, file: string): Promise<void> {
  const window = await newWindow(browser, {
    viewport: DESKTOP,
    httpCredentials: { username: 'admin', password: adminToken },
  });
  const page = await window.newPage();
  // Accepted is not in its mailbox yet.
  for (let isThere = false; !isThere;) {
    await page.goto(`${opsUrl}/admin`);
    isThere = (await page.getByText('1,200 events').count()) > 0;
  }
  await page.screenshot({ path: file, animations: 'disabled' });
  await window.close();
}

void runCommand(takePictures).then(() => process.exit());
