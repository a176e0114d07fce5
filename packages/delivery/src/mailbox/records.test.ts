import { eventually } from '@mailhook/testing';
import { delivered, entry, failed, HOUR_MS, scriptsRig } from './mailbox-rig.suite.ts';

describe("a destination's record", () => {
  const rig = scriptsRig('transactional', { ownRedis: true });
  const event = (name: string, atMs?: number) => [entry(`msg_${name}\n{}`, atMs === undefined ? {} : { atMs })];
  const secrets = '{"secrets":["whsec_c2VjcmV0"]}';
  const saveWithSecrets = () =>
    rig.commands.saveDestination('d', ['account', 'http://127.0.0.1/', '1', '', 1, secrets]);

  it('is not written again when nothing has changed', async () => {
    await saveWithSecrets();
    await rig.redis.config('RESETSTAT');
    await saveWithSecrets();
    expect(await rig.redis.info('commandstats')).not.toContain('cmdstat_hset:');
    expect(await rig.commands.saveDestination('d', ['account', 'http://127.0.0.1/', '1', '', 1, ''])).toBe(true);
    expect(await rig.field('secrets')).toBe('');
  });

  it('loses its secrets at once when it is deleted, and expires, parked or not', async () => {
    await saveWithSecrets();
    const { replies } = await rig.append(event('c1'), { room: 1 });
    const { token = '', batches: [batch] = [] } = replies[0] ?? {};
    const id = batch?.id ?? '';
    // The attempt fails, and the breaker parks the destination.
    const breaker = { failures: 5, parkMs: 5000, parkedUntilMs: Date.now() + HOUR_MS, version: '1', error: '' };
    await rig.next(token, { settles: [failed(id, HOUR_MS)], breaker });
    await rig.commands.removeDestination('d', 'account');
    expect(await rig.field('secrets')).toBe('');
    const taken = await rig.take('w', 2);
    const owner = taken.replies[0]?.token ?? '';
    expect(taken.replies[0]?.status).toBe('give up');
    expect(await rig.commands.giveUpStep({ destination: 'd', token: owner, idPrefix: 'p-', reason: '' })).toMatchObject(
      {
        dropped: 1,
      },
    );
    expect((await rig.next(owner)).status).toBe('idle');
    expect(await rig.redis.ttl(`${rig.base}d:d`)).toBeGreaterThan(0);
    expect(await rig.redis.zcard(`${rig.base}parked`)).toBe(0);
  });

  it('can be switched off and deleted while Redis is full', async () => {
    await saveWithSecrets();
    await rig.append(event('c1'));
    await rig.redis.config('SET', 'maxmemory', '1');
    await expect(rig.redis.set(`${rig.base}full`, 'x')).rejects.toThrow('OOM');
    expect(await rig.save(false, 2)).toBe(true);
    await rig.commands.removeDestination('d', 'account');
    expect(await rig.field('deleted')).toBe('1');
  });
});

describe('an event that has waited too long', () => {
  const rig = scriptsRig('campaign', { limits: { batchMax: 1, windowMax: 4, maxAgeMs: HOUR_MS } });
  const old = () => [entry('old', { atMs: Date.now() - 2 * HOUR_MS })];
  const expire = (token: string) =>
    rig.commands.giveUpStep({ destination: 'd', token, idPrefix: 'p-', olderThanMs: HOUR_MS, reason: 'too old' });

  it('is given up by the owner of its destination, even if the destination is never released', async () => {
    await rig.save(true, 1);
    const { replies } = await rig.append([entry('first')], { room: 1 });
    const { token = '', batches: [batch] = [] } = replies[0] ?? {};
    await rig.append([...old(), entry('young')]);
    // The batch in flight ends first, and no later event is sent.
    expect(await rig.next(token, { window: 4, inFlight: 1 })).toMatchObject({ status: 'ok', batches: [] });
    expect((await rig.next(token, { settles: [delivered(batch?.id ?? '')] })).status).toBe('expired');
    expect(await expire(token)).toMatchObject({ dead: 1, again: true, reason: 'too old' });
    expect(await expire(token)).toMatchObject({ dead: 0, again: false });
    expect(await rig.next(token)).toMatchObject({ status: 'ok', batches: [{ content: 'young' }] });
  });

  it('is not sent by the append or the claim that finds it', async () => {
    await rig.save(true, 1);
    const appended = await rig.append(old(), { room: 1 });
    expect(appended.replies[0]).toMatchObject({ status: 'expired', batches: [] });
    await rig.commands.abandon('d', appended.replies[0]?.token ?? '');
    await eventually(async () => (await rig.redis.llen(`${rig.base}ready`)) === 1, { what: 'the ready list' });
    expect((await rig.take('w', 2)).replies[0]).toMatchObject({ status: 'expired', batches: [] });
  });
});
