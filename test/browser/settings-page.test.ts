import { aCampaignEvent, eventually } from '@mailhook/testing';
import { accessibilityFaults, openPage, signIn } from './rig/page.ts';
import { useScene } from './rig/suite.ts';

/** A script that counts the stops of the Tab key before an element. */
const stopsBefore = (selector: string) => `(() => {
  const list = document.querySelector('${selector}');
  const stops = [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')];
  const isBefore = (one) => (one.compareDocumentPosition(list) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  return stops.filter((one) => one.checkVisibility() && isBefore(one)).length;
})()`;

describe('the settings page in a browser', () => {
  const scene = useScene({ RETRY_SCHEDULE: '200ms', RETRY_JITTER: '0' });

  test('signs in, stays signed in after a reload, and signs out', async () => {
    const { customer, page, press, see } = scene();
    await see('Acme <Newsletter>');
    await page.reload();
    await see('Let us deliver your first event');
    await press('Sign out');
    await page.getByLabel('Access token').fill('mhk_wrong');
    await press('Sign in');
    await see('Access token is not known');
    await signIn(page, customer);
  });

  test('a session ends when its token is revoked, and the typed text stays visible', async () => {
    const { customer, page, press, see, services } = scene();
    await services.revoke(customer);
    await page.getByLabel('Webhook URL').fill('http://127.0.0.1:9/typed');
    await press('Save');
    await see('Your session has ended.');
    expect(await page.getByLabel('Webhook URL').inputValue()).toBe('http://127.0.0.1:9/typed');
    await page.reload();
    await page.getByLabel('Access token').waitFor();
  });

  describe('the campaign webhook', () => {
    test('is tested before it is saved, saved, and switched off', async () => {
      const { api, go, page, press, receiver, status } = scene();
      await page.getByLabel('Webhook URL').fill(`${receiver.url}/batches`);
      await press('Test connection');
      await status('Success.');
      expect(await api('GET', '/v3/webhook/campaign')).toEqual({ address: null, active: false });
      expect(receiver.requests.map(({ json }) => (Array.isArray(json) ? json.length : json))).toEqual([
        { test: expect.any(String) as string },
        3,
      ]);
      await press('Save');
      await status('Saved. Campaign events are delivered to this address');
      expect(await api('GET', '/v3/webhook/campaign')).toEqual({ address: `${receiver.url}/batches`, active: true });
      await go('/endpoints/campaign?tab=settings');
      await page.locator('#ask-off-campaign').click();
      await page.locator('#confirm-off').click();
      await status('Switched off.');
      expect(await api('GET', '/v3/webhook/campaign')).toMatchObject({ active: false });
      await page.reload();
      await page.getByRole('button', { name: 'Save and switch on' }).waitFor();
    });

    test('shows why the connection test failed, and what helps', async () => {
      const { page, press, receiver, status } = scene();
      receiver.setReply(() => ({ status: 404 }));
      await page.getByLabel('Webhook URL').fill(receiver.url);
      await press('Test connection');
      await status('The receiver answered HTTP 404 Not Found.');
      await status('Compare its path');
      expect(await page.getByLabel('Webhook URL').inputValue()).toBe(receiver.url);
    });

    test('is tried with a signed sample batch, which shows the request and the reply', async () => {
      const { api, page, press, receiver, status } = scene();
      await api('POST', '/v3/webhook/secrets', {});
      await page.getByLabel('Webhook URL').fill(receiver.url);
      await press('Send sample batch');
      await status('Success. Your server confirmed one event of each type: open, click and unsubscribe.');
      const [request, reply] = [
        page.getByRole('figure', { name: 'Request' }),
        page.getByRole('figure', { name: 'Reply' }),
      ];
      const [sent] = receiver.requests;
      expect(await request.innerText()).toContain(`webhook-signature: ${String(sent?.headers['webhook-signature'])}`);
      expect(JSON.parse(await request.locator('.json').innerText())).toEqual(sent?.json);
      expect(await reply.innerText()).toContain('HTTP 200');
      receiver.setReply(() => ({ status: 500, body: '<h1>Fatal error</h1>' }));
      await press('Send sample batch');
      await status('The receiver answered HTTP 500');
      expect(await reply.innerText()).toContain('<h1>Fatal error</h1>');
      expect(await accessibilityFaults(page)).toEqual([]);
    });

    test('refuses an invalid address at its field, and accepts the correction', async () => {
      const { focused, page, press, receiver, see, status } = scene();
      await page.getByLabel('Webhook URL').fill('example.com/hook');
      await press('Save');
      await see('must be an absolute URL that starts with http:// or https://');
      const field = page.getByLabel('Webhook URL');
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      await eventually(async () => (await focused()) === 'campaign-address', { what: 'the field to have the focus' });
      await field.fill(receiver.url);
      await page.keyboard.press('Enter');
      await status('Saved.');
      expect(await field.getAttribute('aria-invalid')).toBeNull();
    });

    test('checks the receiver against the whole protocol', async () => {
      const { page, press, receiver, see, status } = scene();
      receiver.setReply((request) => (Array.isArray(request.json) ? { json: [] } : { json: { status: 'ok' } }));
      await page.getByLabel('Webhook URL').fill(receiver.url);
      await press('Check my receiver');
      await status(/\d+ of \d+ checks failed/);
      await page.getByRole('list', { name: 'What to work on' }).getByText('Failed').first().waitFor();
      await page.getByText(/^Passed: \d+$/).click();
      await see('It passes the connection test');
    });
  });

  test('endpoints are tried, added, edited, tested, switched, and deleted after a confirmation', async () => {
    const { api, go, page, press, receiver, see, status } = scene();
    const hook = `${receiver.url}/clicks?a="><b>`;
    await go('/new-endpoint');
    await page.getByRole('checkbox', { name: /^click/ }).check();
    await page.getByLabel('Webhook URL').fill('nowhere');
    await press('Create this endpoint');
    await see('Webhook URL must be an absolute URL');
    await page.getByLabel('Webhook URL').fill(hook.replaceAll('"', '%22'));
    await press('Try it first');
    await status('Success. Your server took the sample click event.');
    await press('Create this endpoint');
    await status('Created. Gets clicks of transactional messages, one per request.');
    expect(await api('GET', '/v3/webhook/subscriptions')).toMatchObject([{ type: 'click', active: true }]);

    await page.getByRole('link', { name: 'Testing' }).click();
    await press('Send test event');
    await status('Success. Your server took the sample click event.');
    expect(await page.getByRole('figure', { name: 'Request' }).innerText()).toContain('"name": "click"');
    await page.getByRole('link', { name: 'Settings (Endpoint)' }).click();
    await page.getByLabel('Webhook URL').fill('broken');
    await press('Save changes');
    await see('must be an absolute URL');
    await page.getByLabel('Webhook URL').fill(`${receiver.url}/moved`);
    await page.getByRole('checkbox', { name: /^open/ }).check();
    await page.getByRole('checkbox', { name: /^click/ }).uncheck();
    await press('Save changes');
    await status('Saved.');
    await page.reload();
    await page.getByRole('heading', { name: 'Endpoint for open' }).waitFor();
    await see(`${receiver.url}/moved`);
    await page.locator('#stops').getByRole('button', { name: 'Switch off' }).click();
    await page.locator('#confirm-off').click();
    await status('Switched off.');
    expect(await api('GET', '/v3/webhook/subscriptions')).toMatchObject([{ type: 'open', active: false }]);
    await page.getByRole('button', { name: 'Switch on', exact: true }).click();
    await status('Switched on.');
    await page.locator('#stops').getByRole('button', { name: 'Delete' }).click();
    await see('Its settings and signing secrets will be deleted too.');
    await press('Delete endpoint');
    await status('Deleted.');
    // The list follows, with its own address.
    await page.waitForURL(/\/endpoints$/);
    await page.getByRole('link', { name: 'Campaign webhook' }).waitFor();
    expect(await page.getByRole('link', { name: /^Subscription/ }).count()).toBe(0);
    expect(await api('GET', '/v3/webhook/subscriptions')).toEqual([]);
  });

  test('a signing secret is shown once, copied, and deleted', async () => {
    const { api, go, page, press, receiver, see, status } = scene();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await go('/endpoints/campaign?tab=settings');
    await page.getByLabel('Webhook URL').fill(receiver.url);
    await press('Save');
    await status('Saved.');
    await page.reload();
    await press('Create secret');
    const secret = page.locator('#new-own-secret');
    await secret.waitFor();
    await page.locator('#own-secret-outcome').getByRole('button', { name: 'Copy' }).click();
    await see('Copied');
    const text = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(text).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/);
    // A text that is shown only once stays during other actions, until the customer has read it.
    await press('Save');
    await status('Saved.');
    expect(await secret.textContent()).toBe(text);
    await press('Test connection');
    await status('Success.');
    expect(receiver.requests.at(-1)?.headers['webhook-signature']).toMatch(/^v1,/);
    await page.reload();
    expect(await page.content()).not.toContain(text);
    await page.locator('[id^="delete-secret-"] summary').click();
    await press('Delete secret');
    await see('No own secret');
    expect(await api('GET', '/v3/webhook/destinations/campaign/secrets')).toEqual([]);

    await go('/secrets');
    await press('Create secret');
    await page.locator('#new-secret').waitFor();
    await page.locator('[id^="delete-secret-"] summary').click();
    await press('Delete secret');
    await see('Requests are not signed');
    expect(await api('GET', '/v3/webhook/secrets')).toEqual([]);
  });

  test('text typed in one form survives the reply to another form and updates of the page', async () => {
    const { api, go, page, press, receiver, see } = scene();
    await api('PUT', '/v3/webhook/campaign', { address: receiver.url, active: true });
    await go('/endpoints/campaign?tab=settings');
    const headers = page.getByLabel('Other headers');
    await headers.fill('host: refused');
    await press('Save changes');
    await see('Other headers (host) is set by Mailhook');
    await page.getByLabel('Webhook URL').fill(`${receiver.url}/other`);
    await press('Save changes');
    await page.locator('#endpoint-address').getByText(`${receiver.url}/other`).waitFor();
    // Not edited since, so the field still holds the refused text.
    expect(await headers.inputValue()).toBe('host: refused');
    await headers.fill('x-half: typed');
    await page.waitForResponse((response) => response.url().includes('/news'));
    expect(await headers.inputValue()).toBe('x-half: typed');
  });

  test('works by keyboard alone, and every list is near', async () => {
    const { api, focused, go, page, receiver, see, services, customer, status } = scene();
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to the settings');
    await page.getByLabel('Webhook URL').focus();
    await page.keyboard.type(receiver.url);
    for (const _ of ['save', 'example', 'add', 'code', 'test']) await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await status('Success.');
    expect(await focused()).toBe('campaign-test');

    await api('PUT', '/v3/webhook/campaign', { address: receiver.url, active: true });
    await services.send([aCampaignEvent({ account: customer.account })]);
    await page.locator('#figures').waitFor();
    for (const [path, list] of [
      ['', '#endpoints'],
      ['/endpoints', '#endpoints'],
      ['/endpoints/campaign?tab=deliveries', '#log'],
      ['/deliveries', '#log'],
    ] as const) {
      await go(path);
      await page.locator(list).getByRole('link').first().waitFor();
      const stops = await page.evaluate<number>(stopsBefore(list));
      expect([path, stops > 5 && stops < 40]).toEqual([path, true]);
    }
    await page.locator('#log').getByRole('link').first().focus();
    await page.keyboard.press('Enter');
    await page.locator('#attempt').waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#attempt').waitFor({ state: 'detached' });
    await page.keyboard.press('/');
    expect(await focused()).toBe('search');
    await page.keyboard.type('nobody');
    await page.keyboard.press('Enter');
    await see('Event not found');
  });

  test('the first run turns into the overview by itself, and old anchors lead to their pages', async () => {
    const { customer, go, page, press, receiver, see, services, status } = scene();
    await page.getByLabel('Webhook URL').fill(receiver.url);
    await press('Save');
    await status('Saved.');
    await press('Send sample batch');
    await status('Success.');
    await page.locator('#first-address.is-done').waitFor();
    await page.locator('#step-test.is-done').waitFor();
    await see('Waiting for the first event.');
    await services.send([aCampaignEvent({ account: customer.account })]);
    await page.locator('#figures').getByText('100 %').waitFor();
    await see('Nothing needs your attention.');
    for (const [anchor, target] of [
      ['#campaign', '/endpoints/campaign'],
      ['#dead-letters', '/dead-letters'],
      ['#secrets', '/secrets'],
    ] as const) {
      await page.goto('about:blank');
      await go(anchor);
      await page.waitForURL(services.pageUrl + target);
    }
  });

  test('works without a script', async () => {
    const { browser, customer, receiver, services } = scene();
    const plain = await openPage(browser, services, { javaScriptEnabled: false });
    const says = (text: string) => plain.page.getByRole('status').filter({ hasText: text }).waitFor();
    await signIn(plain.page, customer);
    await plain.page.getByLabel('Webhook URL').fill(receiver.url);
    await plain.page.getByRole('button', { name: 'Test connection' }).click();
    await says('Success.');
    await plain.page.getByRole('button', { name: 'Save this address' }).click();
    await says('Saved.');
    await plain.page.getByRole('link', { name: 'Campaign webhook' }).click();
    await plain.page.getByRole('link', { name: 'Settings (Endpoint)' }).click();
    await plain.page.locator('#ask-pause-campaign').click();
    await plain.page.getByRole('button', { name: 'Pause deliveries' }).click();
    await says('Paused.');
    expect(plain.page.url()).toBe(`${services.pageUrl}/endpoints/campaign?tab=settings`);
    await plain.page.getByRole('link', { name: 'Deliveries' }).first().click();
    await plain.page.getByLabel('Outcome').selectOption('failed');
    await plain.page.getByRole('button', { name: 'Show' }).click();
    await plain.page.getByText('Nothing matches').waitFor();
    await plain.close();
  });
});
