import { randomBytes } from 'node:crypto';
import { StoreConflictError } from '@mailhook/core';
import type { Store } from '@mailhook/core';

const unique = (name: string): string => `${name}-${randomBytes(6).toString('hex')}`;
const at = (minute: number): string => `2026-11-23T10:${String(minute).padStart(2, '0')}:00.000Z`;

/**
 * What a store guarantees for the ids, the age and the deletion of accounts. Other suites leave accounts in the same
 * store.
 */
export function describeAccountChanges(store: () => Store): void {
  describe('created, renamed and deleted accounts', () => {
    it('creates an account under an id of the platform, then renames it and keeps its age', async () => {
      const id = unique('acme:eu.1_2');
      await expect(store().putAccount({ id, name: 'A "quoted" / name', createdAt: at(1) })).resolves.toBe('created');
      await expect(store().putAccount({ id, name: 'A "quoted" / name', createdAt: at(2) })).resolves.toBe('unchanged');
      await expect(store().putAccount({ id, name: 'Söhne', createdAt: at(3) })).resolves.toBe('renamed');
      await expect(store().findAccount(id)).resolves.toEqual({ id, name: 'Söhne', createdAt: at(1) });
      await expect(store().findAccounts([id])).resolves.toEqual([{ id, name: 'Söhne', createdAt: at(1) }]);
    });

    it('gives an account to exactly one of several requests that create it at once', async () => {
      const id = unique('race');
      const outcomes = await Promise.all(
        Array.from({ length: 5 }, () => store().putAccount({ id, name: 'same', createdAt: at(1) })),
      );
      expect(outcomes.sort()).toEqual(['created', 'unchanged', 'unchanged', 'unchanged', 'unchanged']);
    });

    it('lists accounts newest first, page by page, each once', async () => {
      const prefix = unique('age');
      const dated = [3, 1, 2, 2].map((minute, i) => ({ id: `${prefix}-${i}`, name: 'n', createdAt: at(minute) }));
      for (const account of dated) await store().putAccount(account);
      const ids: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await store().listNewestAccounts({ limit: 2, cursor, prefix });
        expect(page.items.length).toBeLessThanOrEqual(2);
        ids.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(ids).toEqual([0, 3, 2, 1].map((i) => `${prefix}-${i}`));
      const all = await store().listNewestAccounts({ limit: 200 });
      expect(all.items.map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    });

    it('finds by the start of an id or, whatever the case, of a name, and continues after an account that was deleted', async () => {
      const name = unique('Zoë (Ltd.)');
      for (const i of [0, 1, 2]) await store().putAccount({ id: unique('p'), name: `${name}${i}`, createdAt: at(i) });
      const prefix = name.toUpperCase().replace('LTD', 'ltd');
      const first = await store().listNewestAccounts({ limit: 1, prefix });
      expect(first.items.map((one) => one.name)).toEqual([`${name}2`]);
      await store().deleteAccount(first.items[0]?.id ?? '', at(9));
      const second = await store().listNewestAccounts({ limit: 5, prefix, cursor: first.nextCursor });
      expect(second.items.map((one) => one.name)).toEqual([`${name}1`, `${name}0`]);
      expect((await store().listNewestAccounts({ limit: 5, prefix: `.*${name}` })).items).toEqual([]);
    });

    it('hides a deleted account at once, removes its settings, and refuses its id until the deletion is forgotten', async () => {
      const id = unique('gone');
      await store().putAccount({ id, name: 'n', createdAt: at(1) });
      const token = { id: unique('tok'), account: id, tokenHash: unique('hash'), label: 'x', createdAt: at(1) };
      const open = { ...token, access: 'manage', expiresAt: null } as const;
      await store().createToken(open);
      await store().createSecret(id, { id: 's', secret: 'whsec_AAA=', createdAt: at(1) }, 2);
      await store().createSubscription({
        id: unique('sub'),
        account: id,
        address: 'https://example.com',
        active: true,
        type: 'open',
        module: 'transactional_email',
      });
      await store().putCampaignWebhook(id, { address: 'https://example.com', active: true, inactiveReason: null });

      await expect(store().deleteAccount(id, at(5))).resolves.toBe(true);
      await expect(store().findAccount(id)).resolves.toBeUndefined();
      const listed = await store().listAccounts({ limit: 1000 });
      expect(listed.map((account) => account.id)).not.toContain(id);
      const deletion = { account: id, startedAt: at(5), finishedAt: null };
      await expect(store().deleteAccount(id, at(6))).resolves.toBe(true);
      await expect(store().findDeletion(id)).resolves.toEqual(deletion);
      await expect(store().listDeletions()).resolves.toContainEqual(deletion);
      await expect(store().putAccount({ id, name: 'n', createdAt: at(7) })).rejects.toThrow(StoreConflictError);
      await expect(store().listSubscriptions(id)).resolves.toHaveLength(1);

      const origin = 'https://example.com';
      const settings = {
        account: id,
        destination: 'campaign',
        origin,
        headers: {},
        maxRequestsPerSecond: 5,
        secrets: [],
        version: 1,
      };
      await store().putDestinationSettings(settings);
      for (let again = 0; again < 2; again += 1) await store().removeSettings(id);
      await expect(store().listDestinationSettings(id)).resolves.toEqual([]);
      await expect(store().findToken(token.tokenHash)).resolves.toBeUndefined();
      await expect(store().listTokens(id)).resolves.toEqual([]);
      await expect(store().listSecrets(id)).resolves.toEqual([]);
      await expect(store().listSubscriptions(id)).resolves.toEqual([]);
      await expect(store().getCampaignWebhook(id)).resolves.toMatchObject({ address: null, version: 0 });

      await store().finishDeletion(id, at(8));
      await expect(store().findDeletion(id)).resolves.toEqual({ ...deletion, finishedAt: at(8) });
      await store().forgetDeletion(id);
      await expect(store().findDeletion(id)).resolves.toBeUndefined();
      await expect(store().putAccount({ id, name: 'new', createdAt: at(9) })).resolves.toBe('created');
    });

    it('deletes no account that does not exist, and lists the tokens of an account, oldest first', async () => {
      await expect(store().deleteAccount(unique('none'), at(1))).resolves.toBe(false);
      const account = unique('tokens');
      const tokens = [2, 1].map((minute) => ({
        id: unique('tok'),
        account,
        tokenHash: unique('hash'),
        label: `label ${minute}`,
        createdAt: at(minute),
        access: 'read' as const,
        expiresAt: at(9),
      }));
      for (const token of tokens) await store().createToken(token);
      await expect(store().listTokens(account)).resolves.toEqual([...tokens].reverse());
    });

    it('keeps producer tokens, with the accounts that they are limited to', async () => {
      const tokens = [null, ['a', 'b']].map((accounts, i) => ({
        id: unique('tok'),
        tokenHash: unique('hash'),
        label: `producer ${i}`,
        accounts,
        createdAt: at(i),
        expiresAt: i === 0 ? null : at(9),
      }));
      for (const token of [...tokens].reverse()) await store().createProducerToken(token);
      const ids = tokens.map(({ id }) => id);
      const own = async () => (await store().listProducerTokens()).filter(({ id }) => ids.includes(id));
      expect(await own()).toEqual(tokens);
      expect(await store().deleteProducerToken(ids[0] ?? '')).toBe(true);
      expect(await store().deleteProducerToken(ids[0] ?? '')).toBe(false);
      expect(await own()).toEqual(tokens.slice(1));
    });

    it('keeps settings of destinations, and lets one of two simultaneous writers win', async () => {
      const account = unique('settings');
      const origin = 'https://example.com:8443';
      const secrets = [{ id: 's', secret: 'whsec_AAA=', createdAt: at(1) }];
      const settings = { account, destination: 'campaign', origin, maxRequestsPerSecond: null, secrets };
      const first = { ...settings, headers: { 'x.a$b': 'v"1"' }, version: 1 };
      await expect(store().listDestinationSettings(account)).resolves.toEqual([]);
      await expect(store().putDestinationSettings(first)).resolves.toBe(true);
      await expect(store().putDestinationSettings(first)).resolves.toBe(false);
      await expect(store().listDestinationSettings(account)).resolves.toEqual([first]);
      const writes = ['a', 'b'].map((value) =>
        store().putDestinationSettings({ ...settings, headers: { value }, version: 2 }),
      );
      expect((await Promise.all(writes)).sort()).toEqual([false, true]);
      await expect(store().putDestinationSettings({ ...first, version: 4 })).resolves.toBe(false);
      await store().putDestinationSettings({ ...first, destination: 'sub1' });
      expect((await store().listDestinationSettings(account)).map(({ destination }) => destination).sort()).toEqual([
        'campaign',
        'sub1',
      ]);
    });

    it('replaces the text of a secret only if it has not changed meanwhile', async () => {
      const account = unique('seal');
      const secret = { id: 's', secret: 'whsec_AAA=', createdAt: at(1) };
      await store().createSecret(account, secret, 2);
      await store().resealSecret(account, 's', 'whsec_BBB=', 'wrong');
      await store().resealSecret(account, 'other', 'whsec_AAA=', 'wrong');
      await expect(store().listSecrets(account)).resolves.toEqual([secret]);
      await store().resealSecret(account, 's', 'whsec_AAA=', 'sealed');
      await expect(store().listSecrets(account)).resolves.toEqual([{ ...secret, secret: 'sealed' }]);
    });
  });
}
