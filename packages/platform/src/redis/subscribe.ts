import { afterMs } from './connect.ts';
import type { Redis } from './connect.ts';

export interface Subscription {
  /** Stops the checks. The caller must close the client. */
  close(): void;
}

export interface SubscriptionOptions {
  /** A `worker` client that only this subscription uses. */
  readonly client: Redis;
  readonly channel: string;
  readonly onMessage: (text: string) => void;
  /** Called after a reconnection, because messages may have been missed. */
  readonly onGap?: () => void;
}

const CHECK_EVERY_MS = 1000;
const ANSWERED_WITHIN_MS = 3000;

/**
 * Subscribes to a channel, and again after each reconnection. A subscriber sends nothing, so it would never notice that
 * its connection died silently. Therefore it repeats the subscription every second. If Redis does not answer, the
 * client reconnects.
 */
export async function subscribe({
  client,
  channel,
  onMessage,
  onGap = () => undefined,
}: SubscriptionOptions): Promise<Subscription> {
  client.on('message', (_channel: string, text: string) => onMessage(text));
  await client.subscribe(channel);
  const resubscribe = (): void => void client.subscribe(channel).then(onGap, onGap);
  client.on('ready', resubscribe);
  const isReady = (): boolean => client.status === 'ready';
  let isChecking = false;
  const check = async (): Promise<void> => {
    if (isChecking || !isReady()) return;
    isChecking = true;
    const asked = client.subscribe(channel).then(
      () => true,
      () => true,
    );
    const isAnswered = await Promise.race([asked, afterMs(ANSWERED_WITHIN_MS)]);
    isChecking = false;
    // In a cluster's client, this also replaces the subscriber's connection, which has no timeout.
    if (!isAnswered && isReady()) client.disconnect(true);
  };
  const timer = setInterval(() => void check(), CHECK_EVERY_MS);
  return {
    close: () => {
      clearInterval(timer);
      client.off('ready', resubscribe);
    },
  };
}
