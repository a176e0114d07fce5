import { randomBytes } from 'node:crypto';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { anOpen, eventually, startReceiver, startRedis } from '@mailhook/testing';
import { callJson, composeServices } from '../end-to-end/rig/composed-services.ts';

const token = (): string => randomBytes(32).toString('hex');

test('without min-replicas-to-write, intake answers 503 with the reason, and no accepted event is lost', async () => {
  const redis = await startRedis({ appendonly: true });
  const admin = connectRedis({ url: redis.url, role: 'worker', name: 'test', onError: () => undefined });
  let isWell = false;
  const receiver = await startReceiver({ reply: () => ({ status: isWell ? 200 : 500 }) });
  const tokens = { adminToken: token(), producerToken: token() };
  const RETRY_SCHEDULE = Array.from({ length: 60 }, () => '200ms').join(',');
  const env = { ALLOW_PRIVATE_DESTINATIONS: 'true', RETRY_SCHEDULE, BREAKER_FAILURES: '1000' };
  const services = await composeServices({ redisUrl: redis.url, ...tokens, env });
  const [opsUrl = ''] = services.opsUrls;
  const operate = (path: string, body: unknown) => callJson(opsUrl + path, tokens.adminToken, 'POST', body);
  try {
    await whenReady(admin, 5000);
    const { id } = (await operate('/admin/accounts', { name: 'test' })) as { id: string };
    const made = (await operate(`/admin/accounts/${id}/tokens`, {})) as { token: string };
    const subscription = { address: receiver.url, type: 'open', module: 'transactional_email' };
    await callJson(`${services.baseUrl}/v3/webhook/subscriptions`, made.token, 'POST', subscription);
    const send = (names: readonly string[]) =>
      callJson(
        `${services.baseUrl}/v3/events`,
        tokens.producerToken,
        'POST',
        names.map((name) => anOpen({ account: id, messageId: `<${name}@sender.example>` })),
      );
    const accepted = Array.from({ length: 100 }, (_, i) => `accepted${i}`);
    await send(accepted);
    await receiver.waitForRequests(50);

    await admin.config('SET', 'min-replicas-to-write', '1');
    await expect(send(['refused'])).rejects.toThrow(/503.*fewer replicas than its min-replicas-to-write/);
    const before = receiver.requests.length;
    // Events in flight are answered now, and their results cannot be written.
    isWell = true;
    await expect(send(['refused again'])).rejects.toThrow('503');

    await admin.config('SET', 'min-replicas-to-write', '0');
    await eventually(
      () =>
        send(['later']).then(
          () => true,
          () => false,
        ),
      { what: 'an accepted event' },
    );
    const delivered = (): string =>
      receiver.requests
        .slice(before)
        .map(({ text }) => text)
        .join('\n');
    await eventually(() => [...accepted, 'later'].every((name) => delivered().includes(`<${name}@`)), {
      withinMs: 60_000,
      what: 'all accepted events',
    });
    expect(delivered()).not.toContain('refused');
  } finally {
    await services.close();
    await receiver.close();
    await closeRedis(admin);
    await redis.stop();
  }
}, 120_000);
