import { randomUUID } from 'node:crypto';
import { subscribe } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { z } from 'zod';

const change = z.object({
  from: z.string(),
  /** An account that is new or has changed routes. */
  account: z.string().optional(),
  /** Whether this account was deleted, so that its tokens are invalid. */
  isDeleted: z.boolean().optional(),
  /** Id of a token that was revoked. */
  revokedToken: z.string().optional(),
  /** Whether a producer token was created or revoked. */
  producerTokens: z.boolean().optional(),
});
type Change = Omit<z.infer<typeof change>, 'from'>;

/** Notifies the other replicas of the api of changes, through Redis pub/sub. */
export interface ChangeBus {
  /** Resolves when Redis has passed the message on. Rejects if Redis cannot. */
  publish(change: Change): Promise<void>;
  /** Stops listening for gaps. The caller must close the connections. */
  close(): void;
}

interface ChangeBusDeps {
  /** A fail-fast connection, so that a write fails at once if its message cannot be sent. */
  readonly publisher: Redis;
  /** A connection for the bus alone, because it enters subscriber mode. */
  readonly subscriber: Redis;
  readonly prefix: string;
  readonly onChange: (change: Change) => void;
  /** Called after the connection was lost, because messages may have been missed. */
  readonly onGap: () => void;
}

export async function createChangeBus({
  publisher,
  subscriber,
  prefix,
  onChange,
  onGap,
}: ChangeBusDeps): Promise<ChangeBus> {
  const channel = `${prefix}:account-changes`;
  const self = randomUUID();
  const subscription = await subscribe({
    client: subscriber,
    channel,
    onMessage: (text) => {
      const parsed = change.safeParse(parseJson(text));
      if (parsed.success && parsed.data.from !== self) onChange(parsed.data);
    },
    onGap,
  });
  return {
    publish: async (what) => {
      await publisher.publish(channel, JSON.stringify({ ...what, from: self }));
    },
    close: () => subscription.close(),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
