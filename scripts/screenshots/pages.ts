import type { Browser, BrowserContextOptions } from 'playwright-core';
import { openPage, signIn } from '../../test/browser/rig/page.ts';
import type { Services, TestCustomer } from '../../test/browser/rig/services.ts';
import { startServices } from '../../test/browser/rig/services.ts';
import { burden, takeOperations, takeQueues } from './operators.ts';
import { furnish } from './scene.ts';

interface Picture {
  readonly name: string;
  readonly window: BrowserContextOptions;
  readonly isSignedIn: boolean;
  /** The end of the page's path. Default: the overview. */
  readonly at?: string;
  /** Whether the failed attempt of the list is open. */
  readonly isOpen?: true;
}

const DESKTOP = { width: 1280, height: 800 };
const PICTURES: readonly Picture[] = [
  { name: 'sign-in', window: { viewport: { width: 1280, height: 640 } }, isSignedIn: false },
  { name: 'settings-page', window: { viewport: DESKTOP }, isSignedIn: true },
  {
    name: 'deliveries',
    window: { viewport: { width: 1280, height: 720 } },
    isSignedIn: true,
    at: '/deliveries',
    isOpen: true,
  },
  { name: 'endpoint', window: { viewport: DESKTOP }, isSignedIn: true, at: '/endpoints/campaign' },
  { name: 'settings-page-dark', window: { viewport: DESKTOP, colorScheme: 'dark' }, isSignedIn: true },
  { name: 'settings-page-phone', window: { viewport: { width: 390, height: 844 } }, isSignedIn: true },
  { name: 'deliveries-phone', window: { viewport: { width: 390, height: 844 } }, isSignedIn: true, at: '/deliveries' },
];

/** The failed attempts until a destination is parked. More than the customers' pictures show. */
const BREAKER_FAILURES = 6;

/**
 * Takes pictures of the settings page, the operations overview and Bull Board. `fileOf` returns a picture's file by its
 * name.
 */
export async function takePages(
  browser: Browser,
  fileOf: (name: string) => string,
  onTaken: (file: string) => void,
): Promise<void> {
  const services = await startServices({
    RETRY_SCHEDULE: '10ms',
    BREAKER_FAILURES: String(BREAKER_FAILURES),
  });
  try {
    const customer = await furnish(services);
    for (const picture of PICTURES) {
      await take(browser, services, customer, picture, fileOf(picture.name));
      onTaken(fileOf(picture.name));
    }
    await burden(services, customer);
    await takeOperations(browser, services, fileOf('operations'));
    onTaken(fileOf('operations'));
    await takeQueues(browser, services, fileOf('queues'));
    onTaken(fileOf('queues'));
  } finally {
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
  if (picture.isOpen === true) {
    await page.locator('#log-rows > [role=row]', { hasText: 'Failed' }).first().getByRole('link').click();
    await page.locator('#attempt').waitFor();
  }
  await page.waitForTimeout(300);
  await page.screenshot({ path: file, animations: 'disabled' });
  await close();
}
