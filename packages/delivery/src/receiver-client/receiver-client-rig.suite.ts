import type { FakeNameServer, FakeReceiver, ReplyAction } from '@mailhook/testing';
import { startNameServer, startReceiver } from '@mailhook/testing';
import type { ReceiverClient } from './receiver-client.ts';
import { createReceiverClient } from './receiver-client.ts';

export const CAP_BYTES = 64 * 1024;
export const TIMEOUT_MS = 400;
/** Time that a busy machine may add to a deadline. Less than the default client's deadline. */
export const SLACK_MS = 8000;
/** An egress policy without restrictions. */
export const open = { allowPrivate: true, allowCidrs: [], deniedPorts: [] };

export const IDENTITY = { account: 'a', webhookId: 'w1', attempt: 1, secrets: [] };

/** Starts a receiver and clients for each test of the calling block. The name server knows `receiver.test`. */
export function receiverClientRig() {
  let receiver: FakeReceiver;
  let names: FakeNameServer;
  let client: ReceiverClient;
  /** Only for requests that should time out, because a busy machine could be late for others. */
  let hasty: ReceiverClient;

  beforeAll(async () => {
    names = await startNameServer();
    names.setName('receiver.test', ['127.0.0.1']);
  });
  beforeEach(async () => {
    receiver = await startReceiver();
    client = create();
    hasty = create({ timeoutMs: TIMEOUT_MS });
  });
  afterEach(async () => {
    await Promise.all([client.close(), hasty.close()]);
    await receiver.close();
  });
  afterAll(() => names.close());

  const create = (more: Partial<Parameters<typeof createReceiverClient>[0]> = {}): ReceiverClient =>
    createReceiverClient({
      timeoutMs: 10_000,
      replyCapBytes: CAP_BYTES,
      egress: open,
      nameServers: [names.address],
      ...more,
    });

  return {
    get receiver(): FakeReceiver {
      return receiver;
    },
    get names(): FakeNameServer {
      return names;
    },
    get client(): ReceiverClient {
      return client;
    },
    get hasty(): ReceiverClient {
      return hasty;
    },
    create,
    post: (address: string, needsBody = true, by = client) =>
      by.post({ address, body: '[{"ä":1}]', ...IDENTITY, needsBody }),
    answering: (action: ReplyAction): void => receiver.setReply(() => action),
  };
}
