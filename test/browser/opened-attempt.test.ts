import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DeadLetterSummary } from '@mailhook/core';
import { aCampaignEvent, aClick, eventually, goodReply, uniqueName, unlessMissing } from '@mailhook/testing';
import type { Page } from 'playwright-core';
import { accessibilityFaults, openSignedIn } from './rig/page.ts';
import { useScene } from './rig/suite.ts';

const PHP_NOTICE =
  '<br />\n<b>Fatal error</b>: Uncaught PDOException in /srv/hook.php:7 <script>alert(1)</script>\x1b[31m';

/** Opens a tab of the attempt. */
const openTab = (page: Page, name: string) => page.locator('#attempt .tabs > label', { hasText: name }).click();

describe('an attempt on the settings page', () => {
  const scene = useScene({ RETRY_SCHEDULE: '1h', RETRY_JITTER: '0' });

  unlessMissing(test, 'curl')(
    'opens to its request, its reply and its events, on a desktop, a phone, and without JavaScript',
    async () => {
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
      const link = page.locator('#log-rows').getByRole('link', { name: /^Request and reply of attempt \d+ at / });
      await eventually(async () => (await link.count()) === 1, { what: 'the attempt in the list' });
      await link.focus();
      await page.keyboard.press('Enter');
      // A failed attempt shows its reply first.
      await see('This is the whole body.');
      await openTab(page, 'Request');
      await see(/Signed with 1 secret, in webhook-signature\./);
      expect(await page.getByText('This is the whole body.').isVisible()).toBe(false);
      expect(page.url()).toContain('/deliveries?attempt=');
      expect(await page.locator('#log-rows .is-chosen').count()).toBe(1);
      const card = page.locator('#attempt');
      const text = await card.textContent();
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
      const ownNames = [
        'content-type',
        'user-agent',
        'webhook-id',
        'webhook-timestamp',
        'webhook-attempt',
        'webhook-signature',
      ];
      for (const name of ownNames) expect([name, again?.headers[name]]).toEqual([name, sent?.headers[name]]);
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
      await eventually(async () => (await plain.page.locator('#attempt').count()) === 0, {
        what: 'the closed attempt',
      });
      await plain.close();
    },
  );

  test('a delivered one shows its request, a test also its reply, and an unknown one is gone', async () => {
    const { api, customer, go, page, receiver, see, services } = scene();
    await api('PUT', '/v3/webhook/campaign', { address: receiver.url, active: true });
    await services.send([aCampaignEvent({ account: customer.account, hash: 'hash-of-delivered' })]);
    await go('/endpoints/campaign');
    await page.getByRole('link', { name: /^Request and reply/ }).click();
    await openTab(page, 'Reply');
    await see('All events were confirmed.');
    const shown = await page.locator('#attempt').textContent();
    expect(shown).toMatch(/webhook-attempt: 1.*"hash": "hash-of-delivered",\s+"event": "open",\s+"…": "…"/s);
    expect(shown).toContain('Your provider can let Mailhook keep the bodies');

    expect(await api('POST', '/v3/webhook/campaign/test', {})).toEqual({ success: true });
    const tested = async () =>
      ((await api('GET', '/v3/webhook/deliveries')) as { items: { id: string; kind: string }[] }).items.find(
        ({ kind }) => kind === 'test',
      );
    const { id } = await eventually(tested, { what: 'the test in the list' });
    await page.goto(`${services.pageUrl}?attempt=${id}#attempt`);
    await openTab(page, 'Reply');
    await see('This is the whole body.');
    expect(await page.locator('#attempt').textContent()).toMatch(
      /webhook-id: test-.*HTTP 200\n.*{\s+"status": "ok"\s+}/s,
    );
    await page.goto(`${services.pageUrl}?attempt=unknown#attempt`);
    await see(/There is no such attempt/);
  });
});

