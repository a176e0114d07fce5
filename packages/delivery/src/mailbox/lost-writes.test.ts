import type { Redis } from '@mailhook/platform/redis';
import { createPublishCommands } from './commands/publish.ts';
import type { Heartbeat } from './heartbeat.ts';
import { readLostWrites } from './heartbeat.ts';
import { delivered, entry, failed, HOUR_MS, firstOf, scriptsRig } from './mailbox-rig.suite.ts';
import type { Settle } from './settle-arguments.ts';

/** Plays a Redis that loses its last writes, as at a failover. The returned function restores the snapshot. */
async function snapshot(redis: Redis, base: string): Promise<() => Promise<void>> {
  const keys = await redis.keys(`${base}*`);
  const dumps = await Promise.all(keys.map((key) => redis.dumpBuffer(key)));
  return async () => {
    const now = await redis.keys(`${base}*`);
    if (now.length > 0) await redis.del(...now);
    for (const [i, key] of keys.entries()) if (dumps[i] != null) await redis.restore(key, 0, dumps[i]);
  };
}

describe('after Redis has lost its last writes', () => {
  const rig = scriptsRig('campaign', { limits: { batchMax: 1, windowMax: 4, maxAgeMs: HOUR_MS } });
  const beat = (worker: string, last?: Heartbeat) => rig.commands.heartbeat(worker, HOUR_MS, 500, { last });
  const apiBeat = (process: string, last?: Heartbeat) =>
    createPublishCommands(rig.redis, rig.keys).numberHeartbeat(process, last, 1000);

  it('the id of a lost freezing is never given to other events', async () => {
    await rig.save(true, 1);
    const { replies } = await rig.append([entry('one'), entry('two')], { room: 1 });
    const { token, batch: first } = firstOf(replies);
    const restore = await snapshot(rig.redis, rig.base);
    const settles = [delivered(first?.id ?? '')];
    const lost = await rig.next(token, { settles });
    expect(lost.batches[0]?.fragments).toBe('two');
    await restore();
    // Another event overtakes and is frozen in place of the lost batch.
    await rig.append([entry('overtakes')], { lane: 'u' });
    const again = await rig.next(token, { settles });
    expect(again.batches[0]?.fragments).toBe('overtakes');
    expect(again.batches[0]?.id).not.toBe(lost.batches[0]?.id);
    // The settle of the lost batch does not touch the new one.
    const after = await rig.next(token, {
      settles: [delivered(lost.batches[0]?.id ?? '')],
      inFlight: [again.batches[0]?.id ?? ''],
      window: 0,
    });
    expect(after.status).toBe('ok');
    expect(await rig.redis.llen(`${rig.base}u:d`)).toBe(1);
    expect(await rig.redis.llen(`${rig.base}f:d`)).toBe(1);
  });

  it('a batch that the worker does not have is not taken for a new one', async () => {
    await rig.save(true, 1);
    const { replies } = await rig.append([entry('one'), entry('two'), entry('three')], { room: 1 });
    const { token, batch: first } = firstOf(replies);
    const restore = await snapshot(rig.redis, rig.base);
    const [second] = (await rig.next(token, { settles: [delivered(first?.id ?? '')] })).batches;
    await restore();
    // Redis knows only the first as in flight, and the worker only the second.
    const inFlight = [second?.id ?? ''];
    const mixed = await rig.next(token, { inFlight, window: 2 });
    expect(mixed).toMatchObject({ status: 'ok', batches: [{ attempt: 1, fragments: 'two' }] });
    const ids = [...inFlight, mixed.batches[0]?.id ?? ''];
    expect((await rig.next(token, { inFlight: ids, isLost: true })).batches).toMatchObject([
      { id: first?.id, attempt: 2, fragments: 'one' },
    ]);
  });

  it('a resend in flight that Redis freezes again does not move the contents of other batches', async () => {
    await rig.save(true, 1);
    const { replies } = await rig.append([entry('one'), entry('two')], { room: 1 });
    const { token, batch } = firstOf(replies);
    const id = batch?.id ?? '';
    const due: Settle = { ...failed(id, 0, { body: 'one' }) };
    await rig.next(token, {
      settles: [{ ...due, followUps: due.followUps.map((one) => ({ ...one, type: 'send-now' })) }],
      window: 0,
    });
    const restore = await snapshot(rig.redis, rig.base);
    expect((await rig.next(token)).batches.map(({ id: of }) => of)).toContain(id);
    await restore();
    const again = await rig.next(token, { inFlight: [id], window: 2 });
    expect(again.batches.map(({ fragments }) => fragments).sort()).toEqual(['one', 'two']);
    expect(again.batches.find(({ id: of }) => of === id)?.fragments).toBe('one');
  });

  it('a resend keeps its content under its id, and its settle counts once', async () => {
    await rig.save(true, 1);
    const { replies } = await rig.append([entry('one')], { room: 1 });
    const { token, batch } = firstOf(replies);
    const id = batch?.id ?? '';
    const restore = await snapshot(rig.redis, rig.base);
    const settles = [failed(id, 0, { body: 'one' })];
    await rig.next(token, { settles });
    await restore();
    // Redis lost the settle. The worker believes that nothing is in flight, and gets the batch again as the next
    // attempt.
    expect((await rig.next(token)).status).toBe('lost');
    const again = await rig.next(token, { isLost: true });
    expect(again.batches).toMatchObject([{ id, attempt: 2, fragments: 'one' }]);
    expect((await rig.next(token, { settles, inFlight: [batch?.id ?? ''], window: 0 })).status).toBe('ok');
    expect((await rig.next(token, { settles: [delivered(id, 2)] })).status).toBe('idle');
  });

  it('the first heartbeat of a worker that outlived Redis tells since when, and the others do not', async () => {
    const kept = (await beat('w1')).heartbeat;
    const restore = await snapshot(rig.redis, rig.base);
    const [first, second] = [(await beat('w1', kept)).heartbeat, (await beat('w2')).heartbeat];
    expect([first.number, second.number]).toEqual([kept.number + 1, 1]);
    expect(await readLostWrites(rig.redis, rig.keys)).toBeUndefined();
    await restore();
    const found = { fromMs: Math.min(kept.atMs, second.atMs - 1), toMs: second.atMs };
    const after = await beat('w2', second);
    expect(after.lostWrites).toEqual(found);
    const others = [await beat('w1', first), await beat('w2', after.heartbeat), await beat('w3')];
    expect(others.map(({ lostWrites }) => lostWrites)).toEqual([undefined, undefined, undefined]);
    expect(await readLostWrites(rig.redis, rig.keys)).toEqual(found);
  });

  /** Heartbeats of a worker that has lost none, until one is later than this one. */
  async function beatsAfter({ atMs }: Heartbeat, worker: string, last: Heartbeat): Promise<void> {
    const { heartbeat, lostWrites } = await beat(worker, last);
    expect(lostWrites).toBeUndefined();
    if (heartbeat.atMs <= atMs) await beatsAfter({ ...heartbeat, atMs }, worker, heartbeat);
  }

  it('a worker reports it also if another one, which has lost nothing, comes first', async () => {
    const [kept, others] = [(await beat('w1')).heartbeat, (await beat('w2')).heartbeat];
    const restore = await snapshot(rig.redis, rig.base);
    const lost = (await beat('w1', kept)).heartbeat;
    await restore();
    await beatsAfter(lost, 'w2', others);
    const fromMs = Math.min(kept.atMs, lost.atMs - 1);
    expect((await beat('w1', lost)).lostWrites).toEqual({ fromMs, toMs: lost.atMs });
  });

  it('a worker whose heartbeats are all lost reports the time of its last one', async () => {
    const others = (await beat('w2')).heartbeat;
    const restore = await snapshot(rig.redis, rig.base);
    const lost = (await beat('w1')).heartbeat;
    await restore();
    await beatsAfter(lost, 'w2', others);
    expect((await beat('w1', lost)).lostWrites).toEqual({ fromMs: lost.atMs - 500, toMs: lost.atMs });
  });

  it('a Redis that starts empty has lost everything, whichever process comes first', async () => {
    const [first, { heartbeat: second }] = [(await beat('w1')).heartbeat, await apiBeat('a')];
    await rig.redis.del(...(await rig.redis.keys(`${rig.base}*`)));
    const { heartbeat, lostWrites } = await beat('w1', first);
    expect(lostWrites).toEqual({ fromMs: 0, toMs: first.atMs });
    await beatsAfter(second, 'w1', heartbeat);
    await apiBeat('a', second);
    expect(await readLostWrites(rig.redis, rig.keys)).toEqual({ fromMs: 0, toMs: second.atMs });
  });

  it('a process that starts forgets those that ended over a week ago', async () => {
    const { heartbeat } = await beat('w1');
    const [week, day] = [7 * 24 * HOUR_MS, 24 * HOUR_MS];
    await rig.redis.hset(
      `${rig.base}beats`,
      'old',
      `9 ${heartbeat.atMs - week - day}`,
      'new',
      `9 ${heartbeat.atMs - day}`,
    );
    await beat('w1', heartbeat);
    expect(await rig.redis.hkeys(`${rig.base}beats`)).toHaveLength(3);
    await apiBeat('a');
    expect((await rig.redis.hkeys(`${rig.base}beats`)).sort()).toEqual(['a', 'new', 'w1']);
  });

  it('a step of the clock of Redis is no loss', async () => {
    const { heartbeat: last } = await rig.commands.heartbeat('w1', HOUR_MS, 500);
    await rig.redis.set(`${rig.base}beat`, last.atMs - HOUR_MS);
    const { heartbeat, lostWrites } = await rig.commands.heartbeat('w1', HOUR_MS, 500, { last });
    expect([heartbeat.number, lostWrites]).toEqual([last.number + 1, undefined]);
  });
});

describe('a heartbeat', () => {
  const rig = scriptsRig('campaign', { ownRedis: true });

  it('tells each worker that Redis has loaded its data anew, also if no heartbeat is lost', async () => {
    const loads = async (): Promise<number[]> => {
      const replies = [await rig.commands.heartbeat('w1', 1000, 500), await rig.commands.heartbeat('w2', 1000, 500)];
      return replies.map(({ heartbeat }) => heartbeat.loadedAtMs);
    };
    const [first, ...same] = [...(await loads()), ...(await loads())];
    expect(new Set(same)).toEqual(new Set([first]));
    await rig.redis.call('FUNCTION', 'RESTORE', (await rig.redis.callBuffer('FUNCTION', 'DUMP')) as Buffer, 'REPLACE');
    const [later, ...others] = await loads();
    expect(later).toBeGreaterThan(first ?? 0);
    expect(others).toEqual([later]);
  });
});
