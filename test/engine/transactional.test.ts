import { notification, subscriptionType, version1Route } from '@mailhook/core';
import { createSealing, SIGNING_SECRET } from '@mailhook/platform/sealing';
import { aClick, anEvent, anOpen, startReceiver, uniqueName } from '@mailhook/testing';
import type { ReceivedRequest } from '@mailhook/testing';
import { Webhook } from 'standardwebhooks';
import type { Rig } from './rig.ts';
import { startRig } from './rig.ts';

describe('notifications', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({ kind: 'transactional', scheduleMs: [40, 60] });
    await rig.startWorker();
  });
  afterAll(() => rig.close());

  test('each is sent once, as one object with exactly the documented keys and a unique id', async () => {
    const receiver = await startReceiver();
    const destination = await rig.destination(uniqueName('sub'), receiver.url);
    const types = subscriptionType.options;
    const events = Array.from({ length: 300 }, (_, i) => anEvent(types[i % types.length]!, { messageId: `m${i}` }));
    await rig.publish(events, destination);
    const requests = await receiver.waitForRequests(300);
    const seen = requests.map(({ json }) => notification.parse(json).messageId);
    expect(new Set(seen).size).toBe(300);
    expect(new Set(requests.map(({ headers }) => headers['webhook-id'])).size).toBe(300);
    await rig.untilEmpty(destination.id);
    expect(receiver.requests).toHaveLength(300);
    await receiver.close();
  });

  test('are signed with a secret that was replaced until its end, and not later', async () => {
    const receiver = await startReceiver();
    const account = uniqueName('sub');
    const secrets = [1, 2, 3].map((byte) => `whsec_${Buffer.alloc(24, byte).toString('base64')}`);
    const [ended, ending, lasting] = secrets.map((secret) =>
      createSealing([]).seal(secret, { account, field: SIGNING_SECRET }),
    ) as [string, string, string];
    const endingSecrets = [
      [ended, Date.now() - 1],
      [ending, Date.now() + 3_600_000],
    ] as const;
    const destination = await rig.destination(account, receiver.url, { secrets: [lasting], endingSecrets });
    await rig.publish([aClick()], destination);
    const [{ text, headers }] = (await receiver.waitForRequests(1)) as [ReceivedRequest];
    const accepts = secrets.map((secret) => {
      try {
        return new Webhook(secret).verify(text, headers as Record<string, string>) !== undefined;
      } catch {
        return false;
      }
    });
    expect([accepts, headers['webhook-signature']?.toString().split(' ').length]).toEqual([[false, true, true], 2]);
    await receiver.close();
  });

  test('a refused one is sent again alone with the same body and id, and the others are not repeated', async () => {
    const receiver = await startReceiver({
      reply: ({ text, headers }) => ({
        status: text.includes('"stubborn"') && headers['webhook-attempt'] !== '3' ? 500 : 204,
      }),
    });
    const destination = await rig.destination(uniqueName('sub'), receiver.url);
    await rig.publish(
      [anOpen({ messageId: 'a' }), anOpen({ messageId: 'stubborn' }), anOpen({ messageId: 'b' })],
      destination,
    );
    const requests = await receiver.waitForRequests(5);
    const tries = requests.filter(({ text }) => text.includes('stubborn'));
    expect(tries.map(({ headers }) => headers['webhook-attempt'])).toEqual(['1', '2', '3']);
    expect(new Set(tries.map(({ text }) => text)).size).toBe(1);
    expect(new Set(tries.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    await receiver.close();
  });

  test('are signed with every secret of the account, and the Standard Webhooks library accepts it', async () => {
    const receiver = await startReceiver();
    const secrets = [
      'whsec_' + Buffer.alloc(24, 1).toString('base64'),
      'whsec_' + Buffer.alloc(24, 2).toString('base64'),
    ];
    const account = uniqueName('sub');
    const stored = secrets.map((secret) => createSealing([]).seal(secret, { account, field: SIGNING_SECRET }));
    const destination = await rig.destination(account, receiver.url, { secrets: stored });
    await rig.publish([aClick({ url: 'https://example.com/\u00fc\u{1F4E7}' })], destination);
    const [request] = await receiver.waitForRequests(1);
    expect(request?.headers['webhook-signature']?.toString().split(' ')).toHaveLength(2);
    for (const secret of secrets) {
      expect(new Webhook(secret).verify(request!.text, request!.headers as Record<string, string>)).toEqual(
        request!.json,
      );
    }
    expect(() =>
      new Webhook('whsec_' + Buffer.alloc(24, 3).toString('base64')).verify(
        request!.text,
        request!.headers as Record<string, string>,
      ),
    ).toThrow();
    await receiver.close();
  });

  test('with several shards, the accounts of all shards are served', async () => {
    const sharded = await startRig({ kind: 'transactional', shards: 3 });
    await sharded.startWorker();
    const receiver = await startReceiver();
    const destinations = await Promise.all(
      Array.from({ length: 12 }, () => sharded.destination(uniqueName('sub'), receiver.url)),
    );
    await sharded.publisher.publish(
      destinations.map(({ id, account }) => ({
        event: { ...anOpen({ messageId: id }), account },
        destinations: [id].map(version1Route),
      })),
    );
    const requests = await receiver.waitForRequests(12);
    expect(requests.map(({ json }) => (json as { messageId: string }).messageId).sort()).toEqual(
      destinations.map(({ id }) => id).sort(),
    );
    await sharded.close();
    await receiver.close();
  });
});
