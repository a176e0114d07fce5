import { createEventFinder } from '@mailhook/insight';
import type { KeptAttempt } from '@mailhook/insight';
import { aCampaignEvent, acknowledge, eventually, uniqueName } from '@mailhook/testing';
import { batch, emails } from './campaign-batches.ts';
import { receiverRigs } from './receiver-rigs.suite.ts';
import type { Rig } from './rig.ts';

describe('the search for poison events', () => {
  const at = receiverRigs({ scheduleMs: [20] });
  const { rigWith } = at;

  const deadLetters = (rig: Rig, account: string) => rig.deadLetters.list({ account }, { limit: 100 });
  /** Waits until the dead letters hold this many events in all. Returns the events per dead letter. */
  const deadOf = async (rig: Rig, account: string, events: number): Promise<number[]> => {
    const items = await eventually(
      async () => {
        const list = (await deadLetters(rig, account)).items;
        return list.reduce((sum, item) => sum + item.events, 0) === events && list;
      },
      { what: `${events} dead events`, withinMs: 20_000 },
    );
    return items.map((item) => item.events);
  };
  /** Events of the acknowledged requests, in order of arrival. */
  const acknowledgedBut = (isRefused: (email: string) => boolean): string[] =>
    at.receiver.requests.map(emails).flatMap((some) => (some.some(isRefused) ? [] : some));
  const numberOf = (email: string): number => Number(/\d+/.exec(email)?.[0]);

  test('two poison events in different halves become two dead letters, the other 998 are delivered once', async () => {
    const rig = await rigWith();
    const isPoison = (email: string) => [137, 822].includes(numberOf(email));
    at.receiver.setReply((request) => (emails(request).some(isPoison) ? { status: 400 } : acknowledge(request.json)));
    const account = uniqueName('account');
    await rig.publish(batch(1000), await rig.destination(account, at.receiver.url));
    expect(await deadOf(rig, account, 2)).toEqual([1, 1]);
    await eventually(() => acknowledgedBut(isPoison).length >= 998, { what: '998 events' });
    expect(acknowledgedBut(isPoison)).toHaveLength(998);
    expect(new Set(acknowledgedBut(isPoison)).size).toBe(998);
    expect(at.receiver.requests.length).toBeLessThanOrEqual(2 + 44);
    // Two different contents never share a webhook-id.
    const contents = new Map<unknown, string>();
    for (const request of at.receiver.requests) {
      const id = request.headers['webhook-id'];
      // Standard Webhooks signs the id, a dot and the time, so an id without dots ends all doubt about their borders.
      expect(id).toMatch(/^msg_[\w-]+$/);
      expect(contents.get(id) ?? emails(request).join()).toBe(emails(request).join());
      contents.set(id, emails(request).join());
    }
  });

  test('its requests name the attempt they followed, and are found with it, also after a part has left', async () => {
    const rig = await rigWith();
    at.receiver.setReply(({ json }) => {
      const refused = (json as { email: string }[]).some(({ email }) => numberOf(email) < 3);
      return refused ? { status: 400 } : acknowledge(json);
    });
    const account = uniqueName('account');
    await rig.publish(batch(6), await rig.destination(account, at.receiver.url));
    expect(await deadOf(rig, account, 3)).toEqual([1, 1, 1]);
    const all = () => rig.attemptLog.list(account, { limit: 100 });
    const { items } = await eventually(
      async () => {
        const page = await all();
        return page.items.length === at.receiver.requests.length && page;
      },
      { what: 'all attempts in the log' },
    );
    const [first, second, ...search] = items.toReversed();
    expect([first?.split, second?.split, new Set(search.map(({ split }) => JSON.stringify(split))).size]).toEqual([
      undefined,
      undefined,
      1,
    ]);
    expect(search[0]?.split?.attempt).toBe(2);
    const folded = await rig.attemptLog.list(account, { limit: 100, split: 'first' });
    expect(folded.items.map(({ attempt, split }) => [attempt, split?.requests])).toEqual([
      [3, search.length],
      [2, undefined],
      [1, undefined],
    ]);
    const after = await rig.attemptLog.list(account, { limit: 1, split: 'first' });
    const { nextCursor: cursor = '' } = after;
    const rest = await rig.attemptLog.list(account, { limit: 100, split: 'first', cursor });
    expect(rest.items.map(({ attempt }) => attempt)).toEqual([2, 1]);
    for (const { id } of [second, search.at(-1)].filter((one) => one !== undefined)) {
      const kept = (await rig.attemptLog.read(account, id)) as KeptAttempt;
      const found = await rig.attemptLog.findBatch(account, kept);
      expect(found.filter(({ split }) => split !== undefined).map((one) => one.id)).toEqual(
        search.map((one) => one.id),
      );
    }
  });

  test('a receiver that refuses every second event gets a bounded number; a redrive delivers more', async () => {
    const rig = await rigWith();
    const isPoison = (email: string) => numberOf(email) % 2 === 1;
    at.receiver.setReply((request) => (emails(request).some(isPoison) ? { status: 400 } : acknowledge(request.json)));
    const account = uniqueName('account');
    await rig.publish(batch(400), await rig.destination(account, at.receiver.url));
    const dead = async () => (await deadLetters(rig, account)).items;
    const rest = await eventually(async () => (await dead()).find(({ events }) => events > 1) ?? false, {
      what: 'the rest',
      withinMs: 20_000,
    });
    expect(at.receiver.requests.length).toBeLessThanOrEqual(2 + 256);
    expect(rest.error.code).toBe('search-ended');
    const first = new Set(acknowledgedBut(isPoison)).size;
    expect(first).toBeGreaterThan(50);
    await rig.deadLetters.redrive({ account, ids: [rest.id] });
    await eventually(async () => (await dead()).every(({ id }) => id !== rest.id), { what: 'the redrive' });
    await eventually(() => new Set(acknowledgedBut(isPoison)).size > first + 50, {
      what: 'more good events',
      withinMs: 20_000,
    });
  });

  test('the attempt log and the event finder show the acknowledged part of a search as delivered', async () => {
    const rig = await rigWith();
    at.receiver.setReply((request) =>
      emails(request).includes('r0@example.com') ? { status: 400 } : acknowledge(request.json),
    );
    const account = uniqueName('account');
    const destination = await rig.destination(account, at.receiver.url);
    const [poison, good] = [aCampaignEvent({ email: 'r0@example.com' }), aCampaignEvent({ email: 'r1@example.com' })];
    await rig.publish([poison, good], destination);
    expect(await deadOf(rig, account, 1)).toEqual([1]);
    await eventually(() => rig.attempts.length === at.receiver.requests.length, { what: 'every attempt' });
    const statuses = rig.attempts.map(({ events, status }) => `${events} ${status}`);
    expect(statuses.slice(0, 2)).toEqual(['2 failed', '2 failed']);
    // Only the half without the poison event is delivered.
    expect(statuses.slice(2).filter((status) => status === '1 delivered')).toHaveLength(1);
    const finder = createEventFinder(rig.installation, rig.attemptLog);
    const story = await eventually(
      async () => {
        const found = await finder.find(account, { hash: good.hash! }, [destination]);
        return found.attempts[0]?.status === 'delivered' && found;
      },
      { what: 'the story of the delivered event' },
    );
    expect(story.items).toMatchObject([{ state: 'delivered' }]);
    expect(story.attempts[0]).not.toHaveProperty('nextAttemptAt');
    expect(await finder.find(account, { hash: poison.hash! }, [destination])).toMatchObject({
      items: [{ state: 'dead' }],
    });
  });
});
