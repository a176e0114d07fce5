import { randomBytes } from 'node:crypto';
import { StoreConflictError } from '@mailhook/core';
import type { Store, SubscriptionType } from '@mailhook/core';

/** What every `Store` guarantees for the limit of subscriptions per type (packages/core/src/ports/store). */
export function describeSubscriptionLimit(store: () => Store, account: () => string): void {
  const one = (type: SubscriptionType = 'open') => ({
    id: `sub-${randomBytes(6).toString('hex')}`,
    account: account(),
    // Contains the text of a type, as records have it. An address must not count as a type.
    address: 'https://example.com/?","type":"click",',
    active: true,
    type,
    module: 'transactional_email' as const,
  });
  const make = async (count: number, type?: SubscriptionType): Promise<string[]> => {
    const ids: string[] = [];
    for (let i = 0; i < count; i += 1) ids.push((await store().createSubscription(one(type), 3)).id);
    return ids;
  };
  const typesNow = async () => (await store().listSubscriptions(account())).map(({ type }) => type).sort();

  describe('a limit of subscriptions of a type', () => {
    it('refuses one too many of this type and account only, and a deleted one makes room', async () => {
      const [first] = await make(3);
      const refused = store().createSubscription(one(), 3);
      await expect(refused).rejects.toThrow(StoreConflictError);
      await expect(refused).rejects.toThrow(
        'The account has 3 subscriptions of type open already, the most there may be: change one of them or delete one',
      );
      await make(1, 'click');
      await store().createSubscription({ ...one(), account: `${account()}-other` }, 3);
      await store().deleteSubscription(account(), first!);
      await make(1);
      expect(await typesNow()).toEqual(['click', 'open', 'open', 'open']);
    });

    it('holds when many are created at once', async () => {
      const tries = await Promise.allSettled(Array.from({ length: 12 }, () => store().createSubscription(one(), 3)));
      expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
      for (const tried of tries)
        if (tried.status === 'rejected') expect(tried.reason).toBeInstanceOf(StoreConflictError);
      expect(await typesNow()).toEqual(['open', 'open', 'open']);
    });

    it('holds when many change their type at once', async () => {
      const ids = [...(await make(3, 'open')), ...(await make(3, 'bounce')), ...(await make(2, 'click'))];
      const changes = ids
        .slice(0, 6)
        .map((id) => store().updateSubscription(account(), id, { type: 'click' }, { maxOfType: 3 }));
      const tries = await Promise.allSettled(changes);
      expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect((await typesNow()).filter((type) => type === 'click')).toHaveLength(3);
    });

    it('holds for a changed type, and does not affect other changes', async () => {
      const [mine] = await make(3, 'open');
      const clicks = await make(3, 'click');
      const change = (id: string, fields: object) =>
        store().updateSubscription(account(), id, fields, { maxOfType: 3 });
      await expect(change(mine!, { type: 'click' })).rejects.toThrow(StoreConflictError);
      await expect(change(mine!, { type: 'open', address: 'https://example.com/2' })).resolves.toMatchObject({
        address: 'https://example.com/2',
      });
      await store().deleteSubscription(account(), clicks[0]!);
      await expect(change(mine!, { type: 'click' })).resolves.toMatchObject({ type: 'click' });
      await make(1, 'open');
      await expect(store().createSubscription(one('click'), 3)).rejects.toThrow(StoreConflictError);
      expect(await typesNow()).toEqual(['click', 'click', 'click', 'open', 'open', 'open']);
    });

    it('lets an account keep and change its subscriptions beyond the limit', async () => {
      const ids: string[] = [];
      for (let i = 0; i < 5; i += 1) ids.push((await store().createSubscription(one())).id);
      await expect(store().createSubscription(one(), 3)).rejects.toThrow(StoreConflictError);
      for (const id of ids) {
        const changed = store().updateSubscription(account(), id, { active: false, type: 'open' }, { maxOfType: 3 });
        await expect(changed).resolves.toMatchObject({ active: false });
      }
      for (const id of ids.slice(0, 3)) await store().deleteSubscription(account(), id);
      await make(1);
      expect(await typesNow()).toHaveLength(3);
    });
  });
}
