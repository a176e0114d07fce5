import { aCampaignEvent, aClick, eventually } from '@mailhook/testing';
import type { BrowserContextOptions } from 'playwright-core';
import { accessibilityFaults, openPage, openSignedIn } from './rig/page.ts';
import { useScene, withChromium } from './rig/suite.ts';

const WINDOWS: readonly (readonly [string, BrowserContextOptions])[] = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['on a phone', { viewport: { width: 360, height: 780 } }],
];

withChromium('accessibility', () => {
  const scene = useScene({ RETRY_SCHEDULE: '50ms', RETRY_JITTER: '0' });

  test.each(WINDOWS)('axe finds nothing on the sign-in and on an empty page: %s', async (_name, look) => {
    const { browser, services, customer } = scene();
    const opened = await openPage(browser, services, look);
    expect(await accessibilityFaults(opened.page)).toEqual([]);
    await opened.page.getByLabel('Access token').fill('mhk_wrong');
    await opened.page.getByRole('button', { name: 'Sign in' }).click();
    await opened.page.getByRole('alert').waitFor();
    expect(await accessibilityFaults(opened.page)).toEqual([]);
    await opened.close();
    const empty = await openSignedIn(browser, services, customer, look);
    expect(await accessibilityFaults(empty.page)).toEqual([]);
    await empty.close();
  });

  test.each(WINDOWS)('axe finds nothing where everything is on the page: %s', async (_name, look) => {
    const { browser, services, customer, receiver, api } = scene();
    const { account } = customer;
    receiver.setReply(({ path }) => (path === '/gone' ? { status: 410 } : { status: 500 }));
    await api('PUT', '/v3/webhook/campaign', { address: `${receiver.url}/gone`, active: true });
    for (const path of ['/clicks', '/gone'])
      await api('POST', '/v3/webhook/subscriptions', {
        ...{ address: `${receiver.url}${path}`, type: 'click', module: 'transactional_email' },
      });
    await services.send([aCampaignEvent({ account }), aClick({ account, messageId: 'of-interest' })]);
    const { page, close } = await openSignedIn(browser, services, customer, look);
    await eventually(async () => (await page.locator('#dead-letter-list form').count()) === 3, {
      what: 'three dead letters',
      withinMs: 10_000,
    });
    await page.getByRole('button', { name: 'Create secret' }).click();
    await page.locator('#new-secret').waitFor();
    await page.getByLabel('Hash or messageId').fill('of-interest');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.locator('.story').first().waitFor();
    await page.getByRole('button', { name: 'Check my receiver' }).click();
    await page.locator('.report').waitFor();
    await page.getByRole('button', { name: 'Add subscription' }).click();
    await page.locator('#new-address-error').waitFor();
    for (const summary of await page.locator('li.subscription summary').all()) await summary.click();
    expect(await accessibilityFaults(page)).toEqual([]);
    // Nothing is wider than the window.
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
    await close();
  });
});
