import { openSignedIn } from './rig/page.ts';
import { useScene } from './rig/suite.ts';

describe('unsaved changes', () => {
  const scene = useScene();

  test('of an address show a bar, also after a test, until they are discarded or saved', async () => {
    const { api, go, page, press, receiver, status } = scene();
    await api('PUT', '/v3/webhook/campaign', { address: receiver.url, active: true });
    await go('/endpoints/campaign?tab=settings');
    const bar = page.getByRole('region', { name: 'Unsaved changes' });
    const field = page.getByLabel('Webhook URL');
    expect(await bar.count()).toBe(0);
    await field.fill(`${receiver.url}/other`);
    await bar.waitFor();
    await bar.getByRole('button', { name: 'Discard changes' }).click();
    expect(await field.inputValue()).toBe(receiver.url);
    await bar.waitFor({ state: 'hidden' });

    // The answer to a test has the typed address, which is not saved.
    await field.fill(`${receiver.url}/other`);
    await press('Test connection');
    await status('Success.');
    await bar.waitFor();
    await bar.getByRole('button', { name: 'Save changes' }).click();
    await status('Saved.');
    await bar.waitFor({ state: 'hidden' });
    expect(await api('GET', '/v3/webhook/campaign')).toEqual({ address: `${receiver.url}/other`, active: true });
  });

  test('of an endpoint that is off are saved without switching it on, by the Enter key too', async () => {
    const { api, go, page, receiver, status } = scene();
    const id = await scene().subscribe('click');
    await api('PUT', `/v3/webhook/subscriptions/${id}`, { module: 'transactional_email', active: false });
    await go(`/endpoints/${id}?tab=settings`);
    await page.getByRole('checkbox', { name: /^open/ }).check();
    const bar = page.getByRole('region', { name: 'Unsaved changes' });
    await bar.getByRole('button', { name: 'Discard changes' }).click();
    expect(await page.getByRole('checkbox', { name: /^open/ }).isChecked()).toBe(false);
    await bar.waitFor({ state: 'hidden' });
    await page.getByRole('checkbox', { name: /^open/ }).check();
    await page.getByRole('checkbox', { name: /^click/ }).uncheck();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await status('Saved. The endpoint is still off');
    expect(await api('GET', `/v3/webhook/subscriptions/${id}`)).toMatchObject({ type: 'open', active: false });
    await page.getByLabel('Webhook URL').fill(`${receiver.url}/two`);
    await page.keyboard.press('Enter');
    await page.locator('#endpoint-address').getByText(`${receiver.url}/two`).waitFor();
    expect(await api('GET', `/v3/webhook/subscriptions/${id}`)).toMatchObject({ active: false });
    expect(await page.locator('[data-outcome] .warn').count()).toBe(1);
    // One press saves all forms of the page.
    await page.getByLabel('Requests per second').fill('5');
    await page.getByLabel('Other headers').fill('x-team: crm');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await bar.waitFor({ state: 'hidden' });
    expect(await api('GET', `/v3/webhook/destinations/${id}`)).toMatchObject({ headers: { 'x-team': true } });
    expect(await page.getByLabel('Requests per second').inputValue()).toBe('5');
  });

  test('without a script leave the button of the form that saves the tested address', async () => {
    const { api, browser, customer, receiver, services } = scene();
    const { page, close } = await openSignedIn(browser, services, customer, { javaScriptEnabled: false });
    await page.getByLabel('Webhook URL').fill(receiver.url);
    expect(await page.locator('#unsaved').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Test connection' }).click();
    await page.getByText('Not saved yet.').first().waitFor();
    await page.getByRole('button', { name: 'Save this address' }).click();
    await page.getByText('Saved. Campaign events are delivered to this address from now on.').waitFor();
    expect(await api('GET', '/v3/webhook/campaign')).toEqual({ address: receiver.url, active: true });
    await close();
  });
});
