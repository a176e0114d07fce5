import { every } from '../timers/index.ts';
import { afterMs, closeRedis, connectRedis, whenReady } from './connect.ts';
import type { Redis } from './connect.ts';

/** Finds the clients of this process that Redis does not answer although it answers new connections. */
export interface ConnectionWatch {
  /**
   * A sentence per client without an answer for two checks. Such a client is reconnecting. Empty while Redis itself is
   * away.
   */
  faults(): readonly string[];
  /** A sentence per client without an answer for twelve checks. Only a restart of the process helps such a client. */
  hopeless(): readonly string[];
  close(): Promise<void>;
}

interface WatchOptions {
  /** As for `connectRedis`. */
  readonly url: string | (() => string);
  /** The clients by the names that operators see. */
  readonly clients: Readonly<Record<string, Redis>>;
  readonly checkEveryMs?: number;
}

const CHECK_EVERY_MS = 5000;
const ANSWERED_WITHIN_MS = 4000;
const FAULT_CHECKS = 2;
const HOPELESS_CHECKS = 12;

/**
 * Pings each client every five seconds. A missing answer counts only if Redis answers a new connection. While Redis is
 * away, a restart would not help, and all processes would restart at once. An error reply is an answer too.
 */
export function watchConnections({ url, clients, checkEveryMs = CHECK_EVERY_MS }: WatchOptions): ConnectionWatch {
  const watched = Object.entries(clients).map(([name, client]) => ({ name, isAnswered: pinger(client), missed: 0 }));
  const check = async (): Promise<void> => {
    const answered = await Promise.all(watched.map((one) => one.isAnswered()));
    const isRedisThere = answered.every(Boolean) || (await answersOthers(url));
    for (const [i, one] of watched.entries()) one.missed = answered[i] !== true && isRedisThere ? one.missed + 1 : 0;
  };
  const checking = every(checkEveryMs, check);
  const missing = (checks: number): string[] =>
    watched
      .filter(({ missed }) => missed >= checks)
      .map(({ name }) => `Redis answers new connections, but not the client ${name}`);
  return {
    faults: () => missing(FAULT_CHECKS),
    hopeless: () => missing(HOPELESS_CHECKS),
    close: () => {
      // Without waiting for a Redis that is away.
      void checking.close();
      return Promise.resolve();
    },
  };
}

/** Pings a client, with at most one open ping, because commands of a `worker` client wait while Redis is away. */
function pinger(client: Redis): () => Promise<boolean> {
  let asked: Promise<boolean> | undefined;
  return () => {
    asked ??= isAnswered(client).finally(() => {
      asked = undefined;
    });
    return Promise.race([asked, afterMs(ANSWERED_WITHIN_MS)]);
  };
}

const isAnswered = (client: Redis): Promise<boolean> =>
  client.ping().then(
    () => true,
    (error: unknown) => error instanceof Error && error.name === 'ReplyError',
  );

/** Whether Redis answers a new connection. */
async function answersOthers(url: WatchOptions['url']): Promise<boolean> {
  const client = connectRedis({ url, role: 'fail-fast', name: 'mailhook-watch', onError: () => undefined });
  try {
    await whenReady(client, ANSWERED_WITHIN_MS);
    return await isAnswered(client);
  } catch {
    return false;
  } finally {
    await closeRedis(client);
  }
}
