import { randomBytes } from 'node:crypto';
import { StoreConflictError } from '@mailhook/core';
import type { Store, StoredToken } from '@mailhook/core';
import { describeAccountChanges } from './store-accounts.suite.ts';
import { describeCampaigns } from './store-campaigns.suite.ts';
import { describeSearch } from './store-search.suite.ts';
import { describeSubscriptionLimit } from './store-subscription-limit.suite.ts';

const unique = (name: string): string => `${name}-${randomBytes(6).toString('hex')}`;

const aSubscription = (account: string, change: { id?: string; address?: string } = {}) => ({
  id: unique('sub'),
  account,
  address: 'https://example.com/hook?a=1&b=%20x',
  active: true,
  type: 'open' as const,
  module: 'transactional_email' as const,
  ...change,
});

const aToken = (account: string): StoredToken => ({
  id: unique('tok'),
  account,
  tokenHash: randomBytes(32).toString('hex'),
  label: '',
  access: 'manage',
  createdAt: '2026-01-02T03:04:05.678Z',
  expiresAt: null,
});

const aSecret = (n = 0) => ({ id: unique('sec'), secret: `whsec_${n}AAA=`, createdAt: '2026-01-02T03:04:05.678Z' });

/**
 * What every `Store` guarantees (packages/core/src/ports/store). Each test uses new accounts, so the store may hold
 * others.
 */
export function describeStore(name: string, open: () => Promise<Store>): void {
  describe(`store: ${name}`, () => {
    let store: Store;
    let account: string;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());
    beforeEach(() => {
      account = unique('acc');
    });

    describeAccounts(
      () => store,
      () => account,
    );
    describeSubscriptions(
      () => store,
      () => account,
    );
    describeSubscriptionLimit(
      () => store,
      () => account,
    );
    describeCampaigns(
      () => store,
      () => account,
    );
    describeAccountChanges(() => store);
    describeSearch(() => store);
    it('answers a ping', async () => {
      await expect(store.ping()).resolves.toBeUndefined();
    });
  });
}

type Get<T> = () => T;

function describeAccounts(store: Get<Store>, account: Get<string>): void {
  describe('accounts, tokens and secrets', () => {
    it('finds an account by id, and nothing for an unknown one', async () => {
      const stored = { id: account(), name: 'Ann & Söhne "GmbH"', createdAt: '2026-01-02T03:04:05.678Z' };
      await store().putAccount(stored);
      await expect(store().findAccount(account())).resolves.toEqual(stored);
      await expect(store().findAccount(`${account()}x`)).resolves.toBeUndefined();
    });

    it('lists accounts by id, page by page, each once', async () => {
      const ids = ['a', 'b', 'c', 'd', 'e'].map((letter) => `${account()}-${letter}`);
      for (const id of [...ids].reverse())
        await store().putAccount({ id, name: id, createdAt: '2026-01-02T03:04:05.678Z' });
      const first = await store().listAccounts({ limit: 2, after: account() });
      const second = await store().listAccounts({ limit: 2, after: first.at(-1)!.id });
      const third = await store().listAccounts({ limit: 1, after: second.at(-1)!.id });
      expect([...first, ...second, ...third].map(({ id }) => id)).toEqual(ids);
      const fromTheStart = await store().listAccounts({ limit: 1 });
      expect(fromTheStart).toHaveLength(1);
    });

    it('finds a token by its hash until it is deleted by its own account', async () => {
      const token = aToken(account());
      await store().createToken(token);
      await expect(store().findToken(token.tokenHash)).resolves.toEqual(token);
      await expect(store().findToken(randomBytes(32).toString('hex'))).resolves.toBeUndefined();
      await expect(store().deleteToken(unique('other'), token.id)).resolves.toBe(false);
      await expect(store().findToken(token.tokenHash)).resolves.toEqual(token);
      await expect(store().deleteToken(account(), token.id)).resolves.toBe(true);
      await expect(store().findToken(token.tokenHash)).resolves.toBeUndefined();
      await expect(store().deleteToken(account(), token.id)).resolves.toBe(false);
    });

    it('never lets two accounts share a token hash', async () => {
      const token = aToken(account());
      await store().createToken(token);
      await expect(store().createToken({ ...aToken(unique('other')), tokenHash: token.tokenHash })).rejects.toThrow(
        StoreConflictError,
      );
      await expect(store().findToken(token.tokenHash)).resolves.toEqual(token);
    });

    it('keeps at most `max` secrets, oldest first', async () => {
      const [first, second, third] = [aSecret(1), aSecret(2), aSecret(3)];
      await expect(store().listSecrets(account())).resolves.toEqual([]);
      await store().createSecret(account(), first, 2);
      await store().createSecret(account(), second, 2);
      await expect(store().createSecret(account(), third, 2)).rejects.toThrow(StoreConflictError);
      await expect(store().listSecrets(account())).resolves.toEqual([first, second]);
      await expect(store().deleteSecret(account(), first.id)).resolves.toBe(true);
      await expect(store().deleteSecret(account(), first.id)).resolves.toBe(false);
      await expect(store().deleteSecret(unique('other'), second.id)).resolves.toBe(false);
      await store().createSecret(account(), third, 2);
      await expect(store().listSecrets(account())).resolves.toEqual([second, third]);
    });

    it('keeps the limit of secrets when many try at once', async () => {
      const tries = await Promise.allSettled(
        Array.from({ length: 8 }, (_, n) => store().createSecret(account(), aSecret(n), 2)),
      );
      const refused = tries.filter((one) => one.status === 'rejected');
      expect(refused).toHaveLength(6);
      for (const one of refused) expect(one.reason).toBeInstanceOf(StoreConflictError);
      await expect(store().listSecrets(account())).resolves.toHaveLength(2);
    });
  });
}

