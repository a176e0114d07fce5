import { aBatch, makeAttempt, refused } from './attempt-samples.suite.ts';

describe('a request that carries a part of a batch', () => {
  test('has a webhook-id that names the positions of its events', async () => {
    const inSearch = aBatch({
      lane: 'x',
      webhookId: 'msg_1',
      search: '{"phase":"size","from":1,"events":2}',
      step: 1,
    });
    const [, request] = await makeAttempt(inSearch, refused);
    expect(request).toEqual({ webhookId: 'msg_1-1-3', fragments: 'e1\ne2' });
    const [, smaller] = await makeAttempt(aBatch({ search: '{"phase":"size","from":0,"events":2}' }));
    expect(smaller).toEqual({ webhookId: 'msg_w1_1_1-0-2', fragments: 'e0\ne1' });
  });
});
