import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { aCampaignEvent, eventually } from '@mailhook/testing';
import { accessibilityFaults, openSignedIn } from './rig/page.ts';
import { useScene, withChromium } from './rig/suite.ts';

const PHP_NOTICE =
  '<br />\n<b>Fatal error</b>: Uncaught PDOException in /srv/hook.php:7 <script>alert(1)</script>\x1b[31m';

withChromium('an attempt on the settings page', () => {
  const scene = useScene({ RETRY_SCHEDULE: '1h', RETRY_JITTER: '0' });

  test('opens to its request, its reply and its events, on a desktop, a phone, and without JavaScript', async () => {
    const { api, browser, customer, go, page, receiver, see, services } = scene();
    const { account } = customer;
    await api('PUT', '/v3/webhook/campaign', { address: `${receiver.url}/hook?token=1`, active: true });
    await api('POST', '/v3/webhook/secrets', {});
    receiver.setReply(() => ({
      status: 500,
      headers: { 'content-type': 'text/html', location: `https://example.com/${'x'.repeat(300)}` },
      body: PHP_NOTICE,
    }));
    await services.send([aCampaignEvent({ account, email: 'anna@example.com', hash: 'hash-of-failed' })]);
    await go('/deliveries');
    const link = page.locator('#log-rows').getByRole('link', { name: /^Request and reply of the attempt at / });
    await eventually(async () => (await link.count()) === 1, { what: 'the attempt in the list' });
    await link.focus();
    await page.keyboard.press('Enter');
    await see(/Signed with 1 secret, in webhook-signature\./);
    expect(page.url()).toContain('/deliveries?attempt=');
    expect(await page.locator('#log-rows .is-chosen').count()).toBe(1);
    const card = page.locator('#attempt');
    const text = await card.innerText();
    const [sent] = receiver.requests;
    const webhookId = String(sent?.headers['webhook-id']);
    for (const shown of [
      `POST ${receiver.url}/hook?token=1`,
      `webhook-id: ${webhookId}`,
      'webhook-attempt: 1',
      `webhook-signature: ${String(sent?.headers['webhook-signature'])}`,
      'HTTP 500',
      'content-type: text/html',
      '<b>Fatal error</b>',
      '<script>alert(1)</script>\\x1b[31m',
      'whole body',
      '1 event is waiting for the next attempt',
      '"hash": "hash-of-failed"',
      'anna@example.com',
    ]) {
      expect(text).toContain(shown);
    }
    const command = await page.locator('#sent-curl').textContent();
    const shell = spawn('sh', ['-c', `${command} --silent`]);
    const [code] = (await once(shell, 'close')) as [number];
    expect(code).toBe(0);
    const again = receiver.requests.at(-1);
    expect(receiver.requests).toHaveLength(2);
    expect(again).toMatchObject({ method: 'POST', path: '/hook?token=1', text: sent?.text });
    const ours = [
      'content-type',
      'user-agent',
      'webhook-id',
      'webhook-timestamp',
      'webhook-attempt',
      'webhook-signature',
    ];
    for (const name of ours) expect([name, again?.headers[name]]).toEqual([name, sent?.headers[name]]);
    await page.evaluate('navigator.clipboard.writeText = async (text) => { globalThis.copied = text; }');
    await page.getByRole('button', { name: 'Copy as curl' }).click();
    expect(await page.evaluate('globalThis.copied')).toBe(command);
    await page.getByRole('button', { name: 'Copy the body' }).click();
    expect(JSON.parse(await page.evaluate<string>('globalThis.copied'))).toEqual(sent?.json);
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 360, height: 780 });
    expect(await accessibilityFaults(page)).toEqual([]);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);

    const plain = await openSignedIn(browser, services, customer, { javaScriptEnabled: false });
    await plain.page.goto(`${services.pageUrl}/deliveries`);
    await plain.page.getByRole('link', { name: /^Request and reply/ }).click();
    expect(await plain.page.locator('#attempt').innerText()).toContain('Fatal error');
    await plain.page.locator('#attempt').getByRole('link', { name: 'Close' }).click();
    await eventually(async () => (await plain.page.locator('#attempt').count()) === 0, { what: 'the closed attempt' });
    await plain.close();
  });

  test('a delivered one shows its request, a test also its reply, and an unknown one is gone', async () => {
    const { api, customer, go, page, receiver, see, services } = scene();
    await api('PUT', '/v3/webhook/campaign', { address: receiver.url, active: true });
    await services.send([aCampaignEvent({ account: customer.account, hash: 'hash-of-delivered' })]);
    await go('/endpoints/campaign');
    await page.getByRole('link', { name: /^Request and reply/ }).click();
    await see('All events were confirmed.');
    expect(await page.locator('#attempt').innerText()).toMatch(/webhook-attempt: 1.*hash-of-delivered/s);

    expect(await api('POST', '/v3/webhook/campaign/test', {})).toEqual({ success: true });
    const tested = async () =>
      ((await api('GET', '/v3/webhook/deliveries')) as { items: { id: string; kind: string }[] }).items.find(
        ({ kind }) => kind === 'test',
      );
    const { id } = await eventually(tested, { what: 'the test in the list' });
    await page.goto(`${services.pageUrl}?attempt=${id}#attempt`);
    await see('This is the whole body.');
    expect(await page.locator('#attempt').innerText()).toMatch(
      /webhook-id: test-.*HTTP 200\n.*{\s+"status": "ok"\s+}/s,
    );
    await page.goto(`${services.pageUrl}?attempt=unknown#attempt`);
    await see(/There is no such attempt/);
  });
});
