import { batchIds, buildSettle } from './settle.ts';
import { aBatch, makeAttempt, refused } from './attempt-samples.suite.ts';

/** Type, id and `webhook-id` of each follow-up. */
const namesOf = ({ followUps }: ReturnType<typeof buildSettle>) =>
  followUps.map(({ type, id, webhookId }) => [type, id, webhookId]);

/** A search whose next request carries two events. */
const SEARCH = '{"phase":"halve","from":0,"events":2,"requests":9,"suspects":4}';

describe('the ids of follow-ups', () => {
  test('are never used twice, even if Redis forgot a settle and the next attempt ends differently', async () => {
    const newId = batchIds('w1');
    const [first] = await makeAttempt(aBatch(), { unconfirmed: [0, 1] });
    const [second] = await makeAttempt(aBatch(), { unconfirmed: [2] });
    const [[a], [b]] = [buildSettle(first, newId).followUps, buildSettle(second, newId).followUps];
    expect([a?.events, b?.events]).toEqual([2, 1]);
    expect(a?.id).not.toBe(b?.id);
    expect(a?.webhookId).not.toBe(b?.webhookId);
    expect(b).toMatchObject({ id: 'w1-2', webhookId: 'msg_w1-2' });
  });

  test('stay short in a deep search', async () => {
    const newId = batchIds('w1');
    let frozen = aBatch({ step: 1 });
    for (let i = 0; i < 40; i += 1) {
      const [made] = await makeAttempt({ ...frozen, id: i === 0 ? 'w1_1_1' : newId() }, refused);
      const [followUp] = buildSettle(made, newId).followUps;
      expect(followUp?.id.length).toBeLessThan(20);
      frozen = { ...frozen, lane: 'x', search: SEARCH, id: followUp?.id ?? '' };
    }
  });

  test('a resend keeps its id, and its content stays in its record', async () => {
    const [made] = await makeAttempt(aBatch({ lane: 'x', webhookId: 'msg_1' }), { ...refused, httpStatus: 503 });
    const settle = buildSettle(made, batchIds('w1'));
    expect(namesOf(settle)).toEqual([['resend', 'w1_1_1', 'msg_1']]);
    expect(settle.followUps.map(({ body }) => body)).toEqual([undefined]);
  });

  test('a part of a batch that is resent alone keeps the id of its request, and the batch keeps its id', async () => {
    const inSearch = aBatch({ lane: 'x', webhookId: 'msg_1', search: SEARCH.replace('"events":2', '"events":1') });
    const [left] = await makeAttempt(inSearch, { ...refused, httpStatus: 500 });
    expect(namesOf(buildSettle(left, batchIds('w1')))).toEqual([
      ['resend', 'w1-1', 'msg_1-0-1'],
      ['send-now', 'w1-2', 'msg_w1-2'],
    ]);
    const [refusedPart] = await makeAttempt({ ...inSearch, search: SEARCH }, refused);
    expect(namesOf(buildSettle(refusedPart, batchIds('w1')))).toEqual([['send-now', 'w1_1_1', 'msg_1']]);
    const [away] = await makeAttempt({ ...inSearch, search: SEARCH }, { ...refused, httpStatus: 503 });
    expect(namesOf(buildSettle(away, batchIds('w1')))).toEqual([['resend', 'w1_1_1', 'msg_1']]);
  });
});
