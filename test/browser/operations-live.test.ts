import { eventually } from '@mailhook/testing';
import { Redis } from 'ioredis';
import type { Browser } from 'playwright-core';
import { launchChromium } from './rig/chromium.ts';
import type { Installation } from './rig/installation.ts';
import { startInstallation } from './rig/installation.ts';
import { accessibilityFaults } from './rig/page.ts';

describe('the operations overview on a screen that nobody reloads', () => {
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

  test('shows what changes, and keeps typed text', async () => {
    const { page, redis, services } = installation;
    // An anchor of before, in a page that is loaded anew.
    await page.goto('about:blank');
    await page.goto(`${services.opsUrl}/admin#workers`);
    await page.waitForURL('**/admin/pages/workers');
    await page.goto(`${services.opsUrl}/admin`);
    await page.getByText('Nothing is stuck.').waitFor();
    await page.locator('#live-state').getByText('Live, as of').waitFor();
    const { account, token } = await services.newCustomer('Acme');
    await services.as(token)('PUT', '/v3/webhook/campaign', { address: 'http://127.0.0.1:9/', active: true });
    const id = `campaign-${account}`;
    // While nothing happens, an update of any page has nothing new until the minute ends.
    const admin = new Redis(redis.url);
    // A function that the machine delays is new on the Queues page.
    await admin.config('SET', 'slowlog-log-slower-than', '-1');
    admin.disconnect();
    const rest = async (at: string) => {
      const poll = (tag = '') => page.request.get(services.opsUrl + at, { headers: { 'if-none-match': tag } });
      const isAtRest = async () => {
        const first = await poll();
        const secondsLater = async () => {
          const next = await poll(first.headers()['etag']);
          const isLater = Date.parse(next.headers()['date'] ?? '') - Date.parse(first.headers()['date'] ?? '') >= 3000;
          return next.status() !== 304 ? 'new' : isLater && 'same';
        };
        return (await eventually(secondsLater, { everyMs: 1000, what: `a poll of ${at} seconds later` })) === 'same';
      };
      await eventually(isAtRest, { withinMs: 60_000, what: `${at} with nothing new` });
    };
    const menu = await page.locator('nav a[href^="/admin"]').all();
    const links = await Promise.all(menu.map((link) => link.getAttribute('href')));
    const tabs = ['', '?tab=destinations', '?tab=tokens', '?tab=limits', '?tab=audit'];
    const pages = [
      ...links.map(String).filter((href) => !href.endsWith('/runbook')),
      ...tabs.map((tab) => `/admin/pages/accounts/${account}${tab}`),
      `/admin/pages/destinations/${id}`,
    ];
    expect(pages.length).toBeGreaterThan(12);
    const results = await Promise.allSettled(pages.map(rest));
    expect(results.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []))).toEqual([]);
    await services.admin('POST', `/destinations/${id}/pause`, { minutes: 10 });
    await page.getByRole('row', { name: id }).getByText('Paused').waitFor();
    expect(await page.title()).toContain('1 thing needs attention');

    await page.goto(`${services.opsUrl}/admin/pages/destinations/${id}`);
    await page.locator('summary').filter({ hasText: 'Give up…' }).click();
    const typed = page.getByLabel(/to confirm$/);
    await typed.fill('half-typed');
    const asOf = page.locator('#as-of time');
    const first = String(await asOf.getAttribute('datetime'));
    await page.locator(`#as-of time:not([datetime="${first}"])`).waitFor();
    await services.admin('POST', `/destinations/${id}/resume`);
    await page.locator('#state').getByText('No deliveries yet').waitFor();
    expect(await typed.inputValue()).toBe('half-typed');
  }, 120_000);

  test('stops and goes on at a button, and says so', async () => {
    const { services } = installation;
    const { page } = await installation.open();
    const asOf = () => page.locator('#as-of time').getAttribute('datetime');
    await page.clock.install();
    await page.goto(`${services.opsUrl}/admin`);
    await page.getByRole('button', { name: 'Pause' }).press('Enter');
    await page.locator('#live-state').getByText('Updates paused, as of').waitFor();
    const before = await asOf();
    const updates: string[] = [];
    page.on('request', (request) => updates.push(request.url()));
    // Longer than the time between two updates.
    await page.clock.runFor(20_000);
    expect([updates, await asOf()]).toEqual([[], before]);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Resume' }).press('Enter');
    await page.locator('#live-state').getByText('Live, as of').waitFor();
    await page.locator(`#as-of time:not([datetime="${before}"])`).waitFor();
    await page.context().close();
  }, 120_000);

  test('says when it is cut off and since when', async () => {
    const { page, redis, services } = installation;
    await page.goto(`${services.opsUrl}/admin`);
    await redis.kill();
    await page
      .locator('#cut-off')
      .getByText(/^Cut off: this page cannot be updated\. The figures below are as of \d/)
      .waitFor();
    await page.locator('#trouble').getByText('Redis cannot be reached at the moment').waitFor();
    await page.locator('#live-state.cut').getByText('Cut off, as of').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await redis.restart();
    await page.locator('#live-state.on').waitFor();
    expect(await page.locator('#cut-off, #trouble').allTextContents()).toEqual(['', '']);
  }, 120_000);
});
