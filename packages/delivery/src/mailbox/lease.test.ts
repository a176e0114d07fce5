import { eventually } from '@mailhook/testing';
import { createAccountUsages, createOverview } from '@mailhook/insight';
import { LOST_WORKERS_KEPT_MS, LOST_WORKERS_MAX } from './constants.ts';
import { Installation } from './installation.ts';
import { entry, firstOf, scriptsRig } from './mailbox-rig.suite.ts';

const LEASE_MS = 150;
const HEARTBEAT_MS = 500;

describe('leases', () => {
  const rig = scriptsRig('campaign');
  const owner = async () => (await rig.mailbox()).state.owner;
  const claimedBy = async (worker: string) => {
    await rig.save(true, 1);
    await rig.append([entry('one')]);
    await rig.commands.heartbeat(worker, LEASE_MS, HEARTBEAT_MS);
    const { replies } = await rig.take(worker);
    return firstOf(replies).token;
  };
  const leaseIsOver = (worker: string) =>
    eventually(async () => Number(await rig.redis.zscore(`${rig.base}workers`, worker)) < Date.now(), {
      what: 'the end of the lease',
    });

  it('end when their worker dies, and another one takes over', async () => {
    const token = await claimedBy('wdead');
    expect(await owner()).toBe(token);
    await leaseIsOver('wdead');
    expect(await rig.commands.heartbeat('walive', LEASE_MS, HEARTBEAT_MS)).toMatchObject({
      moved: 1,
      waiting: { proven: 0, others: 1 },
    });
    expect(await owner()).toBe('');
  });

  it('survive a stall without renewals: the first heartbeat gives the others the time of two more', async () => {
    const token = await claimedBy('wother');
    await leaseIsOver('wother');
    // The last heartbeat before the stall was at a time when the other worker had its lease.
    await rig.redis.set(`${rig.base}beat`, Date.now() - 4000);
    await rig.redis.zadd(`${rig.base}workers`, Date.now() - 1000, 'wother');
    expect(await rig.commands.heartbeat('wfirst', LEASE_MS, HEARTBEAT_MS)).toMatchObject({ moved: 0 });
    expect(await owner()).toBe(token);
    await rig.commands.heartbeat('wother', 60_000, HEARTBEAT_MS);
    await rig.commands.heartbeat('wfirst', LEASE_MS, HEARTBEAT_MS);
    expect(await owner()).toBe(token);
  });

  it('that ended before the stall are not renewed', async () => {
    await claimedBy('wdead');
    await rig.redis.zadd(`${rig.base}workers`, Date.now() - 5000, 'wdead');
    await rig.redis.set(`${rig.base}beat`, Date.now() - 4000);
    expect(await rig.commands.heartbeat('wfirst', LEASE_MS, HEARTBEAT_MS)).toMatchObject({ moved: 1 });
  });

  it.each([-3_600_000, 3_600_000])('survive a step of the clock of Redis by %i ms', async (stepMs) => {
    const token = await claimedBy('wother');
    const nowMs = Date.now();
    // After the step, all earlier times are that far away.
    await rig.redis.set(`${rig.base}beat`, nowMs - stepMs);
    await rig.redis.zadd(`${rig.base}workers`, nowMs - stepMs + LEASE_MS, 'wother');
    await rig.commands.heartbeat('wfirst', LEASE_MS, HEARTBEAT_MS);
    expect(await owner()).toBe(token);
    const lease = Number(await rig.redis.zscore(`${rig.base}workers`, 'wother'));
    expect(lease).toBeGreaterThan(nowMs);
    expect(lease).toBeLessThan(nowMs + 60_000);
  });

  it('that had ended before a step back end soon after it', async () => {
    await claimedBy('wdead');
    const stepMs = 3_600_000;
    await rig.redis.set(`${rig.base}beat`, Date.now() + stepMs);
    await rig.redis.zadd(`${rig.base}workers`, Date.now() + stepMs - 1, 'wdead');
    await rig.commands.heartbeat('wfirst', LEASE_MS, HEARTBEAT_MS);
    const lease = Number(await rig.redis.zscore(`${rig.base}workers`, 'wdead'));
    expect(lease).toBeLessThan(Date.now() + 60_000);
  });

  describe('of workers that operators see', () => {
    const heartbeat = (worker: string, leaseMs = LEASE_MS) =>
      rig.commands.heartbeat(worker, leaseMs, HEARTBEAT_MS, { host: `host-of-${worker} 7` });
    const seen = async () => {
      const { workers } = await createOverview(new Installation(rig.redis, rig.keys.prefix, 1))();
      return workers.map(({ id, host, pid, isAlive }) => [id, host, pid, isAlive]);
    };

    it('name the host, also after their worker has died and another one has taken over', async () => {
      await heartbeat('wdead');
      await leaseIsOver('wdead');
      await heartbeat('walive', 60_000);
      expect(await rig.redis.zscore(`${rig.base}workers`, 'wdead')).toBeNull();
      expect(await seen()).toEqual([
        ['walive', 'host-of-walive', 7, true],
        ['wdead', 'host-of-wdead', 7, false],
      ]);
      // The worker was only away.
      await heartbeat('wdead', 60_000);
      expect((await seen()).map(([id, , , isAlive]) => [id, isAlive])).toEqual([
        ['walive', true],
        ['wdead', true],
      ]);
    });

    it('leave nothing behind when their worker stops', async () => {
      await heartbeat('wstopped');
      await heartbeat('wstopped', 0);
      expect(await seen()).toEqual([]);
      expect(await rig.redis.exists(`${rig.base}hosts`, `${rig.base}lost`)).toBe(0);
    });

    it('are forgotten after a day, and when there are too many', async () => {
      const nowMs = Date.now();
      const ids = Array.from({ length: LOST_WORKERS_MAX + 5 }, (_, i) => `w${i}`);
      await rig.redis.hset(`${rig.base}hosts`, Object.fromEntries(['wold', ...ids].map((id) => [id, 'host 1'])));
      await rig.redis.zadd(`${rig.base}lost`, nowMs - LOST_WORKERS_KEPT_MS - 1000, 'wold');
      await heartbeat('walive', 60_000);
      expect((await seen()).map(([id]) => id)).toEqual(['walive']);
      await rig.redis.zadd(`${rig.base}lost`, ...ids.flatMap((id, i) => [nowMs - 1000 + i, id]));
      await heartbeat('walive', 60_000);
      expect((await seen()).map(([id]) => id)).toEqual(['walive', ...ids.slice(5)]);
      expect(await rig.redis.hlen(`${rig.base}hosts`)).toBe(LOST_WORKERS_MAX + 1);
    });
  });
});

describe('the sums per account', () => {
  const rig = scriptsRig('campaign');

  it('and the mailboxes stay hash tables with few fields, and the field that keeps them so is no account', async () => {
    await rig.commands.heartbeat('w', LEASE_MS, HEARTBEAT_MS);
    await rig.save(true, 1);
    await rig.append([entry('one')]);
    for (const key of [rig.keys.sums, rig.keys.live, rig.keys.records])
      expect(await rig.redis.object('ENCODING', key)).toBe('hashtable');
    const { redis, keys } = rig;
    const usages = createAccountUsages(new Installation(redis, keys.prefix, 1));
    expect((await usages.heaviest(10)).map(({ account, events }) => ({ account, events }))).toEqual([
      { account: 'account', events: 1 },
    ]);
  });
});
