import {
  addDestination,
  addSecret,
  editDestination,
  newAccount,
  removeDestination,
  setCampaign,
  StoreConflictError,
} from '@mailhook/core';
import type { Destination, StoredAccount } from '@mailhook/core';
import { QueueUnavailableError } from '@mailhook/delivery';
import type { DestinationRegistry } from '@mailhook/delivery';
import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import { someSettings, testRedisUrl, uniqueName } from '@mailhook/testing';
import type { Redis } from '@mailhook/platform/redis';
import { createRedisStore } from '../store/redis/redis-store.ts';
import { createAccountWriter } from './account-writer.ts';
import { createRoutingTable } from './routing-table.ts';
import { createSnapshotLoader } from './snapshot.ts';
import { createUnfinishedChanges } from './unfinished-changes.ts';
import type { UnfinishedChanges } from './unfinished-changes.ts';

const MODULE = 'transactional_email';

/** A registry that a test can break. Records of deleted destinations stay, as in Redis. */
function createRegistry() {
  const records = new Map<string, Destination>();
  const deleted = new Map<string, number>();
  const state = { isBroken: false, saves: 0 };
  const check = (): void => {
    if (state.isBroken) throw new Error('Connection is closed.');
  };
  const registry: Pick<DestinationRegistry, 'save' | 'remove'> = {
    save: async (destination, isBack) => {
      await Promise.resolve();
      check();
      state.saves += 1;
      const tombstone = deleted.get(destination.id);
      if (tombstone !== undefined && isBack !== true) return tombstone + 1;
      deleted.delete(destination.id);
      const { version = 0 } = records.get(destination.id) ?? {};
      if (version > destination.version) return version;
      const isSame = JSON.stringify(records.get(destination.id)) === JSON.stringify(destination);
      records.set(destination.id, destination);
      return isSame ? 'same' : 'written';
    },
    remove: async ({ id }) => {
      await Promise.resolve();
      check();
      deleted.set(id, records.get(id)?.version ?? 0);
      records.delete(id);
    },
  };
  return { registry, records, state };
}

