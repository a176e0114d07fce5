import { exampleEvent } from '@mailhook/core';
import { aCampaignEvent, anEvent, anOpen, eventually } from '@mailhook/testing';
import { browserOf, PAGE, textOf } from '../settings-page-rig.suite.ts';
import { MODULE, startApi } from '../api-rig.suite.ts';
import { SUBSCRIPTIONS, expectProblem, fine, pathsOf, publicApiRig } from './customer-api-rig.suite.ts';

describe('public API', () => {
  const rig = publicApiRig();

  it('counts accepted events that no active destination takes', async () => {
    const { id: account, token } = rig.mine;
    await rig.api.subscribe(rig.mine, 'open', 'http://127.0.0.1:9/');
    for (const event of [
      anOpen({ account }),
      anEvent('bounce', { account }),
      anEvent('bounce', { account }),
      // It needs version 2, and no endpoint lists it.
      { ...exampleEvent('sent'), account },
      aCampaignEvent({ account }),
    ]) {
      expect((await rig.api.post(event)).status).toBe(202);
    }
    const counted = async () =>
      ((await rig.call('get', '/v3/webhook/destinations')).body as { withoutDestination?: unknown }).withoutDestination;
    await eventually(async () => JSON.stringify(await counted()) === JSON.stringify({ bounce: 2, campaign: 1 }), {
      what: 'the counts',
      withinMs: 10_000,
    });
    const page = await browserOf(rig.api, token);
    for (const path of [PAGE, `${PAGE}/endpoints`]) {
      expect(textOf((await page.get(path)).text)).toContain(
        'had no active endpoint and were not kept: 2 bounce events and 1 campaign event. ' +
          'Types that need version 2 count only if an endpoint lists them.',
      );
    }
  });

  describe('actions on a destination', () => {
    const one = (id: string, action: string) => `/v3/webhook/destinations/${id}/${action}`;

    it('pauses and resumes, and says which limits there are', async () => {
      const id = await rig.api.subscribe(rig.mine, 'open', 'http://127.0.0.1:9/');
      const paused = await rig.call('post', one(id, 'pause'), { minutes: 60 });
      expect(paused.status).toBe(200);
      expect(paused.body).toMatchObject({ destination: id, state: 'paused', pausedBy: 'customer' });
      expectProblem(await rig.call('post', one(id, 'send-now')), 409, 'conflict');
      for (const body of [undefined, {}, { minutes: 0 }, { minutes: 4321 }, { minutes: '60' }]) {
        const refused = await rig.call('post', one(id, 'pause'), body);
        expectProblem(refused, 422, 'validation_failed');
        expect(pathsOf(refused)).toEqual(['minutes']);
      }
      const resumed = await rig.call('post', one(id, 'resume'));
      expect([resumed.status, (resumed.body as { state: string }).state]).toEqual([200, 'no_deliveries']);
      expect((await rig.call('post', one(id, 'resume'))).status).toBe(200);
      expect((await rig.call('post', one(id, 'send-now'))).body).toMatchObject({
        destination: id,
        sending: 0,
        redriven: 0,
      });
    });

    it('refuses what is off, unknown, or paused by an operator', async () => {
      const id = await rig.api.subscribe(rig.mine, 'open', 'http://127.0.0.1:9/');
      await rig.api.admin('post', `/admin/destinations/${id}/pause`, { minutes: 5 });
      for (const [action, body] of [['pause', { minutes: 5 }], ['resume']] as const) {
        const refused = await rig.call('post', one(id, action), body);
        expectProblem(refused, 409, 'conflict');
        expect((refused.body as { detail: string }).detail).toContain('An operator of Mailhook has paused');
      }
      await rig.call('put', `${SUBSCRIPTIONS}/${id}`, { module: MODULE, active: false });
      const other = await rig.api.newAccount();
      const foreign = rig.api.as(other.token);
      for (const action of ['pause', 'resume', 'send-now']) {
        const body = action === 'pause' ? { minutes: 5 } : {};
        if (action !== 'resume') expectProblem(await rig.call('post', one(id, action), body), 409, 'conflict');
        expectProblem(await rig.call('post', one('unknown', action), body), 404, 'not_found');
        expectProblem(await rig.call('post', one('campaign', action), body), 404, 'not_found');
        expectProblem(await foreign('post', one(id, action), body), 404, 'not_found');
      }
    });
  });

  describe('subscriptions', () => {
    it('creates, reads, lists, edits and deletes exactly as documented', async () => {
      const created = await rig.call('post', SUBSCRIPTIONS, fine);
      expect(created.status).toBe(201);
      expect(created.body).toEqual({ id: expect.stringMatching(/^[A-Za-z0-9_-]{16}$/) as string });
      const { id } = created.body as { id: string };
      expect((await rig.call('get', `${SUBSCRIPTIONS}/${id}`)).body).toEqual({ id, active: true, ...fine });
      expect((await rig.call('get', SUBSCRIPTIONS)).body).toEqual([{ id, active: true, ...fine }]);

      const edited = await rig.call('put', `${SUBSCRIPTIONS}/${id}`, { module: MODULE, active: 0, type: 'click' });
      expect([edited.status, edited.body]).toEqual([200, { success: true }]);
      expect((await rig.call('get', `${SUBSCRIPTIONS}/${id}`)).body).toEqual({
        id,
        ...fine,
        active: false,
        type: 'click',
      });

      const deleted = await rig.call('delete', `${SUBSCRIPTIONS}/${id}`);
      expect([deleted.status, deleted.body]).toEqual([200, { success: true }]);
      expectProblem(await rig.call('delete', `${SUBSCRIPTIONS}/${id}`), 404, 'not_found');
      expect((await rig.call('get', SUBSCRIPTIONS)).body).toEqual([]);
    });

    it('refuses a body over 1 MiB', async () => {
      const reply = await rig.call('post', SUBSCRIPTIONS, { ...fine, address: 'x'.repeat(1 << 20) });
      expectProblem(reply, 413, 'payload_too_large');
    });

    it('hides the subscriptions of another account', async () => {
      const id = await rig.api.subscribe(rig.mine);
      const other = rig.api.as((await rig.api.newAccount()).token);
      for (const method of ['get', 'delete'] as const)
        expectProblem(await other(method, `${SUBSCRIPTIONS}/${id}`), 404, 'not_found');
      expectProblem(await other('put', `${SUBSCRIPTIONS}/${id}`, { module: MODULE, active: 0 }), 404, 'not_found');
      expect((await rig.call('get', `${SUBSCRIPTIONS}/${id}`)).body).toMatchObject({ active: true });
    });

    it.each(['AAAAAAAAAAAAAAAA', '__proto__', '..%2f..', '%00', '%zz', 'a'.repeat(500)])(
      'answers 404 to the subscription %s',
      async (id) => {
        expectProblem(await rig.call('get', `${SUBSCRIPTIONS}/${id}`), 404, 'not_found');
      },
    );

    it.each(['/v3/nope', '/v3/webhook', `${SUBSCRIPTIONS}/x/more`, '/V3/webhook/subscriptions'])(
      'answers 404 at %s',
      async (path) => {
        expectProblem(await rig.call('get', path), 404, 'not_found');
      },
    );
  });

  describe('campaign webhook', () => {
    it('is unset at first, and then returns the saved setting', async () => {
      expect((await rig.call('get', '/v3/webhook/campaign')).body).toEqual({ address: null, active: false });
      const address = 'https://example.com/campaign';
      const put = await rig.call('put', '/v3/webhook/campaign', { address });
      expect([put.status, put.body]).toEqual([200, { address, active: true }]);
      const off = await rig.call('put', '/v3/webhook/campaign', { address, active: '0' });
      expect(off.body).toEqual({ address, active: false });
      const cleared = await rig.call('put', '/v3/webhook/campaign', { address: null });
      expect(cleared.body).toEqual({ address: null, active: false });
      expect((await rig.call('get', '/v3/webhook/campaign')).body).toEqual({ address: null, active: false });
      expect(pathsOf(await rig.call('post', '/v3/webhook/campaign/test', {}))).toEqual(['address']);
    });

    it.each([
      ['https://x.example/ho\u200bok', 'the invisible character U+200B: see position 20'],
      ['\ufeffhttps://x.example/', 'the invisible character U+FEFF: see position 0'],
      ['https://x.example/\ud83d', 'half a surrogate pair, U+D83D: see position 18'],
    ])('no operation takes the address %j', async (unseen, what) => {
      const kept = await rig.api.subscribe(rig.mine, 'open', 'http://127.0.0.1:9/');
      const subscription = { address: unseen, type: 'open', module: MODULE };
      for (const refused of [
        await rig.call('put', '/v3/webhook/campaign', { address: unseen }),
        await rig.call('post', '/v3/webhook/campaign/test', { address: unseen }),
        await rig.call('post', SUBSCRIPTIONS, subscription),
        await rig.call('put', `${SUBSCRIPTIONS}/${kept}`, subscription),
        await rig.call('post', '/v3/webhook/notificationTest/', subscription),
        await rig.call('post', '/v3/webhook/doctor', { address: unseen, kind: 'campaign' }),
      ]) {
        expectProblem(refused, 422, 'validation_failed');
        expect(refused.body).toMatchObject({ errors: [{ path: 'address', message: `must not contain ${what}` }] });
      }
      const page = await browserOf(rig.api, rig.mine.token);
      const shown = await page.send({ do: 'save-campaign', address: 'https://x.example/\u200f', active: 'true' });
      expect(textOf(shown.text)).toContain(
        'Webhook URL must not contain the invisible character U+200F: see position 18',
      );
    });
  });

  describe('states of destinations', () => {
    const states = async () =>
      ((await rig.call('get', '/v3/webhook/destinations')).body as { items: { destination: string; state: string }[] })
        .items;

    it('are listed for the campaign webhook, once it has an address, and for every subscription', async () => {
      expect(await states()).toEqual([]);
      const { id } = (await rig.call('post', SUBSCRIPTIONS, fine)).body as { id: string };
      await rig.call('put', '/v3/webhook/campaign', { address: fine.address });
      const lastHour = { confirmed: 0, unconfirmed: 0, delivered: 0, failed: 0 };
      const all = { address: fine.address, state: 'no_deliveries', waiting: 0, resends: 0, failures: 0, lastHour };
      expect(await states()).toEqual([
        expect.objectContaining({ destination: 'campaign', id: 'campaign', kind: 'campaign', ...all }) as unknown,
        expect.objectContaining({ destination: id, id, kind: 'transactional', ...all }) as unknown,
      ]);
    });

    it('distinguish destinations that the customer switched off from those that an operator paused', async () => {
      const { id } = (await rig.call('post', SUBSCRIPTIONS, fine)).body as { id: string };
      await rig.call('put', '/v3/webhook/campaign', { address: fine.address });
      await rig.call('put', `${SUBSCRIPTIONS}/${id}`, { module: MODULE, active: 0 });
      await rig.api.admin('post', `/admin/destinations/campaign-${rig.mine.id}/pause`, { minutes: 5 });
      expect(await states()).toMatchObject([
        { destination: 'campaign', state: 'paused', pausedUntil: expect.stringMatching(/Z$/) as string },
        { destination: id, state: 'off' },
      ]);
    });
  });
});

describe('public API without private destinations', () => {
  it('refuses literal private addresses in every operation', async () => {
    const api = await startApi({ ALLOW_PRIVATE_DESTINATIONS: 'false' });
    try {
      const call = api.as((await api.newAccount()).token);
      const address = 'http://[::ffff:127.0.0.1]/';
      const replies = [
        await call('post', SUBSCRIPTIONS, { ...fine, address }),
        await call('post', '/v3/webhook/notificationTest', { ...fine, address }),
        await call('put', '/v3/webhook/campaign', { address }),
        await call('post', '/v3/webhook/campaign/test', { address }),
      ];
      for (const reply of replies) {
        expectProblem(reply, 422, 'validation_failed');
        expect(pathsOf(reply)).toEqual(['address']);
      }
    } finally {
      await api.close();
    }
  });
});
