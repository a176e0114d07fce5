import { uniqueName } from '@mailhook/testing';
import { claimFormat } from './format.ts';
import { engineKeys } from './keys.ts';
import { discardDeadLetters } from '../inspect/discard.ts';
import { FORMAT } from './constants.ts';
import { delivered, entry, failed, HOUR_MS, scriptsRig } from './mailbox-rig.suite.ts';

const NEWER = String(FORMAT + 1);

describe("a record's format", () => {
  const rig = scriptsRig('transactional');
  const event = (name: string) => [entry(`msg_${name}\n{}`)];
  const formatOf = (key: string) => rig.redis.hget(rig.base + key, 'v');
  const makeNewer = (key: string) => rig.redis.hset(rig.base + key, 'v', NEWER);
  const heartbeat = (worker: string, leaseMs = 2500) => rig.commands.heartbeat(worker, leaseMs, 500);
  const setAside = () => rig.redis.zrange(`${rig.base}newer`, '0', '-1', 'WITHSCORES');
  /** Every key of the mailbox of `d`, for comparison. */
  const mailbox = async () => {
    const { redis, base } = rig;
    const [record, f, q, xs] = await Promise.all([
      redis.hgetall(`${base}d:d`),
      redis.lrange(`${base}f:d`, 0, -1),
      redis.lrange(`${base}q:d`, 0, -1),
      redis.smembers(`${base}xs:d`),
    ]);
    return { record, f, q, xs, due: await redis.zrange(`${base}due`, '0', '-1', 'WITHSCORES') };
  };
  /** A claimed batch. */
  const claimed = async () => {
    await rig.save(true, 1);
    const { replies } = await rig.append(event('c1'), { room: 1 });
    const { token = '', batches: [batch] = [] } = replies[0] ?? {};
    return { token, id: batch?.id ?? '' };
  };
  /** A resend that waits, and the owner's token. */
  const resent = async (waitMs: number) => {
    const { token, id } = await claimed();
    await rig.next(token, { settles: [failed(id, waitMs)] });
    return { token, id };
  };
  /** A dead letter with one event. */
  const dead = async () => {
    await resent(HOUR_MS);
    await rig.save(false, 2);
    const token = (await rig.take('w', 2)).replies[0]?.token ?? '';
    const givenUp = await rig.commands.giveUpStep({ destination: 'd', token, idPrefix: 'p-', reason: '' });
    return { token, deadLetter: givenUp?.deadLetters[0]?.id ?? '' };
  };

  it('is written with a destination, a resend and a dead letter', async () => {
    const { id } = await resent(HOUR_MS);
    expect(await formatOf('d:d')).toBe(String(FORMAT));
    expect(await formatOf(`x:${id}`)).toBe(String(FORMAT));
  });

  it('is written with a dead letter, also one made of a resend without a number', async () => {
    const { id } = await resent(HOUR_MS);
    await rig.redis.hdel(`${rig.base}x:${id}`, 'v');
    await rig.save(false, 2);
    const token = (await rig.take('w', 2)).replies[0]?.token ?? '';
    const givenUp = await rig.commands.giveUpStep({ destination: 'd', token, idPrefix: 'p-', reason: '' });
    expect(await formatOf(`dl:${givenUp?.deadLetters[0]?.id ?? ''}`)).toBe(String(FORMAT));
  });

  it('is written to an older mailbox by its next owner, not by an append or a save', async () => {
    await rig.save(true, 1);
    await rig.redis.hdel(`${rig.base}d:d`, 'v');
    await rig.append(event('c1'));
    await rig.save(true, 2, 'http://127.0.0.2/');
    expect(await formatOf('d:d')).toBeNull();
    expect((await rig.take('w')).replies[0]?.batches).toHaveLength(1);
    expect(await formatOf('d:d')).toBe(String(FORMAT));
  });

  it('is written to the mailbox of a destination that is saved later', async () => {
    await rig.append(event('c1'));
    expect(await formatOf('d:d')).toBe(String(FORMAT));
  });

  it('if newer, keeps a mailbox from being taken, and a heartbeat that can read it takes it back', async () => {
    await rig.save(true, 1);
    await rig.append(event('c1'));
    await makeNewer('d:d');
    const before = await mailbox();
    expect(await rig.take('w')).toMatchObject({ replies: [], waiting: { proven: 0, others: 0 } });
    expect(await mailbox()).toEqual(before);
    expect(await setAside()).toEqual([' d', NEWER]);
    expect((await heartbeat('w')).newestFormat).toBe(Number(NEWER));
    expect((await heartbeat('w')).waiting).toEqual({ proven: 0, others: 0 });
    // The scripts of the version that reads it have a greater number; here the record's is smaller instead.
    await rig.redis.hset(`${rig.base}d:d`, 'v', FORMAT);
    await rig.redis.zadd(`${rig.base}newer`, FORMAT, ' d');
    expect(await heartbeat('w')).toMatchObject({ newestFormat: 0, waiting: { proven: 0, others: 1 } });
    expect((await rig.take('w', 2)).replies[0]?.batches).toMatchObject([{ content: 'msg_c1\n{}', attempt: 1 }]);
    expect(await setAside()).toEqual([]);
  });

  it('if newer, keeps a settle from being written, and the batch is sent again under its id', async () => {
    const { token, id } = await claimed();
    await makeNewer('d:d');
    const before = await mailbox();
    expect((await rig.next(token, { settles: [delivered(id)] })).status).toBe('refused');
    expect(await mailbox()).toEqual(before);
    expect(await rig.commands.abandon('d', token)).toBe(false);
    await rig.redis.hset(`${rig.base}d:d`, 'v', FORMAT);
    await rig.redis.zadd(`${rig.base}newer`, FORMAT, `${token} d`);
    await heartbeat('other');
    const taken = await rig.take('other', 2);
    expect(taken.replies[0]?.batches).toMatchObject([{ id, attempt: 2, content: 'msg_c1\n{}' }]);
    expect(await rig.redis.smembers(`${rig.base}owned:w`)).toEqual([]);
  });

  it('if newer, survives the death of the owner', async () => {
    const { token } = await claimed();
    await makeNewer('d:d');
    const before = await mailbox();
    await heartbeat('w', 0);
    expect((await heartbeat('other')).moved).toBe(0);
    expect(await mailbox()).toEqual(before);
    expect(await setAside()).toEqual([`${token} d`, NEWER]);
    expect(await rig.redis.zscore(`${rig.base}workers`, 'w')).toBeNull();
  });

  it('does not take a mailbox from an owner that came later', async () => {
    const { token } = await claimed();
    await rig.redis.zadd(`${rig.base}newer`, FORMAT, ' d');
    await heartbeat('other');
    expect(await rig.field('owner')).toBe(token);
    expect(await setAside()).toEqual([]);
  });

  it('if newer, keeps wake-ups, steps of giving up, and operators from changing a mailbox', async () => {
    const { id } = await resent(0);
    await makeNewer('d:d');
    const before = await mailbox();
    expect(await rig.commands.wake('d', id)).toBe(false);
    expect(await rig.commands.giveUpStep({ destination: 'd', token: '', idPrefix: 'p-', reason: '' })).toBeUndefined();
    const refused = `the destination has format ${NEWER}, but this version of Mailhook reads the formats 1 to ${FORMAT}`;
    for (const action of [
      () => rig.commands.pause('d', Date.now() + HOUR_MS),
      () => rig.commands.resume('d'),
      () => rig.commands.probe('d'),
      () => rig.commands.requestGiveUp('d'),
      () => rig.save(false, 2),
      () => rig.commands.removeDestination('d', 'account'),
    ])
      await expect(action()).rejects.toThrow(refused);
    expect(await mailbox()).toEqual(before);
  });

  it('if newer, keeps a chunk from being appended, and no part of it is', async () => {
    await rig.save(true, 1);
    await makeNewer('d:d');
    await rig.redis.set(`${rig.keys.shared}format`, NEWER);
    const before = await mailbox();
    await expect(rig.append(event('c1'), { room: 1 })).rejects.toThrow(JSON.stringify({ newerFormat: Number(NEWER) }));
    expect(await mailbox()).toEqual(before);
    expect(await rig.redis.hgetall(`${rig.keys.shared}undelivered`)).toEqual({});
  });

  it('of a resend, if newer, leaves the mailbox to a newer version', async () => {
    const { id } = await resent(0);
    await makeNewer(`x:${id}`);
    await rig.append(event('c2'));
    await rig.commands.wake('d', id);
    expect(await rig.take('w', 2)).toMatchObject({ replies: [{ status: 'released', batches: [] }] });
    expect(await setAside()).toEqual([' d', NEWER]);
    expect(await mailbox()).toMatchObject({ q: [id], xs: [id], record: { v: NEWER, owner: '' } });
  });

  it('of a resend, if newer, keeps it from being given up', async () => {
    const { id } = await resent(HOUR_MS);
    await makeNewer(`x:${id}`);
    await rig.save(false, 2);
    const token = (await rig.take('w', 2)).replies[0]?.token ?? '';
    const givenUp = await rig.commands.giveUpStep({ destination: 'd', token, idPrefix: 'p-', reason: '' });
    expect(givenUp).toMatchObject({ again: false, dead: 0, deadLetters: [] });
    expect((await rig.next(token)).status).toBe('refused');
    expect(await mailbox()).toMatchObject({ xs: [id], record: { v: NEWER } });
  });

  it('of a dead letter, if newer, keeps it from being redriven and discarded', async () => {
    const { deadLetter } = await dead();
    await makeNewer(`dl:${deadLetter}`);
    await rig.save(true, 3);
    await expect(rig.commands.redrive(deadLetter, 'again', 'run')).rejects.toThrow(
      `the dead letter has format ${NEWER}`,
    );
    await discardDeadLetters({ redis: rig.redis, queuePrefix: prefixOf(rig.keys.queuePrefix) }, [
      { kind: 'transactional', shard: 0, id: deadLetter },
    ]);
    expect(await rig.redis.zrange(`${rig.keys.shared}dls`, '0', '-1')).toEqual([`t${deadLetter}`]);
    expect(await formatOf(`dl:${deadLetter}`)).toBe(NEWER);
  });
});

/** The installation's prefix of a shard's. */
const prefixOf = (tagged: string): string => tagged.slice(1, tagged.lastIndexOf(':'));

describe("an installation's format", () => {
  const rig = scriptsRig('campaign');

  it('is noted at start, in every shard, and never lowered', async () => {
    const prefix = uniqueName('format');
    await claimFormat(rig.redis, prefix, 2);
    for (const shard of [0, 1]) {
      expect(await rig.redis.get(`${engineKeys(prefix, shard, 'campaign').shared}format`)).toBe(String(FORMAT));
    }
  });

  it('if newer, ends the start with a sentence for the operator', async () => {
    const prefix = uniqueName('format');
    await claimFormat(rig.redis, prefix, 2, FORMAT + 1);
    await expect(claimFormat(rig.redis, prefix, 2)).rejects.toThrow(
      new RegExp(
        `^Redis holds mailboxes of format ${NEWER}, but Mailhook .+ reads the formats 1 to ${FORMAT}: start the newest version`,
      ),
    );
    expect(await rig.redis.get(`${engineKeys(prefix, 1, 'campaign').shared}format`)).toBe(NEWER);
  });
});
