import { newWindow } from './rig/chromium.ts';
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
});
