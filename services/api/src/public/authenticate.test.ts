import { ADMIN_TOKEN, PRODUCER_TOKEN, startApi } from '../api-rig.suite.ts';
import { SUBSCRIPTIONS, expectProblem, publicApiRig } from './public-api-rig.suite.ts';

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
      ['get', '/v3/webhook/deliveries'],
      ['get', '/v3/webhook/dead-letters'],
      ['post', '/v3/webhook/dead-letters/redrive'],
      ['get', '/v3/webhook/secrets'],
      ['post', '/v3/webhook/secrets'],
      ['delete', '/v3/webhook/secrets/x'],
    ] as const;

    it.each(routes)('%s %s wants a customer token', async (method, path) => {
      expectProblem(await rig.api.as(undefined)(method, path), 401, 'unauthorized');
      expectProblem(await rig.api.as(PRODUCER_TOKEN)(method, path), 403, 'forbidden');
      expectProblem(await rig.api.as(ADMIN_TOKEN)(method, path), 403, 'forbidden');
    });

    it('says which scheme is wanted, and takes it in any case', async () => {
      const reply = await rig.api.as('nonsense')('get', SUBSCRIPTIONS);
      expectProblem(reply, 401, 'unauthorized');
      expect(reply.headers['www-authenticate']).toMatch(/^Bearer/);
      const lower = await rig.api.as(undefined)('get', SUBSCRIPTIONS).set('authorization', `bearer ${rig.mine.token}`);
      expect(lower.status).toBe(200);
      const basic = await rig.api.as(undefined)('get', SUBSCRIPTIONS).auth('x', rig.mine.token);
      expectProblem(basic, 401, 'unauthorized');
    });

    it('wants the producer token on the intake', async () => {
      expectProblem(await rig.api.as(undefined)('post', '/v3/events', []), 401, 'unauthorized');
      expectProblem(await rig.api.as(rig.mine.token)('post', '/v3/events', []), 403, 'forbidden');
      expectProblem(await rig.api.as(ADMIN_TOKEN)('post', '/v3/events', []), 403, 'forbidden');
    });

    it('limits failed sign-ins of an address, and never a valid token', async () => {
      const fresh = await startApi();
      try {
        const account = await fresh.newAccount();
        const statuses: number[] = [];
        for (let i = 0; i < 62; i += 1) statuses.push((await fresh.as('wrong')('get', SUBSCRIPTIONS)).status);
        expect(statuses.slice(0, 60)).toEqual(Array.from({ length: 60 }, () => 401));
        const refused = await fresh.as('wrong')('get', SUBSCRIPTIONS);
        expectProblem(refused, 429, 'rate_limited');
        expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
        expect((await fresh.as(account.token)('get', SUBSCRIPTIONS)).status).toBe(200);
        expect((await fresh.post([])).status).toBe(422);
      } finally {
        await fresh.close();
      }
    });
  });
});
