import { randomBytes } from 'node:crypto';
import { campaignDestinationId, newAccount, setCampaign } from '@mailhook/core';
import type { Store, StoredAccount } from '@mailhook/core';
import { aStoredDestination } from '@mailhook/testing';
import { changeAccount } from '../accounts/change-account.ts';

/** What every store's search guarantees. */
export function describeSearch(store: () => Store): void {
  describe('search', () => {
    const bounds = { limit: 3, withinMs: 2000 };
    let word: string;
    const add = async (n: number, { name = `Shop ${n} ${word} (Ltd.)`, address = '' } = {}) => {
      const id = `acc-${word}-${n}`;
      let account = newAccount({ id, name, createdAt: '2026-01-02T03:04:05.678Z' });
      if (address !== '') {
        account = setCampaign(account, { address: `${address}/c`, active: true }) as StoredAccount;
        const destination = aStoredDestination(`sub-${word}-${n}`, { address, name: `Nobody ${word}` });
        account = { ...account, destinations: [...account.destinations, destination] };
      }
      await store().save(account);
      return id;
    };
    beforeEach(() => {
      word = randomBytes(6).toString('hex');
    });

    it('finds accounts by the beginning of the id or a part of the name, in any case', async () => {
      const account = await add(1, { name: `Shop 1 ${word}  (Ltd.)` });
      const texts = [account, `ACC-${word}`, `SHOP  1 ${word.toUpperCase()}`, `${word} (ltd.)`];
      for (const text of texts)
        expect(await store().search(text, bounds)).toEqual({
          accounts: [{ id: account, name: `Shop 1 ${word}  (Ltd.)` }],
          destinations: [],
          isComplete: true,
        });
      for (const text of [`${word}.(ltd.)`, `${account}x`, `${word}-1`, '.*'])
        expect((await store().search(text, bounds)).accounts).toEqual([]);
    });

    it('finds destinations by the beginning of the id or a part of the name or the address', async () => {
      const address = `https://${word}.example/Hook?a=1`;
      const account = await add(1, { name: 'n', address });
      const subscription = { account, id: `sub-${word}-1`, kind: 'transactional', address };
      const campaign = { account, id: campaignDestinationId(account), kind: 'campaign', address: `${address}/c` };
      const found = async (text: string) => (await store().search(text, bounds)).destinations;
      expect(await found(subscription.id)).toEqual([subscription]);
      expect(await found(campaign.id)).toEqual([campaign]);
      for (const text of [`SUB-${word}`, `nobody   ${word}`]) expect(await found(text)).toEqual([subscription]);
      // The beginning of every such id finds none by its id.
      expect((await found('campaign-')).filter((one) => one.account === account)).toEqual([]);
      expect(await found(`${word}.EXAMPLE/hook?A=`)).toEqual([campaign, subscription]);
      await changeAccount(store(), account, (one) => setCampaign(one, { address: null, active: true }));
      expect(await found(campaign.id)).toEqual([]);
    });

    it('says when there may be more', async () => {
      for (let n = 1; n <= 3; n += 1) await add(n);
      expect(await store().search(word, bounds)).toMatchObject({ accounts: [{}, {}, {}], isComplete: true });
      await add(4);
      const found = await store().search(word, bounds);
      expect([found.accounts.length, found.isComplete]).toEqual([3, false]);
    });
  });
}
