import type { AddressInfo } from 'node:net';
import PostalMime from 'postal-mime';
import type { Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

/** A mail that the server took, with the recipient of its envelope and its raw text. */
export interface ReceivedMail extends Email {
  readonly recipient: string;
  readonly raw: string;
}

/** A real SMTP server that keeps what it takes. */
export interface FakeSmtpServer {
  /** Its address, as a value of `SMTP_URL`. */
  readonly url: string;
  readonly mails: readonly ReceivedMail[];
  /** Decides about a recipient: a reply such as `{ code: 550, text: 'No such user' }` refuses it. */
  setReply(reply: (recipient: string) => { readonly code: number; readonly text: string } | undefined): void;
  close(): Promise<void>;
}

/**
 * @param port an unused one without it.
 * @param isTls whether it offers STARTTLS, with a certificate that nobody knows.
 */
export async function startSmtpServer(port = 0, { isTls = false } = {}): Promise<FakeSmtpServer> {
  const mails: ReceivedMail[] = [];
  let replyTo: Parameters<FakeSmtpServer['setReply']>[0] = () => undefined;
  const server = new SMTPServer({
    disabledCommands: isTls ? ['AUTH'] : ['AUTH', 'STARTTLS'],
    closeTimeout: 100,
    onRcptTo({ address }, _session, callback) {
      const refusal = replyTo(address);
      callback(refusal === undefined ? null : Object.assign(new Error(refusal.text), { responseCode: refusal.code }));
    },
    onData(stream, { envelope }, callback) {
      const take = async (): Promise<void> => {
        const chunks: Buffer[] = [];
        for await (const chunk of stream) chunks.push(chunk as Buffer);
        const raw = Buffer.concat(chunks);
        const mail = await PostalMime.parse(raw);
        for (const { address } of envelope.rcptTo)
          mails.push({ ...mail, recipient: address, raw: raw.toString('utf8') });
      };
      take().then(() => callback(null), callback);
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  return {
    url: `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`,
    mails,
    setReply: (reply) => void (replyTo = reply),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
