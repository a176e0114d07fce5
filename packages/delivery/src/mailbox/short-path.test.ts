import type { Mechanism } from '@mailhook/core';
import { delivered, entry, LIMITS, scriptsRig } from './mailbox-rig.suite.ts';
import type { DrainReply } from './replies.ts';

// A mailbox with a single entry takes a short path through the scripts (lua/includes/single.lua). It must leave the same state as the long one.
describe.each<Mechanism>(['transactional', 'campaign'])('the short path of %s', (kind) => {
  const rig = scriptsRig(kind);
  const one = (name = 'e1') => entry(`msg_${name}\n{}`);
  const claim = async (worker = 'w'): Promise<DrainReply> => {
    const { replies } = await rig.append([one()], { worker, room: 1 });
    return replies[0] as DrainReply;
  };
  const step = ({ destination, token, batches }: DrainReply, attempt = 1) => {
    const batch = batches[0]?.id ?? '';
    const record = { account: 'account', version: '1', credentials: '' };
    return rig.commands.nextSingle([{ ...record, destination, token, batch, attempt }], LIMITS);
  };
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
    expect(short.claimed.isSingle).toBe(true);
    await expect(step(short.claimed)).resolves.toMatchObject([{ status: 'idle', batches: [] }]);
    const afterShort = await shown();

    await rig.redis.del(`${rig.base}d:d`);
    await rig.save(true, 1);
    await forceLongPath();
    const long = await steps();
    expect(long.claimed.isSingle).toBe(undefined);
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

  it('goes on with the next entry, with the same state as the long path', async () => {
    const steps = async (settle: (claimed: DrainReply) => Promise<unknown>) => {
      const claimed = await claim();
      await rig.append([one('e2')]);
      const [reply] = (await settle(claimed)) as [DrainReply];
      expect(reply).toMatchObject({
        status: 'ok',
        token: claimed.token,
        batches: [{ attempt: 1, content: 'msg_e2\n{}' }],
      });
      return { claimed, reply, state: (await shown()).replace(reply.batches[0]?.id ?? '', '<batch>') };
    };
    const short = await steps(step);
    expect(short.reply.batches[0]?.id).not.toBe(short.claimed.batches[0]?.id);
    await expect(step(short.reply)).resolves.toMatchObject([{ status: 'idle', batches: [] }]);
    await forceLongPath();
    const long = await steps(async ({ token, batches }) => [
      await rig.next(token, { settles: [delivered(batches[0]?.id ?? '')] }),
    ]);
    expect(short.state).toBe(long.state);
  });

  it.each([
    ['several entries wait', () => rig.append([one('e2'), one('e3')])],
    ['a resend is due', () => rig.redis.rpush(`${rig.base}q:d`, 'r1')],
    [
      'a resend is due beside an entry',
      async () => {
        await rig.append([one('e2')]);
        await rig.redis.rpush(`${rig.base}q:d`, 'r1');
      },
    ],
    [
      'the address has changed',
      async () => {
        await rig.append([one('e2')]);
        await rig.save(true, 2, 'http://127.0.0.2/');
      },
    ],
    [
      'the signing secrets or settings have changed',
      async () => {
        await rig.append([one('e2')]);
        await rig.commands.saveDestination('d', ['account', 'http://127.0.0.1/', '1', '', 1, '["pace:5"]']);
      },
    ],
  ])('leaves the next batch to the long path if %s', async (_, change) => {
    const claimed = await claim();
    await change();
    await expect(step(claimed)).resolves.toEqual(['settled']);
    expect(await rig.field('owner')).toBe(claimed.token);
    expect(await rig.field('win')).toBe('');
  });

  it('changes nothing for a worker that has lost the destination, nor for another batch or attempt', async () => {
    const lost = await claim();
    await rig.commands.abandon('d', lost.token);
    const { replies } = await rig.take('w', 2);
    const owner = replies[0] as DrainReply;
    expect(owner.batches).toMatchObject([{ id: lost.batches[0]?.id, attempt: 2 }]);
    const before = await shown();
    await expect(step(lost)).resolves.toEqual(['unchanged']);
    await expect(step({ ...lost, token: owner.token })).resolves.toEqual(['unchanged']);
    await expect(step({ ...lost, batches: [] }, 2)).resolves.toEqual(['unchanged']);
    await expect(step(lost, 2)).resolves.toEqual(['unchanged']);
    expect(await shown()).toBe(before);
    await expect(step(owner, 2)).resolves.toMatchObject([{ status: 'idle', batches: [] }]);
  });

  it('settles once, however often it is called', async () => {
    const claimed = await claim();
    await expect(step(claimed)).resolves.toMatchObject([{ status: 'idle', batches: [] }]);
    const after = await shown();
    await expect(step(claimed)).resolves.toEqual(['unchanged']);
    expect(await shown()).toBe(after);
  });

  it.each([
    ['paused', 'parked', () => rig.commands.pause('d', Date.now() + 60_000)],
    ['sent now by a person', 'idle', () => rig.commands.sendNow('d')],
    ['switched off', 'idle', () => rig.save(false, 2)],
    ['deleted', 'idle', () => rig.commands.removeDestination('d', 'account')],
  ] as const)(
    'leaves a destination to the long path that was %s while its batch was in flight',
    async (_, end, change) => {
      const claimed = await claim();
      await change();
      await expect(step(claimed)).resolves.toEqual(['unchanged']);
      const { status } = await rig.next(claimed.token, { settles: [delivered(claimed.batches[0]?.id ?? '')] });
      expect(status).toBe(end);
    },
  );

  it.each([
    [
      'an append',
      async () => {
        await rig.redis.set(`${rig.base}f:e`, 'no list');
        const groups = ['d', 'e'].map((destination) => ({
          ...{ destination, account: 'account', lane: 'f' as const, events: 1 },
          entries: [one()],
        }));
        const room = { proven: 2, others: 2 };
        return rig.commands.append({
          ...{ worker: 'w', firstClaim: 1, room, jobKey: '', mark: 'c1', slice: 1 },
          ...{ limits: LIMITS, groups },
        });
      },
    ],
    [
      'a take',
      async () => {
        await rig.append([one()]);
        await rig.redis.hset(`${rig.base}d:e`, 'win', 'no window');
        await rig.redis.rpush(rig.keys.readyLists[1], 'e');
        return rig.commands.take('w', 1, { proven: 2, others: 2 }, LIMITS);
      },
    ],
  ] as const)('notes what it has claimed even if %s fails at a later destination', async (_, fail) => {
    await rig.commands.saveDestination('e', ['account', 'http://127.0.0.1/', '1', '', 1, '']);
    await expect(fail()).rejects.toThrow(/WRONGTYPE|window|invalid/);
    expect(await rig.redis.smembers(rig.keys.owned('w'))).toEqual(['d']);
    expect(await rig.redis.zrange(rig.keys.busy, '0', '-1')).toEqual(['d']);
    // As the worker's reconciler does with destinations that it does not drain.
    expect(await rig.commands.abandon('d', 'w_1')).toBe(true);
    await rig.redis.hdel(`${rig.base}d:e`, 'win');
    const taken = (await rig.take('w', 5)).replies.flatMap(({ batches }) => batches.map(({ content }) => content));
    expect(taken).toContain('msg_e1\n{}');
  });
});
