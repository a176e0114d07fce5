import { randomBytes } from 'node:crypto';
import {
  addDestination,
  ALERT_KINDS,
  addToken,
  newAccount,
  removeDestination,
  StoreConflictError,
} from '@mailhook/core';
import type { Store, StoredAccount, StoredToken } from '@mailhook/core';
import type { TestTool } from '@mailhook/testing';
import { aStoredDestination, unlessMissing } from '@mailhook/testing';
import { changeAccount, putAccount, removeAccount } from '../accounts/change-account.ts';
import { describeSearch } from './store-search.suite.ts';

const unique = (name: string): string => `${name}-${randomBytes(6).toString('hex')}`;
const at = (minute: number): string => `2026-11-23T10:${String(minute).padStart(2, '0')}:00.000Z`;

const account = (id = unique('acc'), minute = 1): StoredAccount =>
  newAccount({ id, name: 'Ann & "Söhne" / GmbH', createdAt: at(minute) });

const aDestination = () => aStoredDestination(unique('dest'));

const aToken = (expiresAt: string | null = null): StoredToken => ({
  id: unique('tok'),
  tokenHash: randomBytes(32).toString('hex'),
  label: '',
  access: 'manage',
  createdAt: at(1),
  expiresAt,
});

/** An account with something in every field. */
function fullAccount(): StoredAccount {
  const secret = { id: unique('sec'), secret: 'whsec_AAA=', createdAt: at(1), endsAt: null };
  const [first, second, third] = [aDestination(), aDestination(), aStoredDestination(unique('dest'), {}, 'campaign')];
  const filter = { metadata: { 'a.b': '$x' }, domains: ['.example.net'] };
  return {
    ...account(),
    tokens: [aToken(), aToken(at(9))],
    secrets: [{ ...secret, id: unique('sec'), endsAt: at(2) }, secret],
    destinations: [
      {
        ...first,
        settings: { ...first.settings, types: ['*'], version: 2, name: 'CRM', concurrency: 4, filter },
        headers: { 'x.a$b': 'v"1"' },
        headersVersion: 2,
        secrets: [secret],
      },
      { ...second, settings: { ...second.settings, active: false, maxRequestsPerSecond: 5 }, version: 7 },
      {
        ...third,
        settings: { ...third.settings, address: null, active: false, shape: 'batch' },
        inactiveReason: 'the receiver answered 410',
        goneAt: at(3),
      },
    ],
    alertAddresses: [
      {
        id: unique('al'),
        email: 'a@b.example',
        language: 'pl',
        confirmed: true,
        token: 't',
        createdAt: at(1),
        kinds: [...ALERT_KINDS],
        muted: ['campaign'],
      },
    ],
    alertWebhooks: [
      {
        id: unique('aw'),
        address: 'https://hooks.slack.example/T0/B0',
        language: 'en',
        createdAt: at(1),
        kinds: ['failing'],
        muted: [],
      },
    ],
  };
}

/** The account as it is after a save. */
async function saved(store: Store, one: StoredAccount): Promise<StoredAccount> {
  expect(await store.save(one)).toBe(true);
  return { ...one, version: one.version + 1 };
}

/**
 * What every `Store` guarantees (packages/core/src/ports/store). Each test uses new accounts, so the store may hold
 * others.
 */
export function describeStore(name: string, open: () => Promise<Store>, tool?: TestTool): void {
  unlessMissing(describe, tool)(`store: ${name}`, () => {
    let store: Store;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());

    describeDocuments(() => store);
    describeUniqueness(() => store);
    describeWriters(() => store);
    describeLists(() => store);
    describeDeletions(() => store);
    describeSearch(() => store);
    it('answers a ping', async () => {
      await expect(store.ping()).resolves.toBeUndefined();
    });
    it('keeps the id of the last comparison', async () => {
      const ids = [unique('comparison'), unique('comparison')];
      for (const id of ids) await store.noteComparison(id);
      expect(await store.readComparison()).toBe(ids[1]);
    });
    it('keeps producer tokens, with the accounts that they are limited to', async () => {
      const tokens = [null, ['a', 'b']].map((accounts, i) => {
        const { access: _, ...token } = aToken(i === 0 ? null : at(9));
        return { ...token, label: `producer ${i}`, accounts, createdAt: at(i) };
      });
      for (const token of [...tokens].reverse()) await store.createProducerToken(token);
      const ids = tokens.map(({ id }) => id);
      const own = async () => (await store.listProducerTokens()).filter(({ id }) => ids.includes(id));
      expect(await own()).toEqual(tokens);
      expect(await store.deleteProducerToken(ids[0] ?? '')).toBe(true);
      expect(await store.deleteProducerToken(ids[0] ?? '')).toBe(false);
      expect(await own()).toEqual(tokens.slice(1));
    });
  });
}

