import { NO_LIMITS } from '@mailhook/core';
import { createReceiverClient } from '@mailhook/delivery';
import type { AttemptRecord, ReceiverClient } from '@mailhook/delivery';
import { createDoctor } from '@mailhook/doctor';
import { startReceiver } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import { translateError } from '../http/errors.ts';
import { createReceiverTests } from './receiver-tests.ts';

const MESSAGE = 'Mailhook could not send the request just now (it has too many open connections); try again';

describe('when Mailhook itself cannot send a request', () => {
  let receiver: FakeReceiver;
  let client: ReceiverClient;

  beforeAll(async () => {
    receiver = await startReceiver();
    client = createReceiverClient({
      timeoutMs: 5000,
      replyCapBytes: 1000,
      egress: { allowPrivate: true, allowCidrs: [], deniedPorts: [] },
      connectionsMax: 0,
    });
  });
  afterAll(async () => {
    await client.close();
    expect(receiver.requests).toEqual([]);
    await receiver.close();
  });

  it('receiver tests report it, and are not listed', async () => {
    const listed: AttemptRecord[] = [];
    const tests = createReceiverTests({
      client,
      attempts: { record: (attempt) => void listed.push(attempt), flush: () => Promise.resolve() },
      credentials: () => Promise.resolve({ secrets: [], headers: {}, limits: NO_LIMITS }),
      turns: { run: (_account, work) => work() },
      now: () => Date.now(),
    });
    expect([
      await tests.notification('acme', receiver.url, 'open'),
      await tests.connection('acme', receiver.url),
    ]).toEqual([
      { success: false, message: MESSAGE },
      { success: false, message: MESSAGE },
    ]);
    expect(listed).toEqual([]);
  });

  it.each(['campaign', 'transactional'] as const)(
    'a check of a %s receiver answers with a 503, and without a report',
    async (kind) => {
      const doctor = createDoctor({ client, timeoutMs: 5000 });
      const error: unknown = await doctor({ address: receiver.url, kind, secrets: [] }).catch(
        (thrown: unknown) => thrown,
      );
      expect(translateError(error)).toMatchObject({
        status: 503,
        detail: `${MESSAGE}.`,
        headers: { 'retry-after': expect.any(String) as string },
      });
    },
  );
});
