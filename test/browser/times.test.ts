import type { Page } from 'playwright-core';
import { newWindow } from './rig/chromium.ts';
import { accessibilityFaults, openSignedIn } from './rig/page.ts';
import { useScene } from './rig/suite.ts';

/** The texts of the times on a page, and those that take more than one line or leave their parent element. */
const timesOf = (page: Page) =>
  page.evaluate<{ texts: string[]; wrapped: string[] }>(`(() => {
    const shown = [...document.querySelectorAll('time')].filter((one) => one.getClientRects().length > 0);
    const right = (one) => Math.floor(one.getBoundingClientRect().right);
    const wrapped = shown.filter((one) => one.getClientRects().length > 1 || right(one) > right(one.parentElement));
    return { texts: shown.map((one) => one.textContent), wrapped: wrapped.map((one) => one.textContent) };
  })()`);

describe('times on the pages', () => {
  const scene = useScene();

  /** Makes a signing secret and a failed test, which the page lists with their times. */
  async function makeTimes(): Promise<void> {
    const { api, go, page, press, receiver } = scene();
    await api('POST', '/v3/webhook/secrets', {});
    receiver.setReply(() => ({ status: 500 }));
    await page.getByLabel('Webhook URL').fill(`${receiver.url}/a-rather-long-path-of-a-receiver/for-campaign-events`);
    await press('Test connection');
    await page.locator('.outcome p').first().waitFor();
    await go('/deliveries');
    await page.locator('#log-rows time').waitFor();
  }

  test('are in the own zone, which the page names, or in UTC, which it remembers', async () => {
    const { page } = scene();
    await makeTimes();
    const zone = page.getByLabel('Times in');
    expect(await zone.locator('option').allTextContents()).toEqual([
      expect.stringMatching(/^Europe\/Berlin \(GMT\+[12]\)$/),
      'UTC',
    ]);
    const local = await timesOf(page);
    expect(local.texts.length).toBeGreaterThan(0);
    expect(local.texts.filter((text) => text.includes('UTC'))).toEqual([]);
    await zone.selectOption('UTC');
    const element = page.locator('#log-rows time').first();
    const utc = new Date((await element.getAttribute('datetime')) ?? '').toISOString().slice(11, 19);
    expect(await element.textContent()).toContain(`${utc} UTC`);
    await page.reload();
    await page.getByText(`${utc} UTC`).first().waitFor();
    expect(await zone.inputValue()).toBe('UTC');
    expect((await timesOf(page)).texts.filter((text) => !text.endsWith(' UTC'))).toEqual([]);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('of filters are in the chosen zone, which labels name, and their address means the same in all', async () => {
    const { browser, customer, services } = scene();
    await makeTimes();
    const opened = await openSignedIn(browser, services, customer, { timezoneId: 'America/New_York' });
    const { page } = opened;
    await page.goto(`${services.pageUrl}/deliveries`);
    const inNewYork = (ms: number) => new Date(ms).toLocaleString('sv', { timeZone: 'America/New_York' }).slice(0, 16);
    const choose = async (name: 'From' | 'To', time: string) => {
      const field = page.getByLabel(`${name} (America/New_York)`);
      // Enter closes the menu.
      if (!(await field.isVisible())) await page.locator('#period summary').click();
      await field.fill(time);
      await field.press('Enter');
    };
    const hour = 3_600_000;
    const [before, after] = [inNewYork(Date.now() - hour), inNewYork(Date.now() + hour)];
    await choose('From', after);
    await page.getByText('Nothing matches').waitFor();
    await choose('From', before);
    await choose('To', after);
    await page.locator('#log-rows time').waitFor();
    // The page asks with local times, and the server answers with the address that has them as ISO times.
    await page.waitForURL(({ searchParams }) => ['from', 'to'].every((name) => searchParams.get(name)?.endsWith('Z')));
    const from = new URL(page.url()).searchParams.get('from') ?? '';
    expect(from).toMatch(/^[-\d]+T\d\d:\d\d:00\.000Z$/);
    expect(inNewYork(Date.parse(from))).toBe(before);
    await page.getByLabel('Times in').selectOption('UTC');
    expect(await page.getByLabel('From (UTC)').inputValue()).toBe(from.slice(0, 16).replace('T', ' '));
    await page.reload();
    expect(await page.getByLabel('From (UTC)').inputValue()).toBe(from.slice(0, 16).replace('T', ' '));
    await page.locator('#log-rows time').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await opened.close();
  });

  test('are in UTC without script, and say so', async () => {
    const { browser, customer, services } = scene();
    await makeTimes();
    const opened = await openSignedIn(browser, services, customer, { javaScriptEnabled: false });
    await opened.page.goto(`${services.pageUrl}/deliveries`);
    await opened.page.getByText('Times are in UTC').waitFor();
    const text = (await opened.page.locator('#log-rows time').first().textContent()) ?? '';
    expect(text).toMatch(/^\d\d:\d\d:\d\d UTC$/);
    await opened.close();
  });

  test.each([
    ['a cookie that cannot be decoded', 'Europe%2', undefined],
    ['a cookie of one character', '%', undefined],
    ['an empty cookie', '', undefined],
    ['a cookie with a zone that does not exist', 'Europe%2FNowhere', undefined],
    ['a system whose zone the browser does not know', undefined, "'Etc/Unknown'"],
    ['a browser that names no zone', undefined, 'undefined'],
    ['a browser that names an empty zone', undefined, "''"],
  ])('are in UTC with %s, which is not stored, and the page works', async (_what, cookie, own) => {
    const { browser, customer, services } = scene();
    await makeTimes();
    const opened = await openSignedIn(browser, services, customer);
    const { page, complaints } = opened;
    const { hostname } = new URL(services.pageUrl);
    const value = cookie ?? '';
    await page.context().clearCookies({ name: 'mailhook_time_zone' });
    if (cookie !== undefined)
      await page.context().addCookies([{ name: 'mailhook_time_zone', value, domain: hostname, path: '/' }]);
    if (own !== undefined)
      await page.addInitScript(`
        const { resolvedOptions } = Intl.DateTimeFormat.prototype;
        Intl.DateTimeFormat.prototype.resolvedOptions = function () {
          return { ...resolvedOptions.call(this), timeZone: ${own} };
        };`);
    await page.goto(`${services.pageUrl}/deliveries`);
    await page.getByLabel('Times in').waitFor();
    const { texts } = await timesOf(page);
    expect([texts.length > 0, texts.filter((text) => !text.endsWith(' UTC'))]).toEqual([true, []]);
    expect((await page.context().cookies()).filter(({ name }) => name === 'mailhook_time_zone')).toEqual([]);
    // The parts of the script that start after the times.
    await page.locator('#log [data-open]').first().click();
    await page.locator('#panel .close').waitFor();
    await page.getByLabel('Times in').selectOption('UTC');
    await page.reload();
    expect(await page.getByLabel('Times in').inputValue()).toBe('UTC');
    expect(complaints).toEqual([]);
    await opened.close();
  });

  test('never wrap, on a phone and in wide windows', async () => {
    const { page } = scene();
    await makeTimes();
    // Two days later, so that times have a date.
    await page.clock.setFixedTime(Date.now() + 2 * 86_400_000);
    await page.reload();
    await page.getByLabel('Times in').selectOption('UTC');
    expect((await timesOf(page)).texts[0]).toMatch(/^\d+ \w+, [\d:]+ UTC$/);
    for (const width of [320, 390, 720, 960, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect([width, (await timesOf(page)).wrapped]).toEqual([width, []]);
      expect([width, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([width, width]);
    }
  });

  test('of the operations overview follow the same rules', async () => {
    const { browser, services } = scene();
    const httpCredentials = { username: 'admin', password: services.adminToken };
    const window = await newWindow(browser, { httpCredentials });
    const page = await window.newPage();
    // Two days later, so that times have a date.
    await page.clock.setFixedTime(Date.now() + 2 * 86_400_000);
    await page.goto(`${services.opsUrl}/admin`);
    await page.getByLabel('Times in').selectOption('UTC');
    const { texts, wrapped } = await timesOf(page);
    expect([texts.filter((text) => !text.endsWith(' UTC')), wrapped]).toEqual([[], []]);
    await page.reload();
    expect(await page.getByLabel('Times in').inputValue()).toBe('UTC');
    await window.close();
    const plain = await newWindow(browser, { httpCredentials, javaScriptEnabled: false });
    const unscripted = await plain.newPage();
    await unscripted.goto(`${services.opsUrl}/admin`);
    await unscripted.getByText('Times are in UTC').waitFor();
    await plain.close();
  });
});
