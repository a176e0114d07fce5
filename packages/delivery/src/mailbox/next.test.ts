import { delivered, entry, failed, firstOf, scriptsRig } from './mailbox-rig.suite.ts';

/** Cases that random steps of the mailbox model meet too rarely. */
describe('a step of a drain', () => {
  const rig = scriptsRig('transactional');
  const one = (id: string) => entry(`msg_${id}\n{}`);
  beforeEach(() => rig.save(true, 1));

  it('freezes one notification for one free place, behind a first entry that is in flight', async () => {
    const { token, batch } = firstOf((await rig.append([one('first')], { room: 1 })).replies);
    await rig.append(['a', 'b', 'c', 'd', 'e'].map(one));
    const { batches } = await rig.next(token, { inFlight: [batch?.id ?? ''], window: 2 });
    expect(batches.map(({ fragments }) => fragments)).toEqual(['msg_a\n{}']);
  });

  it('keeps a learned size limit when the mailbox becomes idle', async () => {
    const { token, batch } = firstOf((await rig.append([one('first')], { room: 1 })).replies);
    const learned = { size: '1000 1' };
    expect((await rig.next(token, { settles: [delivered(batch?.id ?? '')], learned })).status).toBe('idle');
    expect((await rig.mailbox()).state.size).toBe('1000 1');
  });

  /** A call whose connection broke may run after its repetition, when the batch is in flight again. */
  it('does not apply the result of an attempt to the next attempt of the batch', async () => {
    const { token, batch } = firstOf((await rig.append(['first', 'other'].map(one), { room: 1 })).replies);
    const id = batch?.id ?? '';
    const { batches } = await rig.next(token, { inFlight: [id], window: 2 });
    const other = batches[0]?.id ?? '';
    const settles = [failed(id, 0, { webhookId: 'msg_first' })];
    await rig.next(token, { settles, inFlight: [other], window: 0 });
    await rig.commands.wake('d', id);
    const again = await rig.next(token, { inFlight: [other] });
    expect(again.batches.map((one) => [one.id, one.attempt])).toEqual([[id, 2]]);
    await rig.next(token, { settles, inFlight: [other], window: 0 });
    const last = await rig.next(token, { settles: [delivered(other), delivered(id, 2)] });
    expect(last.status).toBe('idle');
    expect(last.state.resends).toBe(0);
  });
});
