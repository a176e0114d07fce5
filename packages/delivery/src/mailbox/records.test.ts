import { eventually } from '@mailhook/testing';
import { DELETED, INACTIVE, READY } from './constants.ts';
import { countLive, hasMailbox, readEntries, readOldestMs, scanLive } from './records.ts';
import { delivered, entry, failed, HOUR_MS, firstOf, newRecord, scriptsRig } from './mailbox-rig.suite.ts';

describe("a destination's record", () => {
  const rig = scriptsRig('transactional', { ownRedis: true });
  const event = (name: string, atMs?: number) => [entry(`msg_${name}\n{}`, atMs === undefined ? {} : { atMs })];
  const secrets = '{"secrets":["whsec_c2VjcmV0"]}';
  const saveWithSecrets = () => rig.commands.saveDestination('d', newRecord({ credentials: secrets }));

  it('is not written again when nothing has changed', async () => {
    await saveWithSecrets();
    await rig.redis.config('RESETSTAT');
    await saveWithSecrets();
    expect(await rig.redis.info('commandstats')).not.toContain('cmdstat_hset:');
    expect(await rig.commands.saveDestination('d', newRecord())).toBe('written');
    expect((await rig.mailbox()).record?.credentials).toBe('');
  });

  it('loses its secrets at once when it is deleted, and expires, parked or not', async () => {
    await saveWithSecrets();
    const { replies } = await rig.append(event('c1'), { room: 1 });
    const { token, batch } = firstOf(replies);
    const id = batch?.id ?? '';
    // The attempt fails, and the breaker parks the destination.
    const breaker = { failures: 5, parkMs: 5000, leftMs: HOUR_MS, error: '' };
    await rig.next(token, { settles: [failed(id, HOUR_MS)], learned: { breaker } });
    await rig.commands.removeDestination('d', 'account');
    expect((await rig.mailbox()).record?.credentials).toBe('');
    const taken = await rig.take('w', 2);
    const owner = firstOf(taken.replies).token;
    expect(taken.replies[0]?.status).toBe('give up');
    expect(await rig.commands.giveUpStep({ destination: 'd', token: owner, idPrefix: 'p-', reason: '' })).toMatchObject(
      {
        dropped: 1,
      },
    );
    expect((await rig.next(owner)).status).toBe('idle');
    expect(await rig.redis.zscore(`${rig.base}deleted`, 'd')).not.toBeNull();
    expect((await rig.mailbox()).state).toMatchObject({ status: 0, failures: 0, parkedUntilMs: 0 });
    expect(await rig.redis.zcard(`${rig.base}parked`)).toBe(0);
  });

  it('stays if it is newer or deleted, and says which version may replace it', async () => {
    const newer = 1_795_627_000_000;
    expect(await rig.save(true, newer)).toBe('written');
    expect(await rig.save(true, newer)).toBe('same');
    expect(await rig.save(false, newer - 1)).toBe(newer);
    await rig.commands.removeDestination('d', 'account');
    expect(await rig.save(true, newer + 5)).toBe(newer + 1);
    expect((await rig.mailbox()).record?.record).toBe(DELETED);
  });

  it('comes back after a deletion if the store has it again, without its pause, and does not expire', async () => {
    await rig.save(true, 1);
    await rig.append(event('c1'));
    await rig.commands.pause('d', Date.now() + HOUR_MS);
    await rig.commands.removeDestination('d', 'account');
    const record = newRecord({ isActive: false, reason: 'off', version: 2 });
    expect(await rig.commands.saveDestination('d', record, true)).toBe('written');
    expect(await rig.redis.zscore(`${rig.base}deleted`, 'd')).toBeNull();
    const { state } = await rig.mailbox();
    expect(state).toMatchObject({ record: INACTIVE, version: 2, pausedUntilMs: 0, status: READY });
  });

  it('can be switched off and deleted while Redis is full', async () => {
    await saveWithSecrets();
    await rig.append(event('c1'));
    await rig.redis.config('SET', 'maxmemory', '1');
    await expect(rig.redis.set(`${rig.base}full`, 'x')).rejects.toThrow('OOM');
    expect(await rig.save(false, 2)).toBe('written');
    await rig.commands.removeDestination('d', 'account');
    expect((await rig.mailbox()).record?.record).toBe(DELETED);
  });
});

