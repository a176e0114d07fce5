import { aCampaignEvent, anOpen, eventually, goodReply } from '@mailhook/testing';
import { useScene } from './rig/suite.ts';

describe('the state of a destination on the settings page', () => {
  const scene = useScene({ RETRY_SCHEDULE: '1h', RETRY_JITTER: '0', BREAKER_FAILURES: '2' });

  test('a campaign webhook: without deliveries, healthy, failing, parked, degraded with a resend, paused', async () => {
    const { api, customer, go, page, receiver, services } = scene();
    const { account } = customer;
    const state = (text: string) => page.locator('#state-campaign').getByText(text, { exact: true }).waitFor();
    const why = page.locator('#why-campaign');
    const send = () => services.send([aCampaignEvent({ account })]);
    await api('PUT', '/v3/webhook/campaign', { address: receiver.url, active: true });
    await go('/endpoints/campaign');
    await state('No deliveries yet');
    await send();
    await state('Healthy');
    expect(await why.textContent()).toBe('');

    receiver.setReply(() => ({ status: 500 }));
    await send();
    await state('Failing');
    // The navigation and the window's title say how many need attention.
    await page.locator('#navigation').getByText('1 endpoint needs attention').waitFor();
    expect(await page.title()).toMatch(/^\(1\) Campaign webhook/);
    await why.getByText('Your server failed. Its error log shows why.').waitFor();
    await why.getByText(/^The last attempt failed\./).waitFor();
    await why
      .getByText(/HTTP 500.*1 event is waiting and is not lost, the oldest since.*next attempt is due at/s)
      .waitFor();
    await send();
    await state('Parked');
    await why.getByText('Mailhook has stopped sending here after 2 failed attempts in a row.').waitFor();
    await why.getByText(/2 events are waiting and are not lost.*It tries one event at/s).waitFor();
    const usual = page.viewportSize();
    await page.setViewportSize({ width: 390, height: 844 });
    const advice = why.getByText('Your server failed. Its error log shows why.');
    await advice.waitFor({ state: 'hidden' });
    await why.getByText('What to do').click();
    await advice.waitFor();
    if (usual !== null) await page.setViewportSize(usual);
    for (const tab of ['deliveries', 'testing', 'settings']) {
      await go(`/endpoints/campaign?tab=${tab}`);
      await why.getByText('Your server failed. Its error log shows why.').waitFor();
    }
    await why.getByRole('link', { name: 'Show the request' }).click();
    await page.getByText('The receiver answered HTTP 500 Internal Server Error.').first().waitFor();
    await go('/endpoints/campaign');
    await page.locator('#why-check-campaign').click();
    await page.getByRole('list', { name: 'What to work on' }).getByText('Failed').first().waitFor();

    receiver.setReply(goodReply);
    await send();
    await state('Degraded');
    await why.getByText(/^The last attempt was successful\. \d failed requests? waits? for another attempt/).waitFor();
    await services.admin('POST', `/destinations/campaign-${account}/pause`, { minutes: 10 });
    await state('Paused');
    await why.getByText('An operator of Mailhook has paused deliveries').waitFor();
  }, 60_000);

  test('a subscription: off by the customer, and switched off by Mailhook after a 410', async () => {
    const { api, customer, go, page, receiver, services } = scene();
    const id = await scene().subscribe('open');
    const state = (text: string) => page.locator(`#state-${id}`).getByText(text, { exact: true }).waitFor();
    await go(`/endpoints/${id}?tab=settings`);
    await state('No deliveries yet');
    await page.locator(`#ask-off-${id}`).click();
    await page.locator('#confirm-off').click();
    await state('Off');
    await page.locator(`#switch-${id}`).click();
    await state('No deliveries yet');
    receiver.setReply(() => ({ status: 410 }));
    await services.send([anOpen({ account: customer.account })]);
    const listed = async () => (await api('GET', '/v3/webhook/destinations')) as { items: { state: string }[] };
    await eventually(async () => (await listed()).items[0]?.state === 'switched_off', {
      what: 'the state after the 410',
    });
    for (const tab of ['overview', 'deliveries', 'testing', 'settings']) {
      await go(`/endpoints/${id}?tab=${tab}`);
      await state('Switched off by Mailhook');
      await page.locator(`#why-${id}`).getByText('Enter the new address').first().waitFor();
    }
    // An update of the page leaves the notice as it is.
    await page.waitForResponse((answer) => answer.url().includes('/news'));
    expect(await page.locator(`#why-${id} .notice`).count()).toBe(1);
  });

  test('a redirect offers the new address', async () => {
    const { api, customer, go, page, receiver, services, status } = scene();
    await api('PUT', '/v3/webhook/campaign', { address: `${receiver.url}/old`, active: true });
    receiver.setReply(() => ({ status: 301, headers: { location: '/new' } }));
    await services.send([aCampaignEvent({ account: customer.account })]);
    await go('/endpoints/campaign');
    await page.locator('#why-campaign').getByText('Enter the address that your server redirects to.').waitFor();
    await page.locator('#use-address-campaign').click();
    await page.locator('#dialog').getByText(`${receiver.url}/new`).waitFor();
    await page.locator('#confirm-address').click();
    await status('Saved.');
    expect(await api('GET', '/v3/webhook/campaign')).toEqual({ address: `${receiver.url}/new`, active: true });
    expect(await page.locator('#endpoint-address').textContent()).toBe(`${receiver.url}/new`);
  });

  test('a customer pauses the campaign webhook, resumes it, and sends what waits for its next attempt', async () => {
    const { api, customer, go, page, receiver, services, press } = scene();
    const { account } = customer;
    const state = (text: string) => page.locator('#state-campaign').getByText(text, { exact: true }).waitFor();
    const says = (text: RegExp | string) => page.locator('[data-outcome]').getByText(text).waitFor();
    await api('PUT', '/v3/webhook/campaign', { address: receiver.url, active: true });
    await go('/endpoints/campaign?tab=settings');
    await page.locator('#ask-pause-campaign').click();
    await page.locator('#pause-minutes').selectOption('1 day');
    await press('Pause deliveries');
    await says('Paused. New events are kept');
    await state('Paused');
    await go('/endpoints/campaign');
    await page
      .locator('#why-campaign')
      .getByText(/^You have paused deliveries until/)
      .waitFor();
    await services.send([aCampaignEvent({ account })]);
    await page.locator('#why-campaign').getByText('1 event is waiting and is not lost').waitFor();
    expect(receiver.requests).toHaveLength(0);

    receiver.setReply(() => ({ status: 500 }));
    await page.locator('#resume-campaign').click();
    await says('Resumed. Waiting events are sent now.');
    await state('Failing');
    receiver.setReply(goodReply);
    await page.locator('#send-now-campaign').click();
    await says(/^Started at .+: 1 waiting event, as fast as your server allows\./);
    await state('Works again');
    await page.locator('#send-now-campaign').waitFor({ state: 'detached' });
    expect(receiver.requests).toHaveLength(2);
  });
});
