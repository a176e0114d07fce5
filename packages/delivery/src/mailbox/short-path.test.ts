import type { Mechanism } from '@mailhook/core';
import { delivered, entry, scriptsRig } from './mailbox-rig.suite.ts';
import type { DrainReply } from './replies.ts';

// A mailbox with a single entry takes a short path through the scripts (lua/includes/single.lua). It must leave the same state as the long one.
describe.each<Mechanism>(['transactional', 'campaign'])('the short path of %s', (kind) => {
  const rig = scriptsRig(kind);
  const one = (name = 'e1') => entry(`msg_${name}\n{}`);
  const claim = async (worker = 'w'): Promise<DrainReply> => {
    const { replies } = await rig.append([one()], { worker, room: 1 });
    return replies[0] as DrainReply;
  };
  const release = ({ destination, token, batches }: DrainReply, attempt = 1) =>
    rig.commands.release('w', [{ destination, account: 'account', token, batch: batches[0]?.id ?? '', attempt }]);
  /** A field with an unusual value, which makes the scripts take the long path. */
  const forceLongPath = () => rig.redis.hset(`${rig.base}d:d`, 'turn', 'x');
  /** Everything about the destination, without the fields that only one path writes with their default value. */
  const state = async () => {
    const { redis, keys, base } = rig;
    const record = Object.entries(await redis.hgetall(`${base}d:d`));
    return {
      record: Object.fromEntries(record.filter(([name, value]) => name !== 'turn' && value !== '' && value !== '0')),
      lane: await redis.lrange(`${base}f:d`, 0, -1),
      busy: await redis.zrange(keys.busy, '0', '-1'),
      owned: await redis.smembers(keys.owned('w')),
      sums: [await redis.hgetall(keys.undelivered), await redis.hgetall(keys.sumOf('held'))],
      ready: await redis.exists(...keys.readyLists),
    };
  };
  const withoutTimes = (text: string): string => text.replaceAll(/"[0-9a-z]{8}(?=0001)/g, '"<time>');
  const shown = async () => withoutTimes(JSON.stringify(await state()));
  const isSingle = ({ isSingle: single }: DrainReply) => single === true;

  beforeEach(() => rig.save(true, 1));

  it('claims, settles and releases with the same state and reply as the long path', async () => {
    const steps = async () => {
      const claimed = await claim();
      const whileOwned = await shown();
      const { isSingle: _, ...reply } = claimed;
      const [batch] = reply.batches;
      return { claimed, reply: { ...reply, batches: [{ ...batch, acceptedAtMs: 0 }] }, whileOwned };
    };
    const short = await steps();
    expect(isSingle(short.claimed)).toBe(true);
    await expect(release(short.claimed)).resolves.toEqual(['released']);
    const afterShort = await shown();

    await rig.redis.del(`${rig.base}d:d`);
    await rig.save(true, 1);
    await forceLongPath();
    const long = await steps();
    expect(isSingle(long.claimed)).toBe(false);
    expect([short.reply, short.whileOwned]).toEqual([long.reply, long.whileOwned]);
    const { status } = await rig.next(long.claimed.token, { settles: [delivered(long.claimed.batches[0]?.id ?? '')] });
    expect(status).toBe('idle');
    expect(afterShort).toBe(await shown());
    expect(afterShort).toContain('"lane":[],"busy":[],"owned":[],"sums":[{},{}]');
  });

  it('takes a waiting destination with the same state and reply as the long path', async () => {
    const steps = async () => {
      await rig.append([one()]);
      const [reply] = (await rig.take('w')).replies;
      const { isSingle: single = false, ...rest } = reply as DrainReply;
      return { single, rest: { ...rest, batches: [{ ...rest.batches[0], acceptedAtMs: 0 }] }, owned: await shown() };
    };
    const short = await steps();
    expect(short.single).toBe(true);
    await rig.redis.del(`${rig.base}d:d`, `${rig.base}f:d`, rig.keys.busy, rig.keys.owned('w'));
    await rig.redis.del(rig.keys.undelivered, rig.keys.sumOf('held'));
    await rig.save(true, 1);
    await forceLongPath();
    expect(await steps()).toEqual({ ...short, single: false });
  });

  it('keeps the owner while the destination holds more', async () => {
    const claimed = await claim();
    await rig.append([one('e2')]);
    await expect(release(claimed)).resolves.toEqual(['settled']);
    const { status, batches } = await rig.next(claimed.token);
    expect([status, batches.map(({ content }) => content)]).toEqual(['ok', ['msg_e2\n{}']]);
  });

  it('changes nothing for a worker that has lost the destination, nor for another batch or attempt', async () => {
    const lost = await claim();
    await rig.commands.abandon('d', lost.token);
    const { replies } = await rig.take('w', 2);
    const owner = replies[0] as DrainReply;
    expect(owner.batches).toMatchObject([{ id: lost.batches[0]?.id, attempt: 2 }]);
    const before = await shown();
    await expect(release(lost)).resolves.toEqual(['unchanged']);
    await expect(release({ ...lost, token: owner.token })).resolves.toEqual(['unchanged']);
    await expect(release({ ...lost, batches: [] }, 2)).resolves.toEqual(['unchanged']);
    await expect(release(lost, 2)).resolves.toEqual(['unchanged']);
    expect(await shown()).toBe(before);
    await expect(release(owner, 2)).resolves.toEqual(['released']);
  });

  it('settles once, however often it is called', async () => {
    const claimed = await claim();
    await expect(release(claimed)).resolves.toEqual(['released']);
    const after = await shown();
    await expect(release(claimed)).resolves.toEqual(['unchanged']);
    expect(await shown()).toBe(after);
  });

  it.each([
    ['paused', 'parked', () => rig.commands.pause('d', Date.now() + 60_000)],
    ['switched off', 'idle', () => rig.save(false, 2)],
    ['deleted', 'idle', () => rig.commands.removeDestination('d')],
  ] as const)(
    'leaves a destination to the long path that was %s while its batch was in flight',
    async (_, end, change) => {
      const claimed = await claim();
      await change();
      await expect(release(claimed)).resolves.toEqual(['unchanged']);
      const { status } = await rig.next(claimed.token, { settles: [delivered(claimed.batches[0]?.id ?? '')] });
      expect(status).toBe(end);
    },
  );
});
