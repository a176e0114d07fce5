import { fine, publicApiRig, SUBSCRIPTIONS } from './customer-api-rig.suite.ts';

describe('a second subscription with the same address and type', () => {
  const rig = publicApiRig();

  it('is created, and the answer links to the first one', async () => {
    const first = await rig.call('post', SUBSCRIPTIONS, fine);
    expect([first.status, first.headers['link']]).toEqual([201, undefined]);
    const { id } = first.body as { id: string };
    const second = await rig.call('post', SUBSCRIPTIONS, fine);
    expect([second.status, second.headers['link']]).toEqual([201, `<${SUBSCRIPTIONS}/${id}>; rel="duplicate"`]);
    expect(Object.keys(second.body as object)).toEqual(['id']);
    const other = await rig.call('post', SUBSCRIPTIONS, { ...fine, type: 'click' });
    expect([other.status, other.headers['link']]).toEqual([201, undefined]);
  });
});