describe('the failures of a destination in a row', () => {
  const rig = scriptsRig('campaign');

  it('stay at the most that a state can hold, so that its breaker does not close', async () => {
    await rig.save(true, 1);
    const { token, batch } = firstOf((await rig.append([entry('one')], { room: 1 })).replies);
    const breaker = { failures: 65_536, parkMs: 900_000, leftMs: HOUR_MS, error: 'no' };
    await rig.next(token, { settles: [failed(batch?.id ?? '', HOUR_MS)], learned: { breaker } });
    expect((await rig.mailbox()).state).toMatchObject({ failures: 65_535, parkMs: 900_000, error: 'no' });
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
    const { token, batch } = firstOf(replies);
    await rig.append([...old(), entry('young')]);
    // The batch in flight ends first, and no later event is sent.
    expect(await rig.next(token, { window: 4, inFlight: [batch?.id ?? ''] })).toMatchObject({
      status: 'ok',
      batches: [],
    });
    expect((await rig.next(token, { settles: [delivered(batch?.id ?? '')] })).status).toBe('expired');
    expect(await expire(token)).toMatchObject({ dead: 1, again: true, reason: 'too old' });
    expect(await expire(token)).toMatchObject({ dead: 0, again: false });
    expect(await rig.next(token)).toMatchObject({ status: 'ok', batches: [{ fragments: 'young' }] });
  });

  it('is not sent by the append or the claim that finds it', async () => {
    await rig.save(true, 1);
    const appended = await rig.append(old(), { room: 1 });
    expect(appended.replies[0]).toMatchObject({ status: 'expired', batches: [] });
    await rig.commands.abandon('d', firstOf(appended.replies).token);
    await eventually(async () => (await rig.redis.llen(`${rig.base}ready`)) === 1, { what: 'the ready list' });
    expect((await rig.take('w', 2)).replies[0]).toMatchObject({ status: 'expired', batches: [] });
  });
});

describe('what readers see', () => {
  const rig = scriptsRig('campaign');

  it('are the entries of a lane in their order, the head first', async () => {
    await rig.save(true, 1);
    for (const name of ['one', 'two', 'three']) await rig.append([entry(name)]);
    const mailbox = await rig.mailbox();
    expect(mailbox.head).toContain('one');
    const read = async (from: number, count: number) =>
      (await readEntries(rig.redis, rig.keys, mailbox, 'f', from, count)).map((text) => text.slice(12));
    expect(await read(0, 1)).toEqual(['one']);
    expect(await read(0, 2)).toEqual(['one', 'two']);
    expect(await read(0, 10)).toEqual(['one', 'two', 'three']);
    expect(await read(1, 1)).toEqual(['two']);
    expect(await read(2, 10)).toEqual(['three']);
    expect(await read(3, 10)).toEqual([]);
    expect(await readEntries(rig.redis, rig.keys, mailbox, 'u', 0, 10)).toEqual([]);
  });

  it('is when the oldest event was accepted: of the head, of a list, or of the other lane', async () => {
    await rig.save(true, 1);
    const oldest = async () => (await readOldestMs(rig.redis, rig.keys, [await rig.mailbox()]))[0];
    expect(await oldest()).toBe(Number.POSITIVE_INFINITY);
    await rig.append([entry('head', { atMs: 5000 })]);
    expect(await oldest()).toBe(5000);
    await rig.append([entry('later', { atMs: 6000 })]);
    await rig.append([entry('unsubscribe', { atMs: 4000 })], { lane: 'u' });
    expect(await oldest()).toBe(4000);
  });

  it('is the number of live mailboxes, without the field that keeps the hash a table', async () => {
    await rig.save(true, 1);
    await rig.commands.heartbeat('w', HOUR_MS, 500);
    expect(await countLive(rig.redis, rig.keys)).toBe(0);
    await rig.append([entry('one')]);
    expect(await countLive(rig.redis, rig.keys)).toBe(1);
    expect(await hasMailbox(rig.redis, rig.keys, 'd')).toBe(true);
    expect(await hasMailbox(rig.redis, rig.keys, 'other')).toBe(false);
    const { states } = await scanLive(rig.redis, rig.keys, '0', 100);
    expect(states.map(([destination]) => destination)).toEqual(['d']);
  });
});