function describeSubscriptions(store: Get<Store>, account: Get<string>): void {
  describe('subscriptions', () => {
    it('creates with version 1 and reads the same', async () => {
      const input = aSubscription(account());
      await expect(store().createSubscription(input)).resolves.toEqual({ ...input, version: 1 });
      await expect(store().findSubscription(account(), input.id)).resolves.toEqual({ ...input, version: 1 });
      await expect(store().listSubscriptions(account())).resolves.toEqual([{ ...input, version: 1 }]);
    });

    it('lists the subscriptions of the account only, oldest first', async () => {
      const inputs = Array.from({ length: 5 }, () => aSubscription(account()));
      for (const input of inputs) await store().createSubscription(input);
      await store().createSubscription(aSubscription(unique('other')));
      const listed = await store().listSubscriptions(account());
      expect(listed.map(({ id }) => id)).toEqual(inputs.map(({ id }) => id));
      await expect(store().listSubscriptions(unique('none'))).resolves.toEqual([]);
    });

    it('refuses an id that is in use', async () => {
      const input = aSubscription(account());
      await store().createSubscription(input);
      await expect(store().createSubscription({ ...input, address: 'https://example.com/other' })).rejects.toThrow(
        StoreConflictError,
      );
      await expect(store().findSubscription(account(), input.id)).resolves.toMatchObject({ address: input.address });
    });

    it('changes the given fields and raises the version, even for an empty change', async () => {
      const { id, ...input } = aSubscription(account());
      await store().createSubscription({ id, ...input });
      await expect(store().updateSubscription(account(), id, { active: false })).resolves.toEqual({
        id,
        ...input,
        active: false,
        version: 2,
      });
      await expect(
        store().updateSubscription(account(), id, {
          address: 'https://example.com/2',
          type: 'click',
          active: undefined,
        }),
      ).resolves.toEqual({ id, ...input, active: false, address: 'https://example.com/2', type: 'click', version: 3 });
      await expect(store().updateSubscription(account(), id, {})).resolves.toMatchObject({ version: 4, active: false });
      await expect(store().listSubscriptions(account())).resolves.toMatchObject([{ id, version: 4 }]);
    });

    it('applies a conditional change only to the version it names', async () => {
      const { id } = await store().createSubscription(aSubscription(account()));
      await expect(
        store().updateSubscription(account(), id, { active: false }, { ifVersion: 2 }),
      ).resolves.toBeUndefined();
      await expect(store().findSubscription(account(), id)).resolves.toMatchObject({ active: true, version: 1 });
      await expect(
        store().updateSubscription(account(), id, { active: false }, { ifVersion: 1 }),
      ).resolves.toMatchObject({
        active: false,
        version: 2,
      });
    });

    it('counts each of many concurrent changes', async () => {
      const { id } = await store().createSubscription(aSubscription(account()));
      const results = await Promise.all(
        Array.from({ length: 10 }, (_, n) => store().updateSubscription(account(), id, { active: n % 2 === 0 })),
      );
      expect(new Set(results.map((one) => one?.version)).size).toBe(10);
      await expect(store().findSubscription(account(), id)).resolves.toMatchObject({ version: 11 });
    });

    it('hides subscriptions from other accounts, which cannot change them', async () => {
      const { id } = await store().createSubscription(aSubscription(account()));
      const other = unique('other');
      await expect(store().findSubscription(other, id)).resolves.toBeUndefined();
      await expect(store().updateSubscription(other, id, { active: false })).resolves.toBeUndefined();
      await expect(store().deleteSubscription(other, id)).resolves.toBeUndefined();
      await expect(store().findSubscription(account(), id)).resolves.toMatchObject({ active: true, version: 1 });
    });

    it('deletes once and returns the deleted subscription', async () => {
      const created = await store().createSubscription(aSubscription(account()));
      await expect(store().deleteSubscription(account(), created.id)).resolves.toEqual(created);
      await expect(store().deleteSubscription(account(), created.id)).resolves.toBeUndefined();
      await expect(store().findSubscription(account(), created.id)).resolves.toBeUndefined();
      await expect(store().updateSubscription(account(), created.id, { active: true })).resolves.toBeUndefined();
      await expect(store().listSubscriptions(account())).resolves.toEqual([]);
    });

    it.each(['__proto__', '$where', 'a.b', '\u0000', 'é'.repeat(200)])('treats %j as an unknown id', async (id) => {
      await expect(store().findSubscription(account(), id)).resolves.toBeUndefined();
      await expect(store().deleteSubscription(account(), id)).resolves.toBeUndefined();
    });
  });
}