describe('account writer', () => {
  let redis: Redis;
  beforeAll(async () => {
    redis = connectRedis({ url: await testRedisUrl(), role: 'fail-fast', name: 'test', onError: () => undefined });
    await whenReady(redis, 5000);
  });
  afterAll(() => closeRedis(redis));

  const rig = async (published: unknown[] = [], notes?: UnfinishedChanges) => {
    const prefix = uniqueName('writer');
    const store = createRedisStore({ redis, prefix });
    await store.save(newAccount({ id: 'acc', name: 'Acme', createdAt: '2026-01-02T03:04:05.678Z' }));
    const routing = createRoutingTable({
      lookUp: createSnapshotLoader(store),
      now: () => performance.now(),
    });
    const bus = { publish: (change: unknown) => Promise.resolve(void published.push(change)), close: () => undefined };
    const parts = createRegistry();
    const warned: unknown[] = [];
    const logger = { warn: (...line: unknown[]) => void warned.push(line[1]) };
    const unfinished = notes ?? createUnfinishedChanges(redis, prefix);
    const deps = { store, registry: parts.registry, routing, bus, unfinished, logger };
    const writer = createAccountWriter({ ...deps, reseal: (account) => account });
    return {
      ...parts,
      routing,
      published,
      store,
      warned,
      writer,
      unfinished,
      notes: () => redis.zrange(`${prefix}:unfinished-changes`, '0', '-1'),
    };
  };
  const adds = (id: string) => (account: StoredAccount) =>
    addDestination(account, {
      id,
      module: MODULE,
      settings: someSettings(MODULE, { address: 'https://example.com/' }),
      headers: {},
    });

  it('updates the registry, the routing and the other replicas before it resolves', async () => {
    const { writer, records, routing, published } = await rig();
    await writer.change('acc', adds('a'));
    expect(records.get('a')).toMatchObject({
      kind: 'transactional',
      address: 'https://example.com/',
      active: true,
      secrets: [],
    });
    expect(Math.abs((records.get('a')?.version ?? 0) - Date.now())).toBeLessThan(60_000);
    expect(routing.peek('acc')?.routes.transactional_email.open).toEqual([{ id: 'a', version: 1 }]);
    expect(published).toEqual([{ account: 'acc' }]);
  });

  it('writes a new secret to every destination', async () => {
    const { writer, records } = await rig();
    await writer.change('acc', adds('a'));
    await writer.change('acc', (account) => setCampaign(account, { address: 'https://example.com/c', active: true }));
    await writer.change('acc', (account) =>
      addSecret(account, { id: 's', secret: 'whsec_AA==', createdAt: '', endsAt: null }),
    );
    expect([...records.values()].map(({ id, secrets }) => [id, secrets])).toEqual([
      ['a', ['whsec_AA==']],
      ['campaign-acc', ['whsec_AA==']],
    ]);
  });

  it('rejects if the registry cannot be updated, and repairs it later', async () => {
    const { writer, records, routing, state, published } = await rig();
    state.isBroken = true;
    const write = writer.change('acc', adds('a'));
    await expect(write).rejects.toThrow(QueueUnavailableError);
    expect([routing.peek('acc'), published]).toEqual([undefined, []]);
    state.isBroken = false;
    expect(writer.takeBehind()).toEqual(['acc']);
    await writer.repair('acc');
    expect(records.has('a')).toBe(true);
    expect(writer.takeBehind()).toEqual([]);
  });

  it('leaves a note for the other replicas until the workers have the change', async () => {
    const { writer, state, notes } = await rig();
    const seen: Promise<string[]>[] = [];
    await writer.change('acc', (account) => {
      seen.push(notes());
      return adds('a')(account);
    });
    expect([(await seen[0])?.length, await notes()]).toEqual([1, []]);
    const refused = () => new StoreConflictError('full');
    await expect(writer.change('acc', refused)).rejects.toThrow('full');
    expect(await notes()).toEqual([]);
    state.isBroken = true;
    await expect(writer.change('acc', adds('b'))).rejects.toThrow(QueueUnavailableError);
    expect(await notes()).toHaveLength(1);
  });

  it('stores nothing that it cannot note', async () => {
    const away = createUnfinishedChanges(
      { eval: () => Promise.reject(new Error('Connection is closed.')) } as never,
      '',
    );
    const { writer, store } = await rig([], away);
    await expect(writer.change('acc', adds('a'))).rejects.toThrow('nothing was changed');
    expect((await store.load('acc'))?.destinations).toEqual([]);
  });

  it('checks an account without telling anybody if the registry is equal to the store', async () => {
    const { writer, records, published } = await rig();
    await writer.change('acc', adds('a'));
    published.length = 0;
    await writer.check('acc');
    expect(published).toEqual([]);
    records.clear();
    await writer.check('acc');
    expect([[...records.keys()], published]).toEqual([['a'], [{ account: 'acc' }]]);
  });

  it('retries a failed removal later', async () => {
    const { writer, records, state } = await rig();
    await writer.change('acc', adds('a'));
    state.isBroken = true;
    const removed = writer.change('acc', (account) => removeDestination(account, 'a'));
    await expect(removed).rejects.toThrow(QueueUnavailableError);
    state.isBroken = false;
    await writer.repair('acc');
    expect(records.has('a')).toBe(false);
  });

  it('changes nothing when the store wrote nothing', async () => {
    const { writer, state, published } = await rig();
    await writer.change('acc', (account) => editDestination(account, 'none', { settings: { active: false } }));
    await writer.change('none', adds('a'));
    expect([state.saves, published]).toEqual([0, []]);
  });

  it('runs writes of one account one after the other', async () => {
    const { writer, records } = await rig();
    await writer.change('acc', adds('a'));
    const first = records.get('a')?.version ?? 0;
    await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        writer.change('acc', (account) => editDestination(account, 'a', { settings: { active: i % 2 === 0 } })),
      ),
    );
    expect(records.get('a')?.active).toBe(false);
    expect(records.get('a')?.version).toBeGreaterThanOrEqual(first + 10);
  });

  const later = () => Date.now() + 3_600_000;

  describe('a store that went back in time', () => {
    it('gets newer versions than the registry has, so that its state holds', async () => {
      const { writer, records, store, warned } = await rig();
      await writer.change('acc', adds('a'));
      const record = records.get('a') as Destination;
      // The clock of the replica that saved it is ahead.
      const version = later();
      records.set('a', { ...record, address: 'https://example.com/later', version });
      await writer.check('acc');
      expect(records.get('a')).toEqual({ ...record, version: version + 1 });
      expect((await store.load('acc'))?.destinations).toMatchObject([{ version: version + 1 }]);
      expect(warned).toEqual([{ account: 'acc', destinations: ['a'] }]);
    });

    it('gets a deleted subscription back that it has again', async () => {
      const { writer, records, registry } = await rig();
      await writer.change('acc', adds('a'));
      await registry.remove({ id: 'a', account: 'acc', kind: 'transactional' });
      await writer.check('acc');
      expect(records.get('a')).toMatchObject({ active: true, address: 'https://example.com/' });
    });

    it('is told from a replica that has read the account before a change by another one', async () => {
      const { writer, records, store, warned, registry, unfinished } = await rig();
      await writer.change('acc', adds('a'));
      const stale = await store.load('acc');
      await writer.change('acc', (account) => editDestination(account, 'a', { settings: { active: false } }));
      const saved = await store.load('acc');
      const reads = [stale];
      const late = createAccountWriter({
        store: { ...store, load: async (id) => reads.pop() ?? store.load(id) },
        registry,
        routing: { install: () => undefined, add: () => undefined } as never,
        bus: { publish: () => Promise.resolve(), close: () => undefined },
        unfinished,
        reseal: (account) => account,
        logger: { warn: (...line: unknown[]) => void warned.push(line) },
      });
      await late.check('acc');
      expect([await store.load('acc'), records.get('a')?.active, warned]).toEqual([saved, false, []]);
    });
  });

  describe('a record of a destination that the store does not have', () => {
    const unknown = (account: string) => ({ id: 'a', kind: 'transactional', account, version: 5 }) as const;

    it('is removed', async () => {
      const { writer, records } = await rig();
      records.set('a', {} as Destination);
      await writer.removeUnknown(unknown('acc'));
      expect(records.has('a')).toBe(false);
    });

    it('stays if the destination was added meanwhile', async () => {
      const { writer, records } = await rig();
      await writer.change('acc', adds('a'));
      await writer.removeUnknown(unknown('acc'));
      expect(records.has('a')).toBe(true);
    });

    it('comes back when the customer sets the campaign webhook that the record is of', async () => {
      const { writer, records } = await rig();
      const record = { id: 'campaign-acc', kind: 'campaign', account: 'acc', version: later() } as const;
      await writer.removeUnknown(record);
      expect(records.get('campaign-acc')).toBeUndefined();
      await writer.change('acc', (account) => setCampaign(account, { address: 'https://example.com/', active: true }));
      expect(records.get('campaign-acc')).toMatchObject({ address: 'https://example.com/', active: true });
    });
  });
});
