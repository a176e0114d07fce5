import { aCampaignEvent } from '@mailhook/testing';
import { accessibilityFaults } from './rig/page.ts';
import { useScene } from './rig/suite.ts';

describe('two tabs with the same settings', () => {
  const scene = useScene();

  test('show what is saved and what was typed, and the next press saves both', async () => {
    const { api, go, page, receiver, services, status } = scene();
    await api('PUT', '/v3/webhook/campaign', { address: receiver.url, active: true });
    await go('/endpoints/campaign?tab=settings');
    const other = await page.context().newPage();
    await other.goto(`${services.pageUrl}/endpoints/campaign?tab=settings`);
    await other.getByLabel('Login', { exact: true }).selectOption('Bearer token');
    await other.getByLabel('Token or password').fill('s3cr3t');
    await other.getByLabel('Webhook URL').fill(`${receiver.url}/other`);
    // The bar stands for the buttons of both forms.
    expect(await other.getByRole('button', { name: /^Save/ }).allInnerTexts()).toEqual(['Save changes']);
    await other.getByRole('button', { name: 'Save changes' }).click();
    await other.getByRole('status').filter({ hasText: 'Saved. Every request to this address has' }).waitFor();
    await other.close();

    const bar = page.getByRole('region', { name: 'Unsaved changes' });
    const save = bar.getByRole('button', { name: 'Save changes' });
    await page.getByLabel('Webhook URL').fill(`${receiver.url}/mine`);
    await page.getByLabel('Most requests per second').fill('7');
    await save.click();
    await status('Nothing was saved, because this was changed after you opened the page.');
    await page.getByText(`Webhook URL is now “${receiver.url}/other”`).waitFor();
    expect(await page.getByLabel('Webhook URL').inputValue()).toBe(`${receiver.url}/mine`);
    expect(await page.getByLabel('Most requests per second').inputValue()).toBe('7');
    expect(await accessibilityFaults(page)).toEqual([]);
    // The other tab has changed another form than the one with the pace.
    await save.click();
    await status('Saved.');
    expect(await page.getByLabel('Login', { exact: true }).inputValue()).toBe('keep');
    await bar.waitFor({ state: 'hidden' });
    expect(await api('GET', '/v3/webhook/campaign')).toEqual({ address: `${receiver.url}/mine`, active: true });
    expect(await api('GET', '/v3/webhook/destinations/campaign/settings')).toMatchObject({
      headers: { authorization: true },
      maxRequestsPerSecond: 7,
    });
  });

  test('ask again before the address of a redirect replaces a newer one', async () => {
    const { api, customer, go, page, receiver, services, status } = scene();
    await api('PUT', '/v3/webhook/campaign', { address: `${receiver.url}/old`, active: true });
    receiver.setReply(() => ({ status: 301, headers: { location: '/new' } }));
    await services.send([aCampaignEvent({ account: customer.account })]);
    await go('/endpoints/campaign');
    await page.locator('#use-address-campaign').click();
    await page.locator('#dialog').getByText(`${receiver.url}/new`).waitFor();
    await api('PUT', '/v3/webhook/campaign', { address: `${receiver.url}/newer`, active: true });
    await page.locator('#confirm-address').click();
    await status('Nothing was saved, because this was changed after you opened the page.');
    await page.getByText(`Webhook URL is now “${receiver.url}/newer”`).waitFor();
    expect(await page.getByLabel('Webhook URL').inputValue()).toBe(`${receiver.url}/new`);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await status('Saved.');
    expect(await api('GET', '/v3/webhook/campaign')).toEqual({ address: `${receiver.url}/new`, active: true });
  });
});
