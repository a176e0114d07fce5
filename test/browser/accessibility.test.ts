import { aCampaignEvent, aClick, eventually } from '@mailhook/testing';
import { accessibilityFaults, faultsInEveryLook, openPage } from './rig/page.ts';
import { useScene } from './rig/suite.ts';

describe('accessibility', () => {
  const scene = useScene({ RETRY_SCHEDULE: '50ms', RETRY_JITTER: '0' });

  test('axe finds nothing on the sign-in page, neither before nor after a refused token', async () => {
    const { browser, services } = scene();
    const { page, close } = await openPage(browser, services);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByLabel('Access token').fill('mhk_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('#token-error').waitFor();
    expect(await faultsInEveryLook(page)).toEqual([]);
    await close();
  });

  test('axe finds nothing on the pages of an empty account', async () => {
    const { go, page } = scene();
    expect(await faultsInEveryLook(page)).toEqual([]);
    for (const path of ['/endpoints', '/endpoints/campaign', '/deliveries', '/dead-letters', '/developers']) {
      await go(path);
      expect([path, await faultsInEveryLook(page)]).toEqual([path, []]);
    }
  }, 90_000);

  const isFine = async () => {
    const { page } = scene();
    expect([page.url(), await faultsInEveryLook(page)]).toEqual([page.url(), []]);
  };

  /** Makes dead letters of three endpoints. Resolves with the id of one that Mailhook switched off. */
  async function furnish(): Promise<string> {
    const { services, customer, receiver, api } = scene();
    const { account } = customer;
    receiver.setReply(({ path }) => (path === '/gone' ? { status: 410 } : { status: 500 }));
    await api('PUT', '/v3/webhook/campaign', { address: `${receiver.url}/gone`, active: true });
    await scene().subscribe('click', `${receiver.url}/clicks`);
    const id = await scene().subscribe('click', `${receiver.url}/gone`);
    await services.send([aCampaignEvent({ account }), aClick({ account, messageId: 'of-interest' })]);
    const letters = async () => ((await api('GET', '/v3/webhook/dead-letters')) as { items: unknown[] }).items.length;
    await eventually(async () => (await letters()) === 3, { what: 'three dead letters', withinMs: 15_000 });
    return id;
  }

  test('axe finds nothing on lists with all their parts', async () => {
    const { go, page, press } = scene();
    await furnish();
    await go('/dead-letters');
    await page.locator('#one-by-one > summary').click();
    await page.locator('#dead-letter-list').getByRole('link').first().click();
    await page.locator('#dead-letter').waitFor();
    await isFine();
    await page.locator('#dead-letter .close').click();
    await page.locator('#redrive-all-ask').click();
    await page.locator('dialog:modal').waitFor();
    await isFine();
    await go('');
    await page.locator('#attention li').first().waitFor();
    await isFine();
    await go('/secrets');
    await press('Create secret');
    await page.locator('#new-secret').waitFor();
    await isFine();
    await go('/events');
    await page.getByLabel(/^Hash, messageId/).fill('of-interest');
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    await page.locator('.story').first().waitFor();
    await isFine();
  }, 90_000);

  test('axe finds nothing on the pages of endpoints with all their parts', async () => {
    const { go, page, press, status } = scene();
    const id = await furnish();
    await go('/endpoints/campaign?tab=testing');
    await press('Check my receiver');
    await page.locator('.report').waitFor();
    for (const summary of await page.locator('.report summary').all()) await summary.click();
    await isFine();
    await go('/endpoints');
    await isFine();
    await go('/new-endpoint');
    await press('Create this endpoint');
    await page.locator('#new-address-error').waitFor();
    await isFine();
    for (const tab of ['overview', 'settings']) {
      await go(`/endpoints/${id}?tab=${tab}`);
      for (const summary of await page.locator('main summary:visible').all()) await summary.click();
      await isFine();
    }
    await go(`/endpoints/${id}?tab=deliveries`);
    await page.locator('#log-rows').getByRole('link').first().click();
    await page.locator('#attempt').waitFor();
    await isFine();
    await go('/endpoints/campaign?tab=settings');
    await page.getByLabel('Webhook URL').fill('nowhere');
    await press('Test connection');
    await status('Correct the marked fields');
    await isFine();
  }, 90_000);
});
