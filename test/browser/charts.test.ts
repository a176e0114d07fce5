import { aCampaignEvent, acknowledge, eventually } from '@mailhook/testing';
import { useScene } from './rig/suite.ts';

describe('charts of a slow and failing receiver', () => {
  const scene = useScene({ RETRY_SCHEDULE: '1h', RETRY_JITTER: '0', DELIVERY_TIMEOUT_MS: '400' });

  test('show attempts and reply times by pointer and keyboard, and lead to the deliveries of a bar', async () => {
    const { api, customer, go, page, receiver, see, services } = scene();
    const send = () => services.send([aCampaignEvent({ account: customer.account })]);
    await api('PUT', '/v3/webhook/campaign', { address: receiver.url, active: true });
    receiver.setReply(({ json }) => acknowledge(json));
    await go('/endpoints/campaign');
    await see('Nothing was sent in this time.');
    await send();
    const charts = page.locator('#history-campaign');
    await charts.getByText('1 attempt delivered', { exact: true }).waitFor();
    // The second request has no reply within the deadline.
    receiver.setReply(() => new Promise(() => undefined));
    await send();
    await charts.getByText('1 failed', { exact: true }).waitFor();
    await charts.getByText('deadline 400 ms', { exact: true }).waitFor();
    await charts.getByText('no reply in 1 of 2', { exact: true }).waitFor();
    const title = page.locator('#charts-title');
    await title.getByText('Last 24 hours', { exact: true }).waitFor();
    const lastHour = (await api('GET', '/v3/webhook/destinations')) as {
      items: { lastHour: { replyTimeMs?: { p50: number; p95: number } } }[];
    };
    const { p50 = 0, p95 = 0 } = lastHour.items[0]?.lastHour.replyTimeMs ?? {};
    expect(p50).toBeLessThanOrEqual(400);
    expect(p95).toBeGreaterThan(300);

    await page.locator('#range-1h').click();
    await title.getByText('Last hour', { exact: true }).waitFor();
    const bar = charts.locator('.columns a').last();
    await page.locator('#period-own').focus();
    await page.keyboard.press('Tab');
    await charts.locator('summary:focus').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await charts.locator('table a:focus').waitFor();
    await bar.hover();
    const tip = bar.locator('.tip');
    const opacity = `getComputedStyle(document.querySelector('.columns a:hover .tip')).opacity`;
    await eventually(async () => (await page.evaluate(opacity)) === '1', { what: 'the values of the bar' });
    expect(await tip.textContent()).toMatch(/Delivered \d+\s+Failed 1/);
    // A time of one's own stays while updates come.
    await page.locator('#period-own').click();
    await page.getByLabel('From (Europe/Berlin)').fill('2026-01-05 10:00');
    await page.getByLabel('To (Europe/Berlin)').fill('2026-01-05 12:00');
    await page.keyboard.press('Enter');
    await charts.getByText('Figures are kept for 7 days.', { exact: true }).waitFor();
    await page.locator('#period:not([open])').waitFor();
    expect(new URL(page.url()).search).toBe('?from=2026-01-05T09%3A00%3A00.000Z&to=2026-01-05T11%3A00%3A00.000Z');
    await send();
    await eventually(async () => (await charts.locator('.hint').textContent())?.includes('0 events') === true, {
      what: 'the update',
    });
    await page.locator('#range-1h').click();
    await charts.locator('table a').first().waitFor({ state: 'attached' });
    await charts.locator('summary').click();
    await charts.locator('table a').last().focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/tab=deliveries&from=[^&]+&to=/);
    const rows = page.locator('#log-rows > [role=row]');
    await eventually(async () => (await rows.count()) >= 1, { what: 'the deliveries of the bar' });
    const from = Date.parse(new URL(page.url()).searchParams.get('from') ?? '');
    const inBerlin = new Date(from).toLocaleString('sv', { timeZone: 'Europe/Berlin' });
    expect(await page.getByLabel('From (Europe/Berlin)').inputValue()).toBe(inBerlin.slice(0, 16));
    await page.goto(
      page
        .url()
        .replace(/from=\d{4}/, 'from=2020')
        .replace(/to=\d{4}/, 'to=2020'),
    );
    await see('Nothing matches');
  });
});
