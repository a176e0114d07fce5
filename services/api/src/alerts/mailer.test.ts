import { UnrecoverableError } from 'bullmq';
import { startSmtpServer } from '@mailhook/testing';
import type { FakeSmtpServer } from '@mailhook/testing';
import { loadConfig } from '../config.ts';
import { createMailer } from './mailer.ts';

const MAIL = { subject: 'Your webhook fails', text: 'Text', chat: '', html: '<p>Text</p>' };
const FROM = 'Hooks <alerts@mailhook.example>';
const ENVIRONMENT = {
  ADMIN_TOKEN: 'admin-token-of-the-tests',
  PRODUCER_TOKEN: 'producer-token-of-the-tests',
};
const TO = { to: 'ops@customer.example', id: 'job-1' };

describe('a mailer', () => {
  let server: FakeSmtpServer;
  beforeAll(async () => (server = await startSmtpServer()));
  beforeEach(() => server.setReply(() => undefined));
  afterAll(() => server.close());

  const send = async (url = server.url, from = FROM): Promise<unknown> => {
    const mailer = createMailer({ url, from });
    try {
      return await mailer.send(MAIL, TO).catch((error: unknown) => error);
    } finally {
      mailer.close();
    }
  };

  test('sends a mail with a fixed id, which a copy has too', async () => {
    expect(await send()).toBeUndefined();
    expect(server.mails).toMatchObject([
      { subject: MAIL.subject, messageId: '<job-1@mailhook.example>', recipient: TO.to },
    ]);
    expect(server.mails[0]?.raw).not.toContain('List-Unsubscribe');
  });

  test.each([
    [
      'Alerts <alerts@müller.example>',
      'xn--mller-kva.example',
      { name: 'Alerts', address: 'alerts@xn--mller-kva.example' },
    ],
    ['"Zespół Ażur, Łódź" <a@example.com>', 'example.com', { name: 'Zespół Ażur, Łódź', address: 'a@example.com' }],
    ['Zespół Ażur, Łódź <a@example.com>', 'example.com', { name: 'Zespół Ażur, Łódź', address: 'a@example.com' }],
    ['"The \\"Hooks\\"" <a@example.com>', 'example.com', { name: 'The "Hooks"', address: 'a@example.com' }],
    ['<a@b.example>', 'b.example', { name: '', address: 'a@b.example' }],
    ['a@b.example', 'b.example', { name: '', address: 'a@b.example' }],
  ])('is the sender %s, with an id in ASCII', async (from, domain, shown) => {
    expect(loadConfig({ ...ENVIRONMENT, SMTP_FROM: from }).SMTP_FROM).toBe(from);
    expect(await send(server.url, from)).toBeUndefined();
    expect(server.mails.at(-1)).toMatchObject({ from: shown, messageId: `<job-1@${domain}>` });
    expect(server.mails.at(-1)?.raw).toMatch(/^[\n\r\t -~]*$/);
  });

  test.each([
    'Hooks',
    '"Hooks <a@example.com>',
    '"a@example.com',
    'a@b@c.example',
    '<a@b.example',
    'a"b <a@b.example>',
    'A\n<a@b.example>',
  ])('has no sender %j', (from) => {
    expect(() => loadConfig({ ...ENVIRONMENT, SMTP_FROM: from })).toThrow('SMTP_FROM');
  });

  test('says what to do about a certificate of an own CA', async () => {
    const secure = await startSmtpServer(0, { isTls: true });
    const error = await send(secure.url);
    expect(String(error)).toMatch(/certificate.*NODE_EXTRA_CA_CERTS.*ignoreTLS=true/);
    expect(error instanceof UnrecoverableError).toBe(false);
    for (const option of ['ignoreTLS=true', 'tls.rejectUnauthorized=false'])
      expect(await send(`${secure.url}/?${option}`)).toBeUndefined();
    await secure.close();
  });

  test.each([
    [550, true],
    [451, false],
  ])('takes a %d for permanent: %s, and names no address', async (code, isPermanent) => {
    server.setReply((recipient) => ({ code, text: `<${recipient}> is refused` }));
    const error = await send();
    expect(error).toBeInstanceOf(Error);
    expect(error instanceof UnrecoverableError).toBe(isPermanent);
    expect(String(error)).toContain(String(code));
    expect(String(error)).not.toContain('ops@');
  });

  test('tries again later if nothing listens, and sends no password without TLS', async () => {
    for (const url of ['smtp://127.0.0.1:9', server.url.replace('//', '//user:word@')]) {
      const error = await send(url);
      expect(error instanceof UnrecoverableError).toBe(false);
      expect(String(error)).toMatch(/ECONNREFUSED|STARTTLS/);
    }
  });
});
