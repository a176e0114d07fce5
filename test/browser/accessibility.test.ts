import { aCampaignEvent, aClick, eventually } from '@mailhook/testing';
import { accessibilityFaults, faultsInEveryLook, openPage } from './rig/page.ts';
import { useScene, withChromium } from './rig/suite.ts';

withChromium('accessibility', () => {
  const scene = useScene({ RETRY_SCHEDULE: '50ms', RETRY_JITTER: '0' });

  test('axe finds nothing on the sign-in page, neither before nor after a refused token', async () => {
    const { browser, services } = scene();
    const { page, close } = await openPage(browser, services);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByLabel('Access token').fill('mhk_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    expect(await faultsInEveryLook(page)).toEqual([]);
    await close();
  });

  test('axe finds nothing on an empty page', async () => {
    expect(await faultsInEveryLook(scene().page)).toEqual([]);
  });

  test('axe finds nothing on a page with all its parts', async () => {
    const { services, customer, receiver, api, page, press } = scene();
    const { account } = customer;
    receiver.setReply(({ path }) => (path === '/gone' ? { status: 410 } : { status: 500 }));
    await api('PUT', '/v3/webhook/campaign', { address: `${receiver.url}/gone`, active: true });
    for (const path of ['/clicks', '/gone']) {
      const body = { address: `${receiver.url}${path}`, type: 'click', module: 'transactional_email' };
      await api('POST', '/v3/webhook/subscriptions', body);
    }
    await services.send([aCampaignEvent({ account }), aClick({ account, messageId: 'of-interest' })]);
    await eventually(async () => (await page.locator('#dead-letter-list form').count()) === 3, {
      what: 'three dead letters',
      withinMs: 15_000,
    });
    await page.reload();
    await press('Create secret');
    await page.locator('#new-secret').waitFor();
    await page.getByLabel(/^Hash, messageId/).fill('of-interest');
    await press('Find');
    await page.locator('.story').first().waitFor();
    await press('Check my receiver');
    await page.locator('.report').waitFor();
    await press('Add subscription');
    await page.locator('#new-address-error').waitFor();
    for (const summary of await page.locator('.subscription summary, .report summary').all()) await summary.click();
    expect(await faultsInEveryLook(page)).toEqual([]);
  }, 90_000);
});
