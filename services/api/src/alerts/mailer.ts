import { domainToASCII } from 'node:url';
import { UnrecoverableError } from 'bullmq';
import type { Mail } from '@mailhook/console';
import { maskText } from '@mailhook/platform/logger';
import { createTransport } from 'nodemailer';
import { senderIn } from './mail-sender-name.ts';

interface Envelope {
  readonly to: string;
  /** Before the `@` of the header `Message-ID`. The same in every copy of the mail. */
  readonly id: string;
  /** Where one click unsubscribes (RFC 8058). */
  readonly unsubscribeUrl?: string | undefined;
}

export interface Mailer {
  /**
   * Rejects with an UnrecoverableError if the server refuses the recipient or the mail permanently. Everything else,
   * such as a wrong password, may be over at the next attempt. Errors name no address.
   */
  send(mail: Mail, envelope: Envelope): Promise<void>;
  close(): void;
}

/** A server that does not answer must not hold up the jobs behind. */
const TIMEOUT_MS = 20_000;

/** @param options `SMTP_URL` and `SMTP_FROM`. */
export function createMailer({ url, from }: { readonly url: string; readonly from: string }): Mailer {
  const transport = createTransport({
    url,
    // A password is never sent in the clear.
    requireTLS: new URL(url).password !== '',
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    // The text of a mail never names a file or a URL to attach.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const sender = senderIn(from) ?? { name: '', address: from };
  const domain = domainToASCII(sender.address.split('@').at(-1) ?? '');
  return {
    async send({ subject, text, html }, { to, id, unsubscribeUrl }) {
      try {
        await transport.sendMail({
          from: sender,
          to: { name: '', address: to },
          subject,
          text,
          html,
          messageId: `<${id}@${domain}>`,
          headers: {
            'Auto-Submitted': 'auto-generated',
            ...(unsubscribeUrl === undefined
              ? {}
              : {
                  'List-Unsubscribe': { prepared: true, value: `<${unsubscribeUrl}>` },
                  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
                }),
          },
        });
      } catch (error) {
        throw isPermanent(error) ? new UnrecoverableError(textOf(error)) : new Error(textOf(error));
      }
    },
    close: () => transport.close(),
  };
}

/** What to do about a certificate that Node does not accept. */
const CERTIFICATE_ADVICE =
  'Name the file of its own CA in NODE_EXTRA_CA_CERTS. Without a check: ?tls.rejectUnauthorized=false after ' +
  'SMTP_URL; without TLS: ?ignoreTLS=true';

function textOf(error: unknown): string {
  const message = String(Reflect.get(Object(error), 'message'));
  const advice = /certificate|altnames/i.test(message) ? `. ${CERTIFICATE_ADVICE}` : '';
  return maskText(`the mail server: ${message}${advice}`);
}

/** Of a recipient or of the content of a mail. A refused login, sender or STARTTLS is a fault in the settings. */
const OF_THE_MAIL: readonly unknown[] = ['EENVELOPE', 'EMESSAGE'];

function isPermanent(error: unknown): boolean {
  const { permanent, code, command } = Object(error) as Readonly<Record<string, unknown>>;
  return permanent === true && OF_THE_MAIL.includes(code) && command !== 'MAIL FROM';
}
