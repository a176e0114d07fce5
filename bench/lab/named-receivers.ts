import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { aCertificate } from '@mailhook/testing';
import type { Opened } from '../processes/receivers.ts';
import type { Lab } from './lab.ts';

export interface NamedReceiversOptions {
  readonly isHttps: boolean;
  /** Idle connections are closed after this, and replies say so (`Keep-Alive: timeout=N`). */
  readonly keepMs: number;
  /** Replies say nothing about it. */
  readonly isSilent?: boolean;
  /** Every handshake is a full one. */
  readonly isWithoutSessions?: boolean;
  /** Default: ECDSA P-256. */
  readonly isRsa?: boolean;
}

/** Receivers on one port of 127.0.0.1, each under a name of its own. */
export interface NamedReceivers {
  /** With a `*` for the name of a destination. */
  readonly baseUrl: string;
  /** For the processes that send to them. */
  readonly environment: Readonly<Record<string, string>>;
  opened(): Promise<Opened>;
}

/** The platform's resolver knows names that end in `.localhost`. Certificates take no `*` directly before it. */
const DOMAIN = 'receivers.localhost';

export async function openReceivers(lab: Lab, options: NamedReceiversOptions): Promise<NamedReceivers> {
  const { isHttps, keepMs, isSilent = false, isWithoutSessions = false, isRsa = false } = options;
  const { key, cert } = aCertificate({ name: `*.${DOMAIN}`, isRsa });
  const tls = isHttps ? { key, cert, isWithoutSessions } : undefined;
  const port = await lab.receivers.call('listen', { keepMs, isSilent, tls });
  const file = path.join(lab.redisServer.dir, `receivers-${port}.pem`);
  if (isHttps) await writeFile(file, cert);
  return {
    baseUrl: `${isHttps ? 'https' : 'http'}://*.${DOMAIN}:${port}`,
    environment: isHttps ? { NODE_EXTRA_CA_CERTS: file } : {},
    opened: async () => (await lab.receivers.call('opened', { port })) ?? { connections: 0, handshakes: 0, resumed: 0 },
  };
}

export const openedBetween = (before: Opened, after: Opened): Opened => ({
  connections: after.connections - before.connections,
  handshakes: after.handshakes - before.handshakes,
  resumed: after.resumed - before.resumed,
});
