import { aCampaignEvent, goodReply } from '@mailhook/testing';
import { faultsInEveryLook, openSignedIn } from './rig/page.ts';
import { useScene } from './rig/suite.ts';

const BASIC = `Basic ${Buffer.from('mail:pa:ss ä').toString('base64')}`;

describe('the login and headers of a destination on the settings page', () => {
  const scene = useScene({
    RETRY_SCHEDULE: '1h',
    RETRY_JITTER: '0',
    SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
  });

  test('a 401 leads to the login, which every request then has; its values are never shown again', async () => {
    const { api, customer, go, page, receiver, services, press, see } = scene();
    const { account } = customer;
    await api('PUT', '/v3/webhook/campaign', { address: receiver.url, active: true });
    receiver.setReply((request) => (request.headers['authorization'] === BASIC ? goodReply(request) : { status: 401 }));
    await go('/endpoints/campaign?tab=settings');
    await press('Test connection');
    await see(/Enter it under “Login and headers” of the saved endpoint/);
    await page.getByLabel('Login', { exact: true }).selectOption('User and password');
    await page.getByLabel('User', { exact: true }).fill('mail');
    await press('Save changes');
    await see('Token or password is required');
    await page.getByLabel('Token or password').fill('pa:ss ä');
    await page.getByLabel('Other headers').fill('X-Team:  ');
    await page.getByLabel('Token or password').fill('pa:ss ä');
    await press('Save changes');
    await see('Other headers (x-team) has no value after the colon');
    await page.getByLabel('Token or password').fill('pa:ss ä');
    await page.getByLabel('Other headers').fill('X-Team: mail\nhost: evil');
    await press('Save changes');
    await see('Other headers (host) is set by Mailhook or by HTTP itself, and cannot be changed');
    await page.getByLabel('Token or password').fill('pa:ss ä');
    await page.getByLabel('Other headers').fill('X-Team: mail');
    await press('Save changes');
    await see('Saved. Every request to this address has authorization and x-team from now on, tests too.');
    expect(await page.getByLabel('Login', { exact: true }).inputValue()).toBe('keep');
    expect(await page.getByLabel('Other headers').inputValue()).toBe('x-team');
    expect(await faultsInEveryLook(page)).toEqual([]);
    await press('Test connection');
    await see('Success. Your server answered the connection test as it should.');
    const before = receiver.requests.length;
    await services.send([aCampaignEvent({ account })]);
    await receiver.waitForRequests(before + 1);
    expect(receiver.requests.at(-1)?.headers).toMatchObject({ authorization: BASIC, 'x-team': 'mail' });
    await page.reload();
    expect(await page.content()).not.toContain('pa:ss');
  });

  test('works without JavaScript, and says that a new server gets nothing of it', async () => {
    const { api, browser, customer, services } = scene();
    const id = await scene().subscribe('click');
    const opened = await openSignedIn(browser, services, customer, { javaScriptEnabled: false });
    const plain = opened.page;
    await plain.goto(`${services.pageUrl}?login=${id}`);
    await plain.getByLabel('Login', { exact: true }).selectOption('Bearer token');
    await plain.getByLabel('Token or password').fill('t0ken');
    await plain.getByRole('button', { name: 'Save login and headers' }).click();
    await plain.getByText('has authorization from now on, tests too.').waitFor();
    await plain.getByLabel('Most requests per second').fill('5');
    await plain.locator(`#edit-${id}-address`).fill('http://127.0.0.1:9/elsewhere');
    await plain.locator(`#update-${id}`).click();
    await plain.getByText('Its login and headers were for another server, and are not sent to this one').waitFor();
    expect(await api('GET', `/v3/webhook/destinations/${id}/settings`)).toMatchObject({
      headers: {},
      maxRequestsPerSecond: 5,
    });
    await opened.close();
  });
});
