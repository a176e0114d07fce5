import { every } from '../timers/index.ts';
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

const CHECK_EVERY_MS = 2000;

/**
 * Subscribes to a channel, and again after each reconnection. A subscriber sends nothing, so it would never notice that
 * its connection died silently. Therefore it repeats the subscription every two seconds. If Redis has not answered by
 * the next check, the client reconnects.
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
  let isAsked = false;
  const onAnswer = (): void => void (isAsked = false);
  const check = (): void => {
    if (client.status !== 'ready') return onAnswer();
    // In a cluster's client, this also replaces the subscriber's connection, which has no timeout.
    if (isAsked) client.disconnect(true);
    else void client.subscribe(channel).then(onAnswer, onAnswer);
    isAsked = !isAsked;
  };
  const checking = every(CHECK_EVERY_MS, check);
  return {
    close: () => {
      void checking.close();
      client.off('ready', resubscribe);
    },
  };
}
