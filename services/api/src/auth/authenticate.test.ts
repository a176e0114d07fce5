import { ADMIN_TOKEN, PRODUCER_TOKEN } from '../api-rig.suite.ts';
import { SUBSCRIPTIONS, expectProblem, publicApiRig } from '../customer-api/customer-api-rig.suite.ts';

describe('public API', () => {
  const rig = publicApiRig();

  describe('tokens', () => {
    const routes = [
      ['post', SUBSCRIPTIONS],
      ['get', SUBSCRIPTIONS],
      ['get', `${SUBSCRIPTIONS}/x`],
      ['put', `${SUBSCRIPTIONS}/x`],
      ['delete', `${SUBSCRIPTIONS}/x`],
      ['post', '/v3/webhook/notificationTest'],
      ['get', '/v3/webhook/campaign'],
      ['put', '/v3/webhook/campaign'],
      ['post', '/v3/webhook/campaign/test'],
      ['get', '/v3/webhook/destinations'],
      ['get', '/v3/webhook/deliveries'],
      ['get', '/v3/webhook/dead-letters'],
      ['post', '/v3/webhook/dead-letters/redrive'],
      ['get', '/v3/webhook/secrets'],
      ['post', '/v3/webhook/secrets'],
      ['delete', '/v3/webhook/secrets/x'],
    ] as const;

    it.each(routes)('%s %s requires a customer token', async (method, path) => {
      expectProblem(await rig.api.as(undefined)(method, path), 401, 'unauthorized');
    });

    it('answers the operator\u2019s tokens exactly like wrong ones, so that nobody can discover them', async () => {
      const answerTo = async (token: string, method: 'get' | 'post', path: string) => {
        const reply = await rig.api.as(token)(method, path, method === 'post' ? [] : undefined);
        const header = String(reply.headers['www-authenticate']);
        return { status: reply.status, header, body: { ...(reply.body as object), instance: '' } };
      };
      for (const token of [PRODUCER_TOKEN, ADMIN_TOKEN])
        expect(await answerTo(token, 'get', SUBSCRIPTIONS)).toEqual(await answerTo('wrong', 'get', SUBSCRIPTIONS));
      expect(await answerTo(ADMIN_TOKEN, 'post', '/v3/events')).toEqual(await answerTo('wrong', 'post', '/v3/events'));
    });

    it('names the expected scheme, and accepts it in upper and lower case', async () => {
      const reply = await rig.api.as('nonsense')('get', SUBSCRIPTIONS);
      expectProblem(reply, 401, 'unauthorized');
      expect(reply.headers['www-authenticate']).toMatch(/^Bearer/);
      const lower = await rig.api.as(undefined)('get', SUBSCRIPTIONS).set('authorization', `bearer ${rig.mine.token}`);
      expect(lower.status).toBe(200);
      const basic = await rig.api.as(undefined)('get', SUBSCRIPTIONS).auth('x', rig.mine.token);
      expectProblem(basic, 401, 'unauthorized');
    });

    it.each([undefined, 'wrong'])(
      'asks for a producer token on the intake, and for an access token elsewhere: %s',
      async (token) => {
        const detailOf = async (method: 'get' | 'post', path: string) =>
          ((await rig.api.as(token)(method, path, method === 'post' ? [] : undefined)).body as { detail: string })
            .detail;
        expect(await detailOf('post', '/v3/events')).toContain('Send a valid producer token');
        expect(await detailOf('get', SUBSCRIPTIONS)).toContain('Send a valid access token');
        const admin = await rig.api.opsAs(token)('get', '/admin/accounts');
        expect((admin.body as { detail: string }).detail).toContain('Send a valid admin token');
      },
    );

    it('requires the producer token on the intake', async () => {
      expectProblem(await rig.api.as(undefined)('post', '/v3/events', []), 401, 'unauthorized');
      const reply = await rig.api.as(rig.mine.token)('post', '/v3/events', []);
      expectProblem(reply, 401, 'unauthorized');
      expect((reply.body as { detail: string }).detail).toContain('use a producer token here');
    });
  });
});
