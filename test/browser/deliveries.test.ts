import { aCampaignEvent, acknowledge, aClick, eventually } from '@mailhook/testing';
import { useScene } from './rig/suite.ts';

describe('deliveries on the settings page', () => {
  const scene = useScene({ RETRY_SCHEDULE: '200ms,300ms', RETRY_JITTER: '0', BREAKER_FAILURES: '100' });

  test('deliveries appear without a reload, show their errors, and can be filtered', async () => {
    const { api, customer, go, page, receiver, see, services } = scene();
    await api('PUT', '/v3/webhook/campaign', { address: `${receiver.url}/campaign`, active: true });
    await scene().subscribe('click', `${receiver.url}/clicks`);
    let fails = 1;
    receiver.setReply((request) => {
      if (!Array.isArray(request.json)) return { status: 200 };
      fails -= 1;
      return fails >= 0 ? { status: 500, body: 'anna@example.com' } : acknowledge(request.json);
    });
    await go('/deliveries');
    await see('Nothing was delivered yet');
    await see('Live');
    const { account } = customer;
    await services.send([aClick({ account }), aCampaignEvent({ account }), aCampaignEvent({ account })]);
    const rows = page.locator('#log-rows > [role=row]');
    await eventually(async () => (await rows.count()) === 3, { what: 'three attempts', withinMs: 10_000 });
    await see(/^Delivered by attempt 2,/);
    expect(await page.locator('#log').textContent()).not.toContain('example.com');
    // Keys: a list of them, the rows, and an open one.
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
    for (const key of ['j', 'j', 'k', 'j', 'Enter']) await page.keyboard.press(key);
    await page.locator('#attempt').waitFor();
    const chosen = () =>
      page.evaluate<number>(
        "[...document.querySelector('#log-rows').children].findIndex((one) => one.matches('.is-chosen'))",
      );
    expect(await chosen()).toBe(1);
    await page.keyboard.press('k');
    await eventually(async () => (await chosen()) === 0, { what: 'the row before to be open' });
    await page.keyboard.press('Escape');
    await page.locator('#attempt').waitFor({ state: 'detached' });
    await page.getByLabel('Outcome').selectOption('failed');
    await eventually(async () => (await rows.count()) === 1, { what: 'the failed attempt alone' });
    const text = page.getByLabel('Text of the reply');
    await text.fill('what no receiver replies');
    await text.press('Enter');
    await see('Nothing matches');
    await text.fill('');
    await text.press('Enter');
    await eventually(async () => (await rows.count()) === 1, { what: 'the failed attempt again' });
    await page.getByLabel('Endpoint', { exact: true }).selectOption({ index: 2 });
    await see('Nothing matches');
    await page.getByLabel('Outcome').selectOption('');
    await eventually(async () => (await rows.getByText('Delivered').count()) === 1, { what: 'the notification' });
    await page.reload();
    await eventually(async () => (await rows.count()) === 1, { what: 'the same after a reload' });
    await go('/endpoints/campaign');
    await page.locator('#history-campaign').getByText('2 events delivered').waitFor();
    const charts = page.locator('#history-campaign');
    await charts.getByText('1 attempt delivered', { exact: true }).waitFor();
    await charts.getByText('1 failed', { exact: true }).waitFor();
  });
});