function describeDocuments(store: () => Store): void {
  describe('an account', () => {
    it.each([
      ['without anything', account],
      ['with everything', fullAccount],
    ])('%s is read as it was saved', async (_name, create) => {
      const first = await saved(store(), create());
      await expect(store().load(first.id)).resolves.toEqual(first);
      const second = await saved(store(), { ...fullAccount(), id: first.id, version: 1 });
      await expect(store().load(first.id)).resolves.toEqual(second);
      const third = await saved(store(), { ...account(first.id), name: 'other', version: 2 });
      await expect(store().load(first.id)).resolves.toEqual(third);
    });

    it('is saved only if the stored version is that of the account', async () => {
      const first = account();
      await expect(store().save({ ...first, version: 1 })).resolves.toBe(false);
      await saved(store(), first);
      for (const version of [0, 2]) await expect(store().save({ ...first, name: 'x', version })).resolves.toBe(false);
      await expect(store().load(first.id)).resolves.toEqual({ ...first, version: 1 });
    });

    it('is found with others by one call, without unknown ids', async () => {
      const accounts = [await saved(store(), fullAccount()), await saved(store(), account())];
      const ids = accounts.map(({ id }) => id);
      const found = await store().loadAll([...ids, unique('none'), '__proto__', '$where', 'a.b', '\u0000']);
      expect(found).toHaveLength(2);
      expect(found).toEqual(expect.arrayContaining(accounts));
      await expect(store().loadAll([])).resolves.toEqual([]);
      await expect(store().load(unique('none'))).resolves.toBeUndefined();
    });

    it('is found by any of its tokens, until they are removed', async () => {
      const first = await saved(store(), fullAccount());
      for (const token of first.tokens)
        await expect(store().findByToken(token.tokenHash)).resolves.toEqual({ ...token, account: first.id });
      await expect(store().findByToken(aToken().tokenHash)).resolves.toBeUndefined();
      await saved(store(), { ...first, tokens: first.tokens.slice(1) });
      await expect(store().findByToken(first.tokens[0]!.tokenHash)).resolves.toBeUndefined();
      await expect(store().findByToken(first.tokens[1]!.tokenHash)).resolves.toMatchObject({ account: first.id });
    });
  });
}

function describeUniqueness(store: () => Store): void {
  describe('among all accounts', () => {
    it.each([
      ['token', 'this token is in use', (one: StoredAccount) => ({ tokens: one.tokens.slice(1) })],
      [
        'destination id',
        'this destination id is in use',
        (one: StoredAccount) => ({ destinations: [one.destinations[1]!] }),
      ],
    ])('a %s is unique, and free again after its removal', async (_name, text, partOf) => {
      const owner = await saved(store(), fullAccount());
      const other = account();
      const taking = { ...other, ...partOf(owner) };
      await expect(store().save(taking)).rejects.toThrow(new StoreConflictError(text));
      await saved(store(), other);
      await expect(store().save({ ...taking, version: 1 })).rejects.toThrow(new StoreConflictError(text));
      await expect(store().load(other.id)).resolves.toEqual({ ...other, version: 1 });
      await saved(store(), { ...owner, tokens: [], destinations: [] });
      await saved(store(), { ...taking, version: 1 });
    });

    it('one of several that take a destination id at the same time gets it', async () => {
      const destination = aDestination();
      const accounts = Array.from({ length: 6 }, () => ({ ...account(), destinations: [destination] }));
      const tries = await Promise.allSettled(accounts.map((one) => store().save(one)));
      expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const left = await store().loadAll(accounts.map(({ id }) => id));
      expect(left).toHaveLength(1);
    });
  });
}

function describeWriters(store: () => Store): void {
  describe('several writers', () => {
    it('of which one saves each version', async () => {
      const first = await saved(store(), account());
      const tries = await Promise.all(
        Array.from({ length: 8 }, (_, i) => store().save({ ...first, name: `writer ${i}` })),
      );
      expect(tries.filter(Boolean)).toHaveLength(1);
      await expect(store().load(first.id)).resolves.toMatchObject({
        name: `writer ${tries.indexOf(true)}`,
        version: 2,
      });
    });

    it('lose no change, and keep the limits', async () => {
      const { id } = await saved(store(), account());
      const add = (n: number) =>
        changeAccount(store(), id, (one) => addDestination(one, { ...aDestination(), id: `${id}-${n}` }));
      const tries = await Promise.allSettled(Array.from({ length: 24 }, (_, n) => add(n)));
      expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
      for (const one of tries) if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(StoreConflictError);
      const { destinations = [] } = (await store().load(id)) ?? {};
      expect(destinations).toHaveLength(20);
      await Promise.all([
        ...destinations.slice(0, 6).map((one) => changeAccount(store(), id, (from) => removeDestination(from, one.id))),
        ...Array.from({ length: 6 }, () => changeAccount(store(), id, (to) => addToken(to, aToken()))),
      ]);
      await expect(store().load(id)).resolves.toMatchObject({
        version: 33,
        destinations: destinations.slice(6),
        tokens: Array.from({ length: 6 }, () => ({})),
      });
    });

    it('of which exactly one creates an account', async () => {
      const id = unique('acme:eu.1_2');
      const puts = await Promise.all(Array.from({ length: 5 }, () => putAccount(store(), { id, name: 'same' })));
      expect(puts.map(({ outcome }) => outcome).sort()).toEqual(['created', ...Array<string>(4).fill('unchanged')]);
      const { account: renamed, outcome } = await putAccount(store(), { id, name: 'Söhne' });
      expect([renamed.createdAt, outcome]).toEqual([puts[0]?.account.createdAt, 'renamed']);
    });
  });
}

