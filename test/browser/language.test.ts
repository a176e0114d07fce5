import { aCampaignEvent, aClick, eventually } from '@mailhook/testing';
import type { Page } from 'playwright-core';
import { accessibilityFaults, faultsOfTexts, openPage } from './rig/page.ts';
import { useScene } from './rig/suite.ts';

const languageOf = (page: Page) => page.locator('html').getAttribute('lang');

describe('languages of the pages', () => {
  const scene = useScene();

  test('are chosen without a script, on the sign-in page and on every other', async () => {
    const { browser, services, customer } = scene();
    const window = { javaScriptEnabled: false, locale: 'de-DE' };
    const { page, close } = await openPage(browser, services, window);
    expect(await languageOf(page)).toBe('de');
    await page.getByLabel('Sprache').selectOption('Polski');
    await page.getByRole('button', { name: 'Ändern' }).click();
    await page.getByLabel('Token dostępu').fill(customer.token);
    expect(await languageOf(page)).toBe('pl');
    await page.getByRole('button', { name: 'Zaloguj' }).click();
    await page.locator('[data-signed-in]').waitFor();
    await page.goto(`${services.pageUrl}/endpoints/campaign?tab=settings`);
    expect(await languageOf(page)).toBe('pl');
    await page.getByLabel('Język').selectOption('Deutsch');
    await page.getByRole('button', { name: 'Zmień' }).click();
    await page.getByRole('link', { name: 'Signaturschlüssel' }).waitFor();
    expect([await languageOf(page), new URL(page.url()).search]).toEqual(['de', '?tab=settings']);
    await close();
  });

  test('are chosen with a script by the selection alone', async () => {
    const { go, page } = scene();
    await go('/secrets');
    expect(await page.getByRole('button', { name: 'Change' }).isVisible()).toBe(false);
    await page.getByLabel('Language').selectOption('Polski');
    await page.getByRole('heading', { name: 'Klucze podpisu' }).waitFor();
    await page.getByRole('button', { name: 'Utwórz klucz' }).click();
    await page.locator('#new-secret').waitFor();
    expect(await languageOf(page)).toBe('pl');
    expect(await page.locator('#secret-list time').first().textContent()).toMatch(/ temu$/);
  });

  test.each(['pl', 'de'])(
    'leave axe nothing to find, and nothing is too wide for a phone: %s',
    async (language) => {
      const { go, page, press, services } = scene();
      await page.getByLabel('Language').selectOption(language);
      await page.locator(`html[lang=${language}]`).waitFor();
      for (const path of [
        '',
        '/endpoints',
        '/endpoints/campaign',
        '/secrets',
        '/developers',
        '/deliveries',
        '/events',
      ]) {
        await go(path);
        expect([path, await faultsOfTexts(page)]).toEqual([path, []]);
      }
      await go('/secrets');
      await press(language === 'pl' ? 'Utwórz klucz' : 'Schlüssel erstellen');
      await page.locator('#new-secret').waitFor();
      expect(await faultsOfTexts(page)).toEqual([]);
      await page.context().clearCookies({ name: /session/ });
      await page.goto(services.pageUrl);
      expect(await accessibilityFaults(page)).toEqual([]);
    },
    120_000,
  );
});

describe('endpoints in other languages', () => {
  const scene = useScene();

  test.each([
    ['pl', 'Działa', 'Wyłączyć ten endpoint?', 'Adres URL webhooka musi być pełnym adresem URL'],
    ['de', 'In Ordnung', 'Diesen Endpunkt abschalten?', 'Webhook-URL muss eine vollständige URL sein'],
  ])(
    'leave axe nothing to find, and nothing is too wide for a phone: %s',
    async (language, healthy, question, fault) => {
      const { api, customer, go, page, receiver, services } = scene();
      await page.getByLabel('Language').selectOption(language);
      await page.locator(`html[lang=${language}]`).waitFor();
      const expectNoFaults = async (what: string) => {
        expect([what, await faultsOfTexts(page)]).toEqual([what, []]);
      };
      await api('PUT', '/v3/webhook/campaign', { address: receiver.url, active: true });
      await services.send([aCampaignEvent({ account: customer.account })]);
      await go('/endpoints/campaign');
      await page.locator('#state-campaign').getByText(healthy, { exact: true }).waitFor({ timeout: 15_000 });
      await page.locator('#history-campaign .chart').first().waitFor({ timeout: 15_000 });
      await expectNoFaults('charts');
      await go('');
      await expectNoFaults('overview');
      await go('/endpoints/campaign?tab=testing');
      await page.locator('#campaign-test').click();
      await page.locator('[data-outcome] .good').waitFor();
      await expectNoFaults('test');
      await go('/endpoints/campaign?tab=settings');
      await page.locator('#campaign-address').fill('x');
      await page.locator('#unsaved-save').click();
      await page.locator('#campaign-address-error').getByText(fault).waitFor();
      await expectNoFaults('fault');
      await go('/endpoints/campaign?tab=settings');
      await page.locator('#ask-off-campaign').click();
      await page.locator('dialog').getByText(question).waitFor();
      await expectNoFaults('question');
    },
    120_000,
  );
});

describe('deliveries, dead letters and events in other languages', () => {
  const scene = useScene({ RETRY_SCHEDULE: '50ms', RETRY_JITTER: '0' });

  test.each([
    ['pl', 'Próba 2', 'Niedostarczone', 'Dostarczyć te zdarzenia ponownie?', /^Ponowne dostarczanie od/],
    ['de', 'Versuch 2', 'Unzustellbar', 'Diese Ereignisse erneut zustellen?', /^Erneut zugestellt seit/],
  ])(
    'leave axe nothing to find, and nothing is too wide for a phone: %s',
    async (language, attempt, letters, question, since) => {
      const { api, customer, go, page, receiver, services, see } = scene();
      const { account } = customer;
      await api('PUT', '/v3/webhook/campaign', { address: `${receiver.url}/campaign`, active: true });
      await scene().subscribe('click', `${receiver.url}/clicks`);
      receiver.setReply(() => ({ status: 500, body: '<b>Fatal error</b>' }));
      const email = 'anna@example.com';
      await services.send([aClick({ account }), aCampaignEvent({ account, hash: 'hash-of-mine', email })]);
      const dead = async () => ((await api('GET', '/v3/webhook/dead-letters')) as { total: number }).total === 2;
      await eventually(dead, { what: 'two dead letters', withinMs: 15_000 });
      await page.getByLabel('Language').selectOption(language);
      await page.locator(`html[lang=${language}]`).waitFor();
      const expectNoFaults = async (what: string) => {
        expect([what, await faultsOfTexts(page)]).toEqual([what, []]);
      };

      await go('/deliveries');
      await page.locator('#log-rows a.whole').first().click();
      await page.locator('#attempt-title').getByText(attempt).waitFor();
      await page.locator('#period summary').click();
      await expectNoFaults('attempt');
      await go('/events?event=hash-of-mine');
      await page.locator('#found .story').waitFor();
      await expectNoFaults('event');
      await go('/dead-letters');
      await page.getByRole('heading', { name: letters, exact: true }).waitFor();
      await page.locator('#one-by-one > summary').click();
      await page.locator('#dead-letter-list [data-open]').first().click();
      await page.locator('#dead-letter').waitFor();
      await expectNoFaults('dead letters');
      await page.locator('#groups input').first().check();
      await page.locator('#redrive-groups').click();
      await page.locator('dialog').getByText(question).waitFor();
      await expectNoFaults('question');
      await page.locator('#confirm-redrive').click();
      await see(since);
      await expectNoFaults('progress');
    },
    120_000,
  );
});
