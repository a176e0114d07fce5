import type { OperationsMessage } from '@mailhook/core';

/** Takes the messages: the operations webhook, or the e-mails. */
export interface MessageListener {
  /** Runs at the start, so that new settings take effect, and before each check. */
  prepare?(): Promise<void>;
  /** Whether new messages must wait. */
  isBehind?(): Promise<boolean>;
  /** Resolves when the messages are durably enqueued. Takes each id once, however often it is published. */
  publish(messages: readonly OperationsMessage[]): Promise<void>;
}

/** If one of them fails, all get the messages again. */
export async function publishTo(
  listeners: readonly MessageListener[],
  messages: readonly OperationsMessage[],
): Promise<void> {
  await Promise.all(listeners.map((listener) => listener.publish(messages)));
}
