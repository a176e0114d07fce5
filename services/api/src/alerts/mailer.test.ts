import { UnrecoverableError } from 'bullmq';
import { startSmtpServer } from '@mailhook/testing';
import type { FakeSmtpServer } from '@mailhook/testing';
import { createMailer } from './mailer.ts';

const MAIL = { subject: 'Your webhook fails', text: 'Text', html: '<p>Text</p>' };
const FROM = 'Hooks <alerts@mailhook.example>';
const TO = { to: 'ops@customer.example', id: 'job-1' };

describe('a mailer', () => {
  let server: FakeSmtpServer;
  beforeAll(async () => (server = await startSmtpServer()));
  beforeEach(() => server.setReply(() => undefined));
  afterAll(() => server.close());

  const send = async (url = server.url): Promise<unknown> => {
    const mailer = createMailer({ url, from: FROM });
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
