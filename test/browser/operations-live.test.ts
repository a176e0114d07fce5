import type { Browser } from 'playwright-core';
import { launchChromium } from './rig/chromium.ts';
import type { Installation } from './rig/installation.ts';
import { startInstallation } from './rig/installation.ts';
import { accessibilityFaults } from './rig/page.ts';
import { withChromium } from './rig/suite.ts';

withChromium('the operations overview on a screen that nobody reloads', () => {
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

  test('shows what changes, keeps typed text, and says when it is cut off and since when', async () => {
    const { page, redis, services } = installation;
    await page.goto(`${services.opsUrl}/admin`);
    await page.getByText('Nothing is stuck.').waitFor();
    const { account, token } = await services.newCustomer('Acme');
    await services.as(token)('PUT', '/v3/webhook/campaign', { address: 'http://127.0.0.1:9/', active: true });
    const id = `campaign-${account}`;
    await services.admin('POST', `/destinations/${id}/pause`, { minutes: 10 });
    const card = page.getByRole('article', { name: id });
    await card.getByText('paused', { exact: true }).waitFor();
    await page.locator('#live-state').getByText('Live').waitFor();
    await card.locator('summary').click();
    await card.getByLabel(/to confirm$/).fill('half-typed');
    const asOf = await page.locator('#verdict time').textContent();
    await page
      .locator('#verdict time')
      .filter({ hasNotText: String(asOf) })
      .waitFor();
    expect(await card.getByLabel(/to confirm$/).inputValue()).toBe('half-typed');

    await redis.kill();
    await page
      .locator('#cut-off')
      .getByText(/^Cut off: this page cannot be updated\. The figures below are as of \d/)
      .waitFor();
    await page.locator('#trouble').getByText('Redis cannot be reached at the moment').waitFor();
    await page.locator('#live-state').getByText('Cut off').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await redis.restart();
    await page.locator('#live-state').getByText('Live').waitFor();
    expect(await page.locator('#cut-off, #trouble').allTextContents()).toEqual(['', '']);
  }, 120_000);
});
