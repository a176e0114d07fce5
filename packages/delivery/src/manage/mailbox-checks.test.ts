import { Installation } from '../mailbox/installation.ts';
import { readAccountSums } from '../mailbox/accounts.ts';
import { delivered, entry, failed, firstOf, HOUR_MS, scriptsRig } from '../mailbox/mailbox-rig.suite.ts';
import { createMailboxChecks } from './mailbox-checks.ts';

describe('checks of mailboxes at rest', () => {
  const rig = scriptsRig('transactional');
  const large = (id: string) => entry(`msg_${id}\n${'x'.repeat(600)}`);
  const violations = async () => (await rig.commands.heartbeat('w', HOUR_MS, 500)).violations;
  const sums = () => readAccountSums(rig.redis, rig.keys, 'account');
  const D = { id: 'd', kind: 'transactional', account: 'account' } as const;
  const check = async (destinations = [D.id]) => {
    const installation = new Installation(rig.redis, rig.keys.prefix, 1);
    await createMailboxChecks(installation).check([D], [{ id: 'account', destinations }]);
    await installation.close();
  };
  /** As half of a settle: its events are gone from the lane, and the sum still counts them. */
  const halfSettle = async () => {
    const { token, batch } = firstOf((await rig.append([large('one')], { room: 1 })).replies);
    const before = (await rig.redis.hgetBuffer(rig.keys.sums, 'account')) ?? '';
    const state = (await rig.redis.hgetBuffer(rig.keys.live, 'd')) ?? '';
    await rig.next(token, { settles: [delivered(batch?.id ?? '')] });
    await rig.redis.hset(rig.keys.sums, 'account', before);
    return state;
  };

  beforeEach(() => rig.save(true, 1));

  it.each(['f', 'u', 'r'])('count entries of lane %s without a state, so that they are sent', async (lane) => {
    await rig.redis.rpush(`${rig.base}${lane}:d`, large('half'), large('half too'));
    await check();
    expect((await sums()).events).toBe(2);
    expect(firstOf((await rig.take('w')).replies).batch?.fragments).toContain('half');
    expect(await violations()).toEqual([{ what: 'extra-entries', name: 'd' }]);
    await check();
    expect(await violations()).toEqual([]);
  });

  it('count entries beside a resend that waits', async () => {
    const { token, batch } = firstOf((await rig.append([large('one')], { room: 1 })).replies);
    await rig.next(token, { settles: [failed(batch?.id ?? '', HOUR_MS)] });
    await rig.redis.rpush(`${rig.base}f:d`, large('half'));
    await check();
    expect((await rig.mailbox()).state).toMatchObject({ fresh: 1, resends: 1 });
    expect((await sums()).events).toBe(2);
    expect(await violations()).toEqual([{ what: 'extra-entries', name: 'd' }]);
  });

  it('leave entries that are frozen, and those that their state counts', async () => {
    await rig.append([large('one'), large('two')], { room: 1 });
    await check();
    await rig.append([large('three')]);
    await check();
    expect(await violations()).toEqual([]);
    expect((await sums()).events).toBe(3);
  });

  it('correct a sum that counts events which no mailbox has', async () => {
    await halfSettle();
    expect((await sums()).events).toBe(1);
    await check();
    expect(await violations()).toEqual([{ what: 'sum-without-mailbox', name: 'account' }]);
    expect(await rig.redis.hget(rig.keys.sums, 'account')).toBeNull();
    await check();
    expect(await violations()).toEqual([]);
  });

  it('leave the bytes of dead letters in such a sum', async () => {
    await halfSettle();
    await rig.redis.zadd(rig.keys.deadLettersOf('account'), 1, 't1');
    const { bytes } = await sums();
    await check();
    expect(await sums()).toMatchObject({ events: 0, bytes });
  });

  it.each([
    ['has a live mailbox', ['d'], 'transactional'],
    ['has a mailbox that the caller does not know', [], 'transactional'],
    ['has a mailbox of the other mechanism', [], 'campaign'],
  ] as const)('leave the sum of an account that %s', async (_, destinations, kind) => {
    const state = await halfSettle();
    const keys = new Installation(rig.redis, rig.keys.prefix, 1).keysOf('account', kind);
    const target = await rig.redis.hgetBuffer(rig.keys.targets, 'd');
    const id = destinations[0] ?? 'unknown';
    await rig.redis.hset(keys.targets, id, target ?? '');
    await rig.redis.hset(keys.live, id, state);
    await check([...destinations]);
    await rig.redis.hdel(keys.live, id);
    expect(await violations()).toEqual([]);
    expect((await sums()).events).toBe(1);
  });
});
