import { delivered, entry, firstOf, scriptsRig } from './mailbox-rig.suite.ts';

/** Cases that random steps of the mailbox model meet too rarely. */
describe('a step of a drain', () => {
  const rig = scriptsRig('transactional');
  const one = (id: string) => entry(`msg_${id}\n{}`);
  beforeEach(() => rig.save(true, 1));

  it('freezes one notification for one free place, behind a first entry that is in flight', async () => {
    const { token, batch } = firstOf((await rig.append([one('first')], { room: 1 })).replies);
    await rig.append(['a', 'b', 'c', 'd', 'e'].map(one));
    const { batches } = await rig.next(token, { inFlight: [batch?.id ?? ''], window: 2 });
    expect(batches.map(({ content }) => content)).toEqual(['msg_a\n{}']);
  });

  it('keeps a learned size limit when the mailbox becomes idle', async () => {
    const { token, batch } = firstOf((await rig.append([one('first')], { room: 1 })).replies);
    const learned = { size: '1000 1' };
    expect((await rig.next(token, { settles: [delivered(batch?.id ?? '')], learned })).status).toBe('idle');
    expect((await rig.mailbox()).state.size).toBe('1000 1');
  });
});
