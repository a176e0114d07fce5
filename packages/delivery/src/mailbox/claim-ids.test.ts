import { hash } from 'node:crypto';
import { HEARTBEAT_MS, ID_BYTES, IDS_PER_BUCKET, LEASE_MS } from './constants.ts';
import { readIdTable } from './id-table.suite.ts';
import { ID_TABLE, positionOf } from './layout.ts';
import { HOUR_MS, scriptsRig } from './mailbox-rig.suite.ts';

const WINDOW_MS = 3 * HOUR_MS;
const PART = 500;

/** The digests of ids, numbered for a test. */
const digest = (id: number): string => hash('sha256', String(id), 'buffer').subarray(0, ID_BYTES).toString('base64url');
const digests = (from: number, count: number): string[] => Array.from({ length: count }, (_, i) => digest(from + i));
const all = (count: number): Set<number> => new Set(Array.from({ length: count }, (_, i) => i));

describe('claims of ids', () => {
  const rig = scriptsRig('campaign');

  const jobKey = (chunk: string): string => `${rig.keys.queuePrefix}:campaign-chunks:${chunk}`;
  const aJob = async (chunk: string): Promise<string> => {
    await rig.redis.hset(jobKey(chunk), 'name', 'chunk');
    return jobKey(chunk);
  };
  const claim = (chunk: string, ids: readonly string[], { part = 1, job = '', windowMs = WINDOW_MS } = {}) =>
    rig.commands.claimIds({ jobKey: job, chunk, part, digests: ids }, windowMs);
  let chunks = 0;
  /** Claims ids in chunks of their own. Returns how many were duplicates. */
  async function claimMany(from: number, count: number): Promise<number> {
    let duplicates = 0;
    for (let at = 0; at < count; at += PART) {
      duplicates += (await claim(`chunk${(chunks += 1)}`, digests(from + at, Math.min(PART, count - at)))).size;
    }
    return duplicates;
  }
  const table = () => readIdTable(rig.redis, rig.keys);
  /** Every kept id. */
  async function keptIds(): Promise<string[]> {
    const { buckets, ids } = await table();
    const found = await rig.redis.keys(`${rig.keys.ids}:*`);
    const keys = Array.from({ length: buckets }, (_, bucket) => rig.keys.idBucket(bucket));
    expect(found.filter((key) => !keys.includes(key))).toEqual([]);
    const fields = await Promise.all(keys.map((key) => rig.redis.callBuffer('HKEYS', key) as Promise<Buffer[]>));
    expect(fields.flat()).toHaveLength(ids);
    return fields.flat().map((id) => id.toString('base64url'));
  }
  const heartbeat = () => rig.commands.heartbeat('w', LEASE_MS, HEARTBEAT_MS);
  /** Ends the period, and plays the heartbeats until the next one has begun. */
  async function nextPeriod(): Promise<void> {
    const { period } = await table();
    const bytes = (await rig.redis.getBuffer(rig.keys.ids)) ?? Buffer.alloc(0);
    bytes.writeUIntBE(Date.now() - 1, positionOf(ID_TABLE, 'periodEndsAtMs'), 6);
    await rig.redis.set(rig.keys.ids, bytes);
    do await heartbeat();
    while ((await rig.redis.exists(rig.keys.ids)) === 1 && (await table()).period === period);
  }

  test('an id of another chunk is a duplicate, and one of an earlier run of the job is not', async () => {
    const [one, two] = [await aJob('one'), await aJob('two')];
    for (let run = 1; run <= 2; run += 1) {
      expect(await claim('one', digests(0, 2), { job: one })).toEqual(new Set());
      expect(await claim('two', digests(1, 2), { job: two })).toEqual(new Set([0]));
      expect(await claim('two', digests(2, 2), { job: two, part: 2 })).toEqual(new Set([0]));
    }
  });

  test('a chunk of another shard remembers its claims until it is appended', async () => {
    await claim('first', [digest(0)]);
    expect(await claim('far', digests(0, 2))).toEqual(new Set([0]));
    expect(await claim('far', digests(0, 2))).toEqual(new Set([0]));
    expect(await rig.redis.pttl(rig.keys.claimed('far'))).toBeGreaterThan((4 * WINDOW_MS) / 3);
    await rig.commands.forgetClaims('far');
    expect(await claim('far', digests(0, 2))).toEqual(all(2));
  });

  test('a run whose job has ended claims nothing', async () => {
    expect(await claim('ended', [digest(0)], { job: jobKey('ended') })).toEqual(new Set());
    expect(await rig.redis.exists(jobKey('ended'), rig.keys.ids)).toBe(0);
    expect(await claim('other', [digest(0)])).toEqual(new Set());
  });

  test('ids are exact while their number grows, in small hashes that Redis packs', async () => {
    const count = 40 * IDS_PER_BUCKET;
    expect(await claimMany(0, count)).toBe(0);
    expect(await table()).toMatchObject({ ids: count, buckets: 40 });
    expect((await keptIds()).sort()).toEqual(digests(0, count).sort());
    for (let bucket = 0; bucket < 40; bucket += 1) {
      expect(await rig.redis.object('ENCODING', rig.keys.idBucket(bucket))).toBe('listpack');
    }
    expect(await claimMany(0, count)).toBe(count);
    expect(await claimMany(count, PART)).toBe(0);
  });

  test('an id is known in its period and three more, and is claimed anew after that', async () => {
    for (let period = 0; period <= 3; period += 1) {
      expect(await claimMany(1000 * period, 250)).toBe(0);
      expect(await claimMany(0, 1)).toBe(1);
      if (period < 3) await nextPeriod();
    }
    const { periodMs, periodEndsAtMs } = await table();
    expect(periodMs).toBe(WINDOW_MS / 3);
    expect(periodEndsAtMs - Date.now()).toBeLessThanOrEqual(WINDOW_MS / 3);
    expect(await keptIds()).toHaveLength(4 * 250);
    await nextPeriod();
    // Nothing has searched for expired ids yet in this period.
    expect(await keptIds()).toHaveLength(4 * 250);
    expect(await claimMany(0, 10)).toBe(0);
    expect(await claimMany(0, 10)).toBe(10);
    await nextPeriod();
    expect((await keptIds()).sort()).toEqual(
      [...digests(0, 10), ...[1000, 2000, 3000].flatMap((from) => digests(from, 250))].sort(),
    );
  });

  test('expired ids leave nothing behind, while numbers of periods begin again', async () => {
    await claimMany(0, 30 * IDS_PER_BUCKET);
    for (let period = 0; period < 130; period += 1) {
      expect(await claimMany(1_000_000 + period, 1)).toBe(0);
      await nextPeriod();
    }
    expect(await claimMany(0, 1)).toBe(0);
    expect(await table()).toMatchObject({ buckets: 1 });
    // Those of three earlier periods, and perhaps one that has just expired.
    expect((await keptIds()).length).toBeLessThanOrEqual(6);
    for (let period = 0; period < 5; period += 1) await nextPeriod();
    await heartbeat();
    expect(await rig.redis.keys(`${rig.keys.ids}*`)).toEqual([]);
  });

  test('a shorter setting, or a clock that goes back, ends the period sooner', async () => {
    await claim('before', [digest(0)]);
    expect(await claim('after', digests(0, 2), { windowMs: HOUR_MS })).toEqual(new Set([0]));
    expect((await table()).periodEndsAtMs - Date.now()).toBeLessThanOrEqual(HOUR_MS / 3);
  });

  test('a call that breaks off leaves no claim behind, and no id is lost', async () => {
    const count = 3 * IDS_PER_BUCKET;
    await claimMany(0, count);
    // The second bucket is read to make a fourth one, and the third one has a quarter of the ids.
    for (const bucket of [1, 2]) {
      const key = rig.keys.idBucket(bucket);
      await rig.redis.rename(key, `${key}-aside`);
      await rig.redis.set(key, 'another type');
      await expect(claim('few', digests(10_000, 20))).rejects.toThrow('WRONGTYPE');
      await expect(claim('many', digests(20_000, PART))).rejects.toThrow('WRONGTYPE');
      await rig.redis.rename(`${key}-aside`, key);
    }
    expect(await claimMany(10_000, 20)).toBe(0);
    expect(await claimMany(20_000, PART)).toBe(0);
    expect(await claimMany(0, count)).toBe(count);
  });
});
