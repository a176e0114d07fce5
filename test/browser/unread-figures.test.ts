import type { Browser } from 'playwright-core';
import { launchChromium } from './rig/chromium.ts';
import type { Installation } from './rig/installation.ts';
import { startInstallation } from './rig/installation.ts';
import { accessibilityFaults, openSignedIn } from './rig/page.ts';

describe('the overview of a customer while Redis does not answer', () => {
  let browser: Browser;
  let installation: Installation;
  beforeAll(async () => {
    browser = await launchChromium();
    installation = await startInstallation(browser);
  }, 60_000);
  afterAll(async () => {
    await installation.close();
    await browser.close();
  });

  test('an open page keeps its figures under a banner, a new one has dashes, and both recover', async () => {
    const { redis, services } = installation;
    const customer = await services.newCustomer('Acme');
    const address = 'http://127.0.0.1:9/';
    await services.as(customer.token)('PUT', '/v3/webhook/campaign', { address, active: true });
    await services.as(customer.token)('POST', '/v3/webhook/subscriptions', {
      address,
      type: 'open',
      module: 'transactional_email',
    });
    const { page } = await openSignedIn(browser, services, customer);
    await page.goto(services.pageUrl + '/endpoints');
    const state = page.locator('#state-campaign');
    const banner = page.locator('#unread').getByText('These figures cannot be read at the moment.');
    await state.getByText('No deliveries yet').waitFor();
    expect(await banner.count()).toBe(0);
    process.kill(redis.pid, 'SIGSTOP');
    try {
      await banner.waitFor();
      expect(await state.textContent()).toContain('No deliveries yet');
      expect(await accessibilityFaults(page)).toEqual([]);
      const other = await page.context().newPage();
      await other.goto(services.pageUrl);
      await other.locator('#unread').getByText('These figures cannot be read at the moment.').waitFor();
      expect(await other.locator('#figures .figure').allTextContents()).toEqual(['–', '–', '–', '–']);
      await other.locator('#state-campaign').getByText('Unknown').waitFor();
      expect(await accessibilityFaults(other)).toEqual([]);
      process.kill(redis.pid, 'SIGCONT');
      for (const one of [page, other]) await one.locator('#unread:not(:has(*))').waitFor({ state: 'attached' });
      await state.getByText('No deliveries yet').waitFor();
      // Nothing was sent yet, so the overview has other parts than those with dashes.
      await other.getByText('Let us deliver your first event').waitFor();
    } finally {
      process.kill(redis.pid, 'SIGCONT');
    }
    await page.context().close();
  }, 120_000);
});
