import { goodReply, startReceiver } from '@mailhook/testing';
import type { ReceivedRequest, ReplyAction } from '@mailhook/testing';

export type Sickness = 'slow' | 'failing' | 'flooding' | 'slow DNS';
export type Treatment = Sickness | 'healthy';

const SLOW_MS = 2000;
/** More than a worker reads of a reply. */
const FLOOD = Buffer.alloc(1_500_000, '[');

export interface NeighborReceiver {
  readonly port: number;
  /** Requests so far, by path. */
  readonly requests: ReadonlyMap<string, number>;
  close(): Promise<void>;
}

/**
 * One server for all destinations of a comparison. The first part of a path is the treatment. A healthy reply closes
 * its connection, so that the next request needs a lookup.
 */
export async function startNeighborReceiver(
  onHealthyEvent: (key: string, atMs: number) => void,
): Promise<NeighborReceiver> {
  const requests = new Map<string, number>();
  const reply = (request: ReceivedRequest): ReplyAction => {
    const { path } = request;
    requests.set(path, (requests.get(path) ?? 0) + 1);
    switch (path.split('/')[1] as Treatment) {
      case 'failing':
        return { status: 503 };
      case 'flooding':
        return { headers: { 'content-type': 'application/json' }, body: FLOOD };
      case 'slow':
        return { ...goodReply(request), delayMs: SLOW_MS };
      case 'slow DNS':
      case 'healthy':
        for (const key of keysOf(request)) onHealthyEvent(key, request.at);
        return { ...goodReply(request), headers: { connection: 'close' } };
    }
  };
  const receiver = await startReceiver({ keepsRequests: false, reply });
  return { port: receiver.port, requests, close: () => receiver.close() };
}

function keysOf({ json }: ReceivedRequest): string[] {
  const body = json as { readonly messageId: string } | readonly { readonly email: string }[];
  return 'messageId' in body ? [body.messageId] : body.map(({ email }) => email);
}
