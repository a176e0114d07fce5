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
        ...{ worker: 'w', firstClaim: 1, room: { proven: 0, others: 0 }, jobKey: `${rig.base}job`, mark, part: 1 },
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
      ...{ worker: 'w', firstClaim: 1, room: { proven: 99, others: 99 }, jobKey: '', mark: 'c', part: 1 },
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
});