describe('attempts with DELIVERED_BODY_RETENTION and a short schedule', () => {
  const scene = useScene({ DELIVERED_BODY_RETENTION: '24h', RETRY_SCHEDULE: '100ms', RETRY_JITTER: '0' });

  test('fold the requests of a split batch, and a failed one names the attempt that delivered', async () => {
    const { api, customer, go, page, receiver, see, services } = scene();
    const { account } = customer;
    await api('PUT', '/v3/webhook/campaign', { address: receiver.url, active: true });
    receiver.setReply(() => ({ status: 422 }));
    await services.send(Array.from({ length: 6 }, (_, i) => aCampaignEvent({ account, hash: `hash-number-${i}` })));
    await go('/deliveries');
    const rows = page.locator('#log-rows > [role=row]');
    const split = rows.filter({ hasText: 'Attempt 2, split in 6 requests.' });
    await split.waitFor();
    expect(await rows.count()).toBe(3);
    expect(await page.locator('#log-rows').innerText()).not.toContain('Next attempt');
    await split.getByRole('link', { name: /^Request and reply/ }).click();
    await openTab(page, 'All attempts');
    await page.locator('#attempt details[open] li').nth(5).waitFor();
    expect(await page.locator('#attempt details[open] li').count()).toBe(6);
    expect(await accessibilityFaults(page)).toEqual([]);

    let requests = 0;
    receiver.setReply((request) => ((requests += 1) === 1 ? { status: 500 } : goodReply(request)));
    await services.send([aCampaignEvent({ account, hash: 'hash-of-second-try' })]);
    await go('/deliveries');
    await page.locator('#log-rows').getByRole('link', { name: 'attempt 2', exact: true }).click();
    await openTab(page, 'All attempts (2)');
    expect(await page.locator('#attempt h2').innerText()).toBe('Attempt 2');
    await page.locator('#attempt').getByRole('link', { name: 'Attempt 1' }).click();
    await page
      .locator('#attempt')
      .getByText(/^Delivered by attempt 2,/)
      .waitFor();

    receiver.setReply(() => ({ redirect: '/new?a=1' }));
    await services.send([aCampaignEvent({ account, hash: 'hash-of-redirect' })]);
    await go('/deliveries');
    await rows
      .filter({ hasText: 'HTTP 302' })
      .first()
      .getByRole('link', { name: /^Request and reply/ })
      .click();
    await see(`It redirects to ${receiver.url}/new?a=1. Change the address`);
    await page.locator('#attempt').getByRole('link', { name: 'Change the address' }).click();
    await page.waitForURL(/endpoints\/campaign\?tab=settings$/);
  });

  test('show a delivered body as it was sent, and the whole of a long one behind a link', async () => {
    const { api, customer, go, page, receiver, services } = scene();
    const { account } = customer;
    await api('PUT', '/v3/webhook/campaign', { address: receiver.url, active: true });
    const many = Array.from({ length: 100 }, (_, i) => aCampaignEvent({ account, hash: `hash-number-${i}` }));
    await services.send(many);
    await go('/deliveries');
    await page
      .getByRole('link', { name: /^Request and reply/ })
      .first()
      .click();
    const [sent] = receiver.requests;
    const body = page.locator('#sent-body');
    expect(await body.innerText()).toContain(JSON.stringify(many[0]?.email));
    expect(await accessibilityFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'The whole body' }).click();
    expect(await page.locator('body').innerText()).toBe(sent?.text);
  });
});

describe('a row further down', () => {
  const folder = path.join(tmpdir(), uniqueName('mailhook-log'));
  const scene = useScene({ EVENT_LOG: folder, RETRY_SCHEDULE: '50ms', RETRY_JITTER: '0', BREAKER_FAILURES: '1000' });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('opens beside its list or over it with its title in view, and closes to itself', async () => {
    const { api, customer, go, page, receiver, services, subscribe } = scene();
    await subscribe('click');
    receiver.setReply(() => ({ status: 404 }));
    await services.send(Array.from({ length: 20 }, () => aClick({ account: customer.account })));
    const dead = async () => ((await api('GET', '/v3/webhook/dead-letters')) as DeadLetterSummary).total;
    await eventually(async () => (await dead()) === 20, { what: 'all dead letters', withinMs: 20_000 });
    const height = 600;
    for (const list of ['/deliveries', '/events', '/dead-letters']) {
      for (const width of [1440, 390]) {
        await page.setViewportSize({ width, height });
        await go(list);
        if (list === '/dead-letters') await page.locator('#one-by-one > summary').click();
        await page.locator('#split [data-open]').nth(10).waitFor();
        const topOf = async (css: string) => {
          await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
          return page.evaluate<number>(`document.querySelector('${css}').getBoundingClientRect().top`);
        };
        const id = await page.evaluate<string>(`(() => {
          const one = document.querySelectorAll('#split [data-open]')[10].closest('[role=row], tr, li');
          one.scrollIntoView({ block: 'center', behavior: 'instant' });
          return one.id;
        })()`);
        const row = `#${id}`;
        const before = await topOf(row);
        await page.locator(`${row} [data-open]`).first().click();
        await page.locator('#panel h2:focus').waitFor();
        const title = await topOf('#panel h2');
        expect([list, width, title, title >= 0 && title < height / 2]).toEqual([list, width, title, true]);
        const moved = width === 390 ? 0 : Math.round((await topOf(row)) - before);
        expect([list, width, moved]).toEqual([list, width, 0]);
        await page.keyboard.press('Escape');
        await page.locator('#panel h2').waitFor({ state: 'detached' });
        await page.locator(`${row} [data-open]:focus`).waitFor();
        const after = await topOf(row);
        expect([list, width, after, after >= 0 && after < height]).toEqual([list, width, after, true]);
      }
    }
  });
});
