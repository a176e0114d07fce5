import type { BrowserContextOptions } from 'playwright-core';
import { newWindow } from './rig/chromium.ts';
import { accessibilityFaults } from './rig/page.ts';
import { useScene, withChromium } from './rig/suite.ts';

withChromium('the API documentation', () => {
  const scene = useScene();

  test('shows every operation, sends no requests to other hosts, and tries a call with the token', async () => {
    const { browser, services, customer, receiver, api } = scene();
    await api('PUT', '/v3/webhook/campaign', { address: `${receiver.url}/campaign` });
    const window = await newWindow(browser);
    const page = await window.newPage();
    const strangers: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(services.baseUrl)) strangers.push(request.url());
    });
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await page.goto(`${services.baseUrl}/docs`);

    const document = (await api('GET', '/openapi.json')) as Record<'paths' | 'webhooks', Record<string, object>>;
    const operations = [...Object.values(document.paths), ...Object.values(document.webhooks)].flatMap(Object.keys);
    await page.locator('.opblock').last().waitFor();
    expect(await page.locator('.opblock').count()).toBe(operations.length);

    await page.getByRole('button', { name: 'Authorize' }).click();
    const dialog = page.locator('.modal-ux');
    await dialog.locator('input').first().fill(customer.token);
    await dialog.locator('button.authorize').first().click();
    await dialog.getByRole('button', { name: 'Close' }).first().click();
    const operation = page.locator('.opblock', { hasText: 'Read the campaign webhook' });
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    const answer = operation.locator('.live-responses-table');
    await answer.getByText(`${receiver.url}/campaign`).waitFor();
    expect(await answer.locator('.response-col_status').last().innerText()).toContain('200');

    expect(strangers).toEqual([]);
    expect(complaints).toEqual([]);
    await window.close();
  });

  test.each<[string, BrowserContextOptions]>([
    ['in light colors', {}],
    ['in dark colors on a phone', { colorScheme: 'dark', viewport: { width: 390, height: 844 } }],
  ])('has no accessibility faults %s, and shows schemas by name', async (_what, options) => {
    const { browser, services } = scene();
    const window = await newWindow(browser, options);
    const page = await window.newPage();
    await page.goto(`${services.baseUrl}/docs`);
    await page.locator('.opblock').last().waitFor();
    const operation = page.locator('.opblock', { hasText: 'Run the connection test' });
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Try it out' }).click();
    await operation.getByLabel('Body').waitFor();
    await operation.getByRole('tab', { name: 'Schema' }).nth(1).click();
    await operation.getByText('TestFailure | TestSuccess').first().waitFor();
    expect(await page.getByText('object | ').count()).toBe(0);
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    await window.close();
  });

  test('the guides and the runbook have no accessibility faults, in light colors and in dark colors on a phone', async () => {
    const { browser, services } = scene();
    const httpCredentials = { username: 'admin', password: services.adminToken };
    for (const options of [{}, { colorScheme: 'dark', viewport: { width: 390, height: 844 } }] as const) {
      const window = await newWindow(browser, { ...options, httpCredentials });
      const page = await window.newPage();
      for (const url of [`${services.baseUrl}/docs/guides/first-webhook`, `${services.opsUrl}/admin/runbook`]) {
        await page.goto(url);
        await page.getByRole('heading', { level: 1 }).waitFor();
        expect(await accessibilityFaults(page)).toEqual([]);
        expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      }
      await window.close();
    }
  });
});
