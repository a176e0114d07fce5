import type { BrowserContextOptions } from 'playwright-core';
import { newWindow } from './rig/chromium.ts';
import { accessibilityFaults } from './rig/page.ts';
import { useScene } from './rig/suite.ts';

describe('the API documentation', () => {
  const scene = useScene();

  test('sends no requests to other hosts, and tries calls with the token', async () => {
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
    // The first call that the typed words find.
    await page.keyboard.press('/');
    await page.keyboard.type('get webhook/campaign');
    await page.getByRole('link', { name: 'Read the campaign webhook' }).first().waitFor();
    expect(await page.locator('#found a:visible').count()).toBe(1);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/campaign-webhook#*');
    await page.getByLabel('Token for trying calls').fill(customer.token);
    const operation = page.getByRole('region', { name: 'Read the campaign webhook' });
    await operation.getByText('Try it').click();
    await operation.getByRole('button', { name: 'Send' }).click();
    await operation.getByText(`"${receiver.url}/campaign"`).waitFor();
    expect(await operation.locator('[data-answer]').innerText()).toMatch(/^200 OK in \d+ ms/);

    // Parameters and bodies are sent too.
    await page.getByRole('link', { name: 'Subscriptions', exact: true }).click();
    await page.getByLabel('Token for trying calls').fill(customer.token);
    const create = page.getByRole('region', { name: 'Create a subscription' });
    await create.getByText('Try it').click();
    const type = 'click';
    await create
      .getByLabel('body')
      .fill(JSON.stringify({ address: receiver.url, type, module: 'transactional_email' }));
    await create.getByRole('button', { name: 'Send' }).click();
    await create.getByText('201 Created').waitFor();
    const [created] = (await api('GET', '/v3/webhook/subscriptions')) as { id: string }[];
    const read = page.getByRole('region', { name: 'Read a subscription' });
    await read.getByText('Try it').click();
    await read.getByLabel('id').fill(created?.id ?? '');
    await read.getByRole('button', { name: 'Send' }).click();
    await read.getByText('200 OK').waitFor();

    // One choice of a language is for all examples.
    await create.getByText('Python', { exact: true }).click();
    expect(await read.getByLabel('Python example').isVisible()).toBe(true);

    expect(strangers).toEqual([]);
    expect(complaints).toEqual([]);
    await window.close();
  });

  test.each<[string, BrowserContextOptions]>([
    ['in light colors', {}],
    ['in dark colors on a phone', { colorScheme: 'dark', viewport: { width: 390, height: 844 } }],
  ])('has no accessibility faults %s', async (_what, options) => {
    const { browser, services } = scene();
    const window = await newWindow(browser, options);
    const page = await window.newPage();
    for (const group of ['', '/campaign-webhook', '/what-receivers-get']) {
      await page.goto(`${services.baseUrl}/docs${group}`);
      // Fields are there to be read. What else folds is opened for the check.
      expect(await page.locator('details:has(> .fields):not([open]) > summary', { hasText: /^Fields/ }).count()).toBe(
        0,
      );
      await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
    await window.close();
  });

  test('the guides and the runbook have no accessibility faults, in light colors, and in dark on a phone', async () => {
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
