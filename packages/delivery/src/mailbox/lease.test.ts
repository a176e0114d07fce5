import { eventually } from '@mailhook/testing';
import { entry, scriptsRig } from './mailbox-rig.suite.ts';

const LEASE_MS = 150;
const HEARTBEAT_MS = 500;

describe('leases', () => {
  const rig = scriptsRig('campaign');
  const owner = () => rig.field('owner');
  const claimedBy = async (worker: string) => {
    await rig.save(true, 1);
    await rig.append([entry('one')]);
    await rig.commands.heartbeat(worker, LEASE_MS, HEARTBEAT_MS);
    const { replies } = await rig.take(worker);
    return replies[0]?.token ?? '';
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

  it('survive a stall in which no worker could renew: the first heartbeat gives the others the time of two more', async () => {
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
});
