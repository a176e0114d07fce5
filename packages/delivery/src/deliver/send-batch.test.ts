import { aBatch, makeAttempt, refused } from './attempt-samples.suite.ts';

describe('a request that carries a part of a batch', () => {
  test('has a webhook-id that names the positions of its events', async () => {
    const inSearch = aBatch({
      lane: 'x',
      webhookId: 'msg_1',
      split: 'deeper',
      search: 'refusal 0 250 1 1,2,1',
      step: 1,
    });
    const [, request] = await makeAttempt(inSearch, refused);
    expect(request).toEqual({ webhookId: 'msg_1-1-3', content: 'e1\ne2' });
    const [, smaller] = await makeAttempt(aBatch({ search: 'cut 20' }));
    expect(smaller).toEqual({ webhookId: 'msg_w1_1_1-0-2', content: 'e0\ne1' });
  });
  test.each(['first', 'second'] as const)(
    'of stage %s, which an earlier version wrote, has the id of its record',
    async (split) => {
      const [, request] = await makeAttempt(aBatch({ lane: 'x', webhookId: 'msg_1', split }));
      expect(request.webhookId).toBe('msg_1');
      expect(request.content).toBe(split === 'first' ? 'e0\ne1' : 'e2\ne3');
    },
  );
});
