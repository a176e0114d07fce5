import type { DrainReply } from './replies.ts';
import { delivered, entry, failed, HOUR_MS, firstOf, scriptsRig } from './mailbox-rig.suite.ts';

describe('giving up the events of an inactive destination', () => {
  const rig = scriptsRig('transactional');
  const event = (name: string) => [entry(`msg_${name}\n{}`)];
  let steps = 0;
  const giveUpStep = (token: string, more: { olderThanMs?: number } = {}) =>
    rig.commands.giveUpStep({ destination: 'd', token, idPrefix: `p${(steps += 1)}-`, reason: '', ...more });
  const deadLetterIds = async () =>
    (await rig.redis.zrange(`${rig.keys.shared}dls`, '0', '-1')).map((id) => id.slice(1));

  /** A resend waits for an hour, the destination is deactivated, and the next reply to the worker is 'give up'. */
  async function toldToGiveUp(): Promise<DrainReply> {
    await rig.save(true, 1);
    const { replies } = await rig.append(event('c1'), { room: 1 });
    const { token, batch } = firstOf(replies);
    const id = batch?.id ?? '';
    await rig.next(token, { settles: [failed(id, HOUR_MS)] });
    await rig.save(false, 2);
    const taken = await rig.take('w', 2);
    expect(taken.replies[0]?.status).toBe('give up');
    return taken.replies[0] as DrainReply;
  }

  it('keeps every dead letter when more events come under the same owner', async () => {
    const token = (await toldToGiveUp()).state.owner;
    const first = await giveUpStep(token);
    await rig.append(event('c2'));
    expect((await rig.next(token)).status).toBe('give up');
    const second = await giveUpStep(token);
    const ids = [...(first?.deadLetters ?? []), ...(second?.deadLetters ?? [])].map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    const fields = await rig.redis.hgetall(`${rig.base}dl:${ids[0] ?? ''}`);
    expect(fields).toMatchObject({
      type: 'batch',
      events: '1',
      attempts: '1',
      body: '{}',
      webhookId: 'msg_1',
      error: 'off',
    });
    expect(await rig.redis.hget(`${rig.base}dl:${ids[1] ?? ''}`, 'type')).toBe('entries');
    expect(await rig.redis.keys(`${rig.base}x*`)).toEqual([]);
  });

  it('gives nothing up once the destination is active again', async () => {
    const token = (await toldToGiveUp()).state.owner;
    await rig.save(true, 3);
    await rig.append(event('c2'));
    expect(await giveUpStep(token)).toMatchObject({ again: false, dead: 0, dropped: 0, deadLetters: [] });
    const reply = await rig.next(token);
    expect(reply.batches.map(({ fragments }) => fragments)).toEqual(['msg_c2\n{}']);
  });

  it('gives up once what a dead worker had in flight, and what was delivered stays delivered', async () => {
    await rig.save(true, 1);
    const claimed = await rig.append(event('c1'), { room: 1 });
    const { token, batch } = firstOf(claimed.replies);
    await rig.append(event('c2'));
    const { batches } = await rig.next(token, { window: 2, inFlight: [batch?.id ?? ''] });
    // The second is delivered, the first still in flight when its worker dies.
    await rig.next(token, { settles: [delivered(batches[0]?.id ?? '')], window: 0, inFlight: [batch?.id ?? ''] });
    await rig.save(false, 2);
    await rig.commands.heartbeat('w', 0, 500);
    const taken = await rig.take('survivor');
    expect(taken.replies[0]).toMatchObject({ status: 'give up', batches: [] });
    expect(await giveUpStep(firstOf(taken.replies).token)).toMatchObject({ dead: 1 });
    const [deadLetter = '', ...others] = await deadLetterIds();
    expect(others).toEqual([]);
    // The batch may have arrived, so a redrive keeps its fragments and its attempts.
    const fields = await rig.redis.hmget(`${rig.base}dl:${deadLetter}`, 'type', 'webhookId', 'body', 'attempts');
    expect(fields).toEqual(['batch', 'msg_c1', 'msg_c1\n{}', '1']);
    await rig.save(true, 3);
    expect(await rig.commands.redrive(deadLetter, 'again', 'run')).toBe('redriven');
    const again = await rig.next(firstOf(taken.replies).token);
    expect(again.batches).toMatchObject([{ webhookId: 'msg_c1', attempt: 2, fragments: 'msg_c1\n{}' }]);
  });
});
