import { acknowledge, eventually, uniqueName } from '@mailhook/testing';
import { batch, emails } from './campaign-batches.ts';
import { receiverRigs } from './receiver-rigs.suite.ts';

describe('poison events', () => {
  const at = receiverRigs({ scheduleMs: [20] });
  const { rigWith } = at;

  test('a receiver that is away for a moment during the search gets the same part again, nothing is lost', async () => {
    const rig = await rigWith({ scheduleMs: [20, 20, 20] });
    let isAway = true;
    at.receiver.setReply((request) => {
      if (emails(request).includes('r5@example.com')) return { status: 400 };
      if (!isAway) return acknowledge(request.json);
      isAway = false;
      return { status: 503 };
    });
    const account = uniqueName('account');
    await rig.publish(batch(40), await rig.destination(account, at.receiver.url));
    const { items } = await eventually(
      async () => {
        const page = await rig.deadLetters.list({ account }, { limit: 10 });
        return page.items.length > 0 && page;
      },
      { what: 'a dead letter' },
    );
    expect(items).toMatchObject([{ events: 1 }]);
    const good = () => at.receiver.requests.filter((request) => !emails(request).includes('r5@example.com'));
    await eventually(() => good().flatMap(emails).length >= 39 + emails(good()[0]!).length, { what: 'all of them' });
    const [away, again, ...others] = good();
    expect(emails(again!)).toEqual(emails(away!));
    expect(again!.headers['webhook-id']).toBe(away!.headers['webhook-id']);
    expect(Number(again!.headers['webhook-attempt'])).toBe(Number(away!.headers['webhook-attempt']) + 1);
    expect(new Set([again!, ...others].flatMap(emails)).size).toBe(39);
    expect([again!, ...others].flatMap(emails)).toHaveLength(39);
  });

  test('POISON_SPLIT=false: no search', async () => {
    const rig = await rigWith({ poisonSplit: false });
    at.receiver.setReply(() => ({ status: 422 }));
    const account = uniqueName('account');
    await rig.publish(batch(8), await rig.destination(account, at.receiver.url));
    await eventually(async () => (await rig.deadLetters.list({ account }, { limit: 10 })).items[0]?.events === 8, {
      what: 'a dead letter',
    });
    expect(at.receiver.requests).toHaveLength(2);
  });

  test('PARTIAL_ACK=batch resends the whole request with the same webhook-id', async () => {
    const rig = await rigWith({ partialAck: 'batch' });
    at.receiver.setReply((request) =>
      request.headers['webhook-attempt'] === '1'
        ? acknowledge(request.json, (_event, i) => i === 0)
        : acknowledge(request.json),
    );
    await rig.publish(batch(5), await rig.destination(uniqueName('account'), at.receiver.url));
    const [first, second] = await at.receiver.waitForRequests(2);
    expect(emails(second!)).toEqual(emails(first!));
    expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id']);
  });
});
