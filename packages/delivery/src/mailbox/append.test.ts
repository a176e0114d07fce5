import { eventually } from '@mailhook/testing';
import { entry, LIMITS, scriptsRig } from './mailbox-rig.suite.ts';

describe('append', () => {
  const rig = scriptsRig('transactional');
  const one = () => entry('msg_e1\n{}');

  beforeEach(() => rig.save(true, 1));

  it('appends all groups again after an append that failed at one of them', async () => {
    await rig.commands.saveDestination('e', ['account', 'http://127.0.0.1/', '1', '', 1, '']);
    await rig.redis.hset(`${rig.base}job`, 'data', '');
    const append = (mark: string) =>
      rig.commands.append({
        ...{ worker: 'w', firstClaim: 1, room: { proven: 0, others: 0 }, jobKey: `${rig.base}job`, mark, slice: 1 },
        limits: LIMITS,
        groups: ['d', 'e'].map((destination) => ({
          ...{ destination, account: 'account', lane: 'f' as const, events: 1, entries: [one()] },
        })),
      });
    for (const mark of ['', 'c1']) {
      await rig.redis.set(`${rig.base}f:e`, 'no list');
      await expect(append(mark)).rejects.toThrow(/WRONGTYPE/);
      await rig.redis.del(`${rig.base}f:e`);
      await expect(append(mark)).resolves.toMatchObject({ claims: 0 });
      expect(await rig.redis.llen(`${rig.base}f:e`)).toBe(1);
      await expect(append(mark)).resolves.toBe('again');
    }
  });

  it('claims a limited number of destinations on the long path, and the others wait on a ready list', async () => {
    const destinations = Array.from({ length: 40 }, (_, i) => `d${i}`);
    for (const one of destinations)
      await rig.commands.saveDestination(one, ['account', 'http://127.0.0.1/', '1', '', 1, '']);
    const reply = await rig.commands.append({
      ...{ worker: 'w', firstClaim: 1, room: { proven: 99, others: 99 }, jobKey: '', mark: 'c', slice: 1 },
      limits: LIMITS,
      // Two entries need the long path.
      groups: destinations.map((destination) => ({
        ...{ destination, account: 'account', lane: 'f' as const, events: 2, entries: [one(), one()] },
      })),
    });
    expect(reply).toMatchObject({ claims: 24, idle: 40 });
    expect(await rig.redis.llen(`${rig.base}ready`)).toBe(16);
    const { replies } = await rig.commands.take('w', 100, { proven: 99, others: 99 }, LIMITS);
    expect(replies).toHaveLength(16);
  });

  it('only adds the events of a destination that has an owner or is on a ready list', async () => {
    const counted = async () => Number(await rig.field('ef'));
    expect(await rig.append([one()])).toMatchObject({ claims: 0, mine: [], idle: 1 });
    expect(await rig.append([one(), one()], { room: 1 })).toMatchObject({ claims: 0, mine: [], idle: 0 });
    expect([await counted(), await rig.redis.llen(`${rig.base}ready`)]).toEqual([3, 1]);
    await rig.take('w');
    const before = await counted();
    expect(await rig.append([one()], { room: 1, claim: 2 })).toMatchObject({ claims: 0, mine: ['d'], idle: 0 });
    expect(await rig.append([one()], { room: 1, worker: 'another' })).toMatchObject({ claims: 0, mine: [], idle: 0 });
    expect(await counted()).toBe(before + 2);
    await rig.save(false, 2);
    expect(await rig.append([one()])).toMatchObject({ dropped: 0, mine: ['d'] });
    await rig.commands.removeDestination('d', 'account');
    expect(await rig.append([one()])).toMatchObject({ dropped: 1, mine: [] });
    expect(await counted()).toBe(before + 3);
  });

  it('to a parked destination is followed by its wake-up in time, although an earlier wake-up came early', async () => {
    const untilMs = (await rig.commands.nowMs()) + 900;
    await rig.redis.hset(`${rig.base}d:d`, 'bu', untilMs);
    await rig.redis.zadd(`${rig.base}parked`, untilMs, 'd');
    expect(await rig.commands.wake('d')).toBe(false);
    await rig.append([one()]);
    const isReady = async () => (await rig.commands.heartbeat('w', 60_000, 500)).waiting.others === 1;
    await eventually(isReady, { what: 'the ready list' });
  });

  describe('to a destination that was deleted before it had a record', () => {
    const append = (room: number) =>
      rig.commands.append({
        ...{ worker: 'w', firstClaim: 1, room: { proven: room, others: room }, jobKey: '', mark: `c${room}`, slice: 1 },
        limits: LIMITS,
        groups: [{ destination: 'u', account: 'account', lane: 'f', events: 1, entries: [one()] }],
      });
    const remove = () => rig.commands.removeDestination('u', 'account');

    it('drops later events, also with room', async () => {
      await remove();
      expect(await append(0)).toMatchObject({ dropped: 1 });
      expect(await append(1)).toMatchObject({ claims: 0, dropped: 1 });
      expect(await rig.redis.ttl(`${rig.base}d:u`)).toBeGreaterThan(0);
    });

    it('lets a worker delete earlier events, and the sums of the account end', async () => {
      expect(await append(0)).toMatchObject({ dropped: 0 });
      await remove();
      expect(await append(1)).toMatchObject({ claims: 0, dropped: 1 });
      const [taken] = (await rig.take('w')).replies;
      expect(taken?.status).toBe('give up');
      const step = { destination: 'u', token: taken?.token ?? '', idPrefix: 'p-', reason: '' };
      expect(await rig.commands.giveUpStep(step)).toMatchObject({ dropped: 1, account: 'account' });
      for (const sums of ['undelivered', 'held'])
        expect(await rig.redis.hget(`${rig.keys.shared}${sums}`, 'account')).toBeNull();
      expect(await rig.redis.exists(`${rig.base}f:u`)).toBe(0);
    });
  });
});