function describeLists(store: () => Store): void {
  describe('lists of accounts', () => {
    it('have them by id, page by page, each once', async () => {
      const prefix = unique('list');
      const ids = ['a', 'b', 'c', 'd', 'e'].map((letter) => `${prefix}-${letter}`);
      for (const id of [...ids].reverse()) await saved(store(), account(id));
      const first = await store().list(prefix, 2);
      const second = await store().list(first.at(-1), 2);
      const third = await store().list(second.at(-1), 1);
      expect([...first, ...second, ...third]).toEqual(ids);
      await expect(store().list(undefined, 1)).resolves.toHaveLength(1);
    });

    it('have the newest first, page by page, each once', async () => {
      const prefix = unique('age');
      for (const [i, minute] of [3, 1, 2, 2].entries()) await saved(store(), account(`${prefix}-${i}`, minute));
      const ids: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await store().newest({ limit: 2, cursor, prefix });
        expect(page.items.length).toBeLessThanOrEqual(2);
        ids.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(ids).toEqual([0, 3, 2, 1].map((i) => `${prefix}-${i}`));
      const all = await store().newest({ limit: 200 });
      expect(all.items).toContainEqual({ id: ids[0], name: account().name, createdAt: at(3) });
    });

    it('find by the start of an id or of a name in any case, and continue after a deleted account', async () => {
      const name = unique('Zoë (Ltd.)');
      for (const i of [0, 1, 2]) await saved(store(), { ...account(unique('p'), i), name: `${name}${i}` });
      const prefix = name.toUpperCase().replace('LTD', 'ltd');
      const first = await store().newest({ limit: 1, prefix });
      expect(first.items.map((one) => one.name)).toEqual([`${name}2`]);
      await removeAccount(store(), first.items[0]?.id ?? '');
      const second = await store().newest({ limit: 5, prefix, cursor: first.nextCursor });
      expect(second.items.map((one) => one.name)).toEqual([`${name}1`, `${name}0`]);
      expect((await store().newest({ limit: 5, prefix: `.*${name}` })).items).toEqual([]);
    });
  });
}

function describeDeletions(store: () => Store): void {
  it('removes an account with everything, and refuses its id until the deletion is forgotten', async () => {
    const first = await saved(store(), fullAccount());
    const { id } = first;
    await expect(store().remove({ ...first, version: 2 }, at(4))).resolves.toBe(false);
    await expect(store().load(id)).resolves.toEqual(first);
    await expect(store().remove(first, at(5))).resolves.toBe(true);
    await expect(store().load(id)).resolves.toBeUndefined();
    await expect(store().findByToken(first.tokens[0]!.tokenHash)).resolves.toBeUndefined();
    expect([await store().list(undefined, 10_000), (await store().newest({ limit: 1, prefix: id })).items]).toEqual([
      expect.not.arrayContaining([id]),
      [],
    ]);
    const kinds = ['transactional', 'transactional', 'campaign'];
    const destinations = first.destinations.map((one, i) => ({ id: one.id, kind: kinds[i] }));
    const deletion = { account: id, finishedAt: null, destinations };
    await expect(store().findDeletion(id)).resolves.toMatchObject(deletion);
    await expect(store().listDeletions()).resolves.toContainEqual(expect.objectContaining(deletion));
    const taken = new StoreConflictError('an account with this id was deleted lately');
    await expect(store().save({ ...first, version: 0 })).rejects.toThrow(taken);
    await expect(store().save(first)).resolves.toBe(false);

    await store().finishDeletion(id, at(8));
    await expect(store().findDeletion(id)).resolves.toMatchObject({ ...deletion, finishedAt: at(8) });
    await store().finishDeletion(id, null);
    await expect(store().findDeletion(id)).resolves.toMatchObject(deletion);
    await store().finishDeletion(id, at(8));
    await store().forgetDeletion(id);
    await expect(store().findDeletion(id)).resolves.toBeUndefined();
    await saved(store(), { ...first, version: 0 });
  });
}
