import { randomUUID } from 'node:crypto';
import { subscribe } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { z } from 'zod';

const change = z.object({
  from: z.string(),
  /** An account whose routes, or whose being there, changed. */
  account: z.string().optional(),
  /** Id of a token that was revoked. */
  revokedToken: z.string().optional(),
});
export type Change = Omit<z.infer<typeof change>, 'from'>;

/** Tells the other replicas of the api what changed, through Redis pub/sub. */
export interface ChangeBus {
  /** Resolves when Redis has passed the message on; rejects when it cannot. */
  publish(change: Change): Promise<void>;
  /** Stops listening for gaps; the connections are their owner's to close. */
  close(): void;
}

interface ChangeBusDeps {
  /** Fail-fast: a write that cannot be told is not answered. */
  readonly publisher: Redis;
  /** A connection of the bus's own, in subscriber mode from now on. */
  readonly subscriber: Redis;
  readonly prefix: string;
  readonly onChange: (change: Change) => void;
  /** The connection was away: messages may have been missed. */
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
