import { eventually, startSmtpServer } from '@mailhook/testing';
import type { FakeSmtpServer } from '@mailhook/testing';
import { faultsInEveryLook, openPage } from './rig/page.ts';
import { useScene } from './rig/suite.ts';

/** Of the mail server, which starts after the services: they do not need it to start. */
const SMTP_PORT = 20_000 + (process.pid % 10_000);

describe('e-mail alerts', () => {
  const scene = useScene({
    SMTP_URL: `smtp://127.0.0.1:${SMTP_PORT}`,
    SMTP_FROM: 'alerts@mailhook.example',
    PUBLIC_URL: 'http://127.0.0.1:3000',
  });
  let smtp: FakeSmtpServer;
  beforeAll(async () => {
    smtp = await startSmtpServer(SMTP_PORT);
  });
  afterAll(() => smtp.close());

  test.each([true, false])(
    'are added, confirmed by their owner, and removed; with a script: %s',
    async (hasScript) => {
      const { browser, customer, services } = scene();
      const { page, close } = await openPage(browser, services, { javaScriptEnabled: hasScript });
      await page.getByLabel('Access token').fill(customer.token);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.goto(`${services.pageUrl}/alerts`);
      const section = page.locator('main');
      await section.getByText('Nobody gets alerts').waitFor();
      await section.getByLabel('E-mail address').fill('not an address');
      await section.getByRole('button', { name: 'Add a recipient' }).click();
      await section
        .getByText(
          'E-mail address or webhook must be an e-mail address such as ops@example.com, or the URL of a webhook',
        )
        .waitFor();
      if (hasScript) expect(await faultsInEveryLook(page)).toEqual([]);
      const email = `ops-${String(hasScript)}@customer.example`;
      await section.getByLabel('E-mail address').fill(email);
      await section.locator('#alert-language').selectOption('pl');
      await section.getByRole('button', { name: 'Add a recipient' }).click();
      await page.getByRole('status').filter({ hasText: 'Added. The address gets an e-mail now' }).waitFor();
      await section.getByText('Waiting for confirmation').waitFor();
      expect(await section.getByLabel('E-mail address').inputValue()).toBe('');
      if (hasScript) expect(await faultsInEveryLook(page)).toEqual([]);

      const mail = await eventually(() => smtp.mails.find(({ recipient }) => recipient === email), {
        what: 'the mail',
      });
      expect(mail.subject).toBe('Potwierdzenie alertów e-mail: Mailhook');
      const link = new URL(/http:\S+\/settings\/alerts\S+/.exec(mail.text ?? '')?.[0] ?? '');
      const owner = await openPage(browser, services, { javaScriptEnabled: hasScript });
      await owner.page.goto(`${services.baseUrl}${link.pathname}${link.search}`);
      if (hasScript) expect(await faultsInEveryLook(owner.page)).toEqual([]);
      await owner.page.getByRole('button', { name: 'Tak, wysyłaj alerty' }).click();
      await owner.page.getByText(`${email} od teraz dostaje alerty.`).waitFor();
      await page.goto(`${services.pageUrl}/alerts`);
      await section.getByText('Gets alerts', { exact: true }).waitFor();
      await section.getByRole('button', { name: `Remove ${email}` }).click();
      await section.getByText('Nobody gets alerts').waitFor();
      await owner.page.goto(`${services.baseUrl}${link.pathname}${link.search}`);
      await owner.page.getByText('This address gets no alerts.').waitFor();
      expect([...owner.complaints]).toEqual([]);
      await owner.close();
      await close();
    },
    90_000,
  );
});

describe('alerts without a mail server', () => {
  const scene = useScene();

  test('go to a webhook, which is tested, and gets only what is chosen', async () => {
    const { api, go, page, receiver, see } = scene();
    const body = { address: receiver.url, module: 'transactional_email', types: ['click'], name: 'CRM' };
    await api('POST', '/v3/webhook/destinations', body);
    await go('/alerts');
    const section = page.locator('main');
    await see('Your provider has not set up e-mail for alerts');
    await section.getByLabel('Webhook of a chat').fill('ops@customer.example');
    await section.getByRole('button', { name: 'Add a recipient' }).click();
    await see('must be an absolute URL');
    expect(await faultsInEveryLook(page)).toEqual([]);
    await section.getByLabel('Webhook of a chat').fill(`${receiver.url}/services/T0/secret`);
    await section.getByRole('button', { name: 'Add a recipient' }).click();
    await see('Added. The webhook gets alerts from now on.');
    expect(await page.content()).not.toContain('/services/T0');
    receiver.setReply(() => ({ status: 200 }));
    await section.getByRole('button', { name: 'Send a test' }).click();
    await see('The test has arrived');
    expect(receiver.requests.at(-1)?.json).toEqual({ text: expect.stringContaining('*Test of the alerts') as string });
    receiver.setReply(() => ({ status: 404 }));
    await section.getByRole('button', { name: 'Send a test' }).click();
    await see('The webhook did not take the test.');
    await see('The receiver answered HTTP 404');
    await section.getByText('Gets: everything, of all endpoints').click();
    await section.getByLabel('works again').uncheck();
    await section.getByLabel('CRM').uncheck();
    await section.getByRole('button', { name: 'Save', exact: true }).click();
    await see('Saved. The next alerts follow this choice.');
    await see('Gets: when an endpoint fails and is switched off by Mailhook (endpoints: 0 of 1)');
    expect(await faultsInEveryLook(page)).toEqual([]);
    await section.getByRole('button', { name: /^Remove http/ }).click();
    await section.getByText('Nobody gets alerts').waitFor();
  }, 90_000);
});
