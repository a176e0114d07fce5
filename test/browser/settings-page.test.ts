import { aCampaignEvent, eventually, goodReply } from '@mailhook/testing';
import { accessibilityFaults, openPage, signIn } from './rig/page.ts';
import { useScene, withChromium } from './rig/suite.ts';

withChromium('the settings page in a browser', () => {
  const scene = useScene({ RETRY_SCHEDULE: '200ms', RETRY_JITTER: '0' });

  test('signs in, stays signed in after a reload, and signs out', async () => {
    const { customer, page, press, see } = scene();
    await see('Acme <Newsletter>');
    await page.reload();
    await page.getByLabel('Webhook URL').waitFor();
    await press('Sign out');
    await page.getByLabel('Access token').fill('mhk_wrong');
    await press('Sign in');
    await page.getByRole('alert').filter({ hasText: 'This token is not known' }).waitFor();
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
      const { api, page, press, receiver, status } = scene();
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
      await page.locator('#off-campaign summary').click();
      await page.locator('#confirm-off-campaign').click();
      await status('Switched off.');
      expect(await api('GET', '/v3/webhook/campaign')).toMatchObject({ active: false });
      await page.reload();
      await page.getByRole('button', { name: 'Save and switch on' }).waitFor();
    });

    test.each([
      ['no application', { status: 404 }, 'Request error (curl) 404 - HTTP/1.1 404 Not Found', 'Compare its path'],
      ['another body', { body: 'hello' }, 'The server responded in an invalid format', '{"status": "ok"}'],
      ['a redirect', { redirect: '/x' }, 'Request error (curl) 302 - HTTP/1.1 302 Found', 'redirects to'],
      ['no reply', { reset: 'reply' }, 'The receiver could not be reached', 'log shows why'],
    ] as const)('shows the result of the connection test: %s', async (_what, reply, text, advice) => {
      const { page, press, receiver, status } = scene();
      receiver.setReply(() => reply);
      await page.getByLabel('Webhook URL').fill(receiver.url);
      await press('Test connection');
      await status(text);
      await status(advice);
      expect(await page.getByLabel('Webhook URL').inputValue()).toBe(receiver.url);
    });

    test('is tried with a signed sample batch, which shows the request and the reply', async () => {
      const { api, page, press, receiver, status } = scene();
      await api('POST', '/v3/webhook/secrets', {});
      await page.getByLabel('Webhook URL').fill(receiver.url);
      await press('Send sample batch');
      await status('Success. Your server confirmed an open, a click and an unsubscribe.');
      const [request, reply] = [
        page.getByRole('figure', { name: 'Request' }),
        page.getByRole('figure', { name: 'Reply' }),
      ];
      const [sent] = receiver.requests;
      expect(await request.innerText()).toContain(`webhook-signature: ${String(sent?.headers['webhook-signature'])}`);
      expect(await request.innerText()).toContain(sent?.text);
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

    test('shows that a 410 switched it off, and why', async () => {
      const { api, customer, page, press, receiver, see, services, status } = scene();
      receiver.setReply(() => ({ status: 410 }));
      await api('PUT', '/v3/webhook/campaign', { address: receiver.url, active: true });
      await services.send([aCampaignEvent({ account: customer.account })]);
      await see('Switched off by Mailhook');
      await page.reload();
      await see('Mailhook switched this webhook off:');
      receiver.setReply(goodReply);
      await press('Save and switch on');
      await status('Saved. Campaign events are delivered');
      expect(await page.getByText('Switched off by Mailhook').count()).toBe(0);
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

  test('subscriptions are tried, added, edited, tested, switched, and deleted after a confirmation', async () => {
    const { api, page, press, receiver, see } = scene();
    const hook = `${receiver.url}/clicks?a="><b>`;
    await page.getByLabel('Event', { exact: true }).first().selectOption('click');
    await page.getByLabel('Receiver address').last().fill('nowhere');
    await press('Add subscription');
    await see('Receiver address must be an absolute URL');
    await page.getByLabel('Receiver address').last().fill(hook.replaceAll('"', '%22'));
    await press('Try it first');
    await see('Success. Your server took the sample click notification.');
    await press('Add subscription');
    await see('Added. Every click');
    expect(await api('GET', '/v3/webhook/subscriptions')).toMatchObject([{ type: 'click', active: true }]);

    const item = page.locator('li.subscription');
    await item.getByRole('button', { name: 'Send test notification' }).click();
    await item.getByText('Success. Your server took the sample click notification.').waitFor();
    await item.getByLabel('Type of the test').selectOption('bounce');
    await item.getByRole('button', { name: 'Send test notification' }).click();
    await item.getByText('Success. Your server took the sample bounce notification.').waitFor();
    expect(await item.getByRole('figure', { name: 'Request' }).innerText()).toContain('"name":"bounce"');
    expect(await item.getByLabel('Type of the test').inputValue()).toBe('bounce');
    await item.getByText('Edit', { exact: false }).first().click();
    await item.getByLabel('Receiver address').fill('broken');
    await item.getByRole('button', { name: 'Update' }).click();
    await item.getByText('must be an absolute URL').waitFor();
    await item.getByLabel('Receiver address').fill(`${receiver.url}/moved`);
    await item.getByLabel('Event', { exact: true }).selectOption('open');
    await item.getByRole('button', { name: 'Update' }).click();
    await item.getByText('Saved.').waitFor();
    await item.getByRole('heading', { name: `open ${receiver.url}/moved` }).waitFor();
    await item.locator('summary', { hasText: 'Switch off' }).click();
    await item.getByRole('button', { name: 'Switch off' }).click();
    await item.getByText('Switched off.').waitFor();
    expect(await api('GET', '/v3/webhook/subscriptions')).toMatchObject([{ type: 'open', active: false }]);
    await item.getByRole('button', { name: 'Switch on' }).click();
    await item.getByText('Switched on.').waitFor();
    await item.locator('summary', { hasText: 'Delete' }).click();
    await item.getByText('This cannot be undone.').waitFor();
    await item.getByRole('button', { name: 'Delete subscription' }).click();
    await see('Deleted.');
    await see('No subscriptions yet');
    expect(await api('GET', '/v3/webhook/subscriptions')).toEqual([]);
  });

  test('a signing secret is shown once, copied, and deleted', async () => {
    const { api, page, press, receiver, see, status } = scene();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await press('Create secret');
    const secret = page.locator('#new-secret');
    await secret.waitFor();
    await page.locator('#secret-outcome').getByRole('button', { name: 'Copy' }).click();
    await see('Copied');
    const text = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(text).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/);
    // A text that is shown only once stays during other actions, until the customer has read it.
    await page.getByLabel('Webhook URL').fill(receiver.url);
    await press('Save');
    await status('Saved.');
    expect(await secret.textContent()).toBe(text);
    await press('Test connection');
    await status('Success.');
    expect(receiver.requests.at(-1)?.headers['webhook-signature']).toMatch(/^v1,/);
    await page.reload();
    expect(await page.content()).not.toContain(text);
    await page.locator('#secret-list summary').click();
    await press('Delete secret');
    await see('Requests are not signed');
    expect(await api('GET', '/v3/webhook/secrets')).toEqual([]);
  });

  test('text typed in one form survives the reply to another form and updates of the page', async () => {
    const { page, press, receiver, see, status } = scene();
    const address = page.getByLabel('Receiver address').last();
    await address.fill('refused');
    await press('Add subscription');
    await see('Receiver address must be an absolute URL');
    await page.getByLabel('Webhook URL').fill(receiver.url);
    await press('Save');
    await status('Saved.');
    // Neither edited nor saved since, so the field still holds the refused text.
    expect(await address.inputValue()).toBe('refused');
    await address.fill('http://127.0.0.1:9/half-typed');
    await press('Save');
    await page.waitForResponse((response) => response.url().includes('/news'));
    expect(await address.inputValue()).toBe('http://127.0.0.1:9/half-typed');
  });

  test('works by keyboard alone', async () => {
    const { focused, page, receiver, status } = scene();
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('Skip to the settings');
    await page.getByLabel('Webhook URL').focus();
    await page.keyboard.type(receiver.url);
    for (const _ of ['save', 'test']) await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    await status('Success.');
    expect(await focused()).toBe('campaign-test');
  });

  test('works without a script', async () => {
    const { browser, customer, receiver, services } = scene();
    const plain = await openPage(browser, services, { javaScriptEnabled: false });
    await signIn(plain.page, customer);
    await plain.page.getByLabel('Webhook URL').fill(receiver.url);
    await plain.page.getByRole('button', { name: 'Test connection' }).click();
    await plain.page.getByRole('status').filter({ hasText: 'Success.' }).waitFor();
    await plain.page.getByRole('button', { name: 'Save' }).click();
    await plain.page.getByRole('status').filter({ hasText: 'Saved.' }).waitFor();
    await plain.page.getByLabel('Outcome').selectOption('failed');
    await plain.page.getByRole('button', { name: 'Show' }).click();
    await plain.page.getByText('Nothing matches').waitFor();
    await plain.close();
  });
});
