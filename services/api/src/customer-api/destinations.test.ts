import { CAMPAIGN_FIELDS, namesOf } from '@mailhook/core';
import { eventually, goodReply, startReceiver } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import { expectProblem, pathsOf, publicApiRig, SUBSCRIPTIONS } from './customer-api-rig.suite.ts';

const DESTINATIONS = '/v3/webhook/destinations';
const MODULE = 'transactional_email';
const address = 'https://example.com/hook';

describe('destinations', () => {
  const rig = publicApiRig();
  let call: ReturnType<typeof rig.api.as>;
  beforeEach(async () => {
    call = rig.api.as((await rig.api.newAccount()).token);
  });

  const create = async (input: object): Promise<string> => {
    const reply = await call('post', DESTINATIONS, { address, module: MODULE, types: ['bounce'], ...input });
    expect([reply.status, Object.keys(reply.body as object)]).toEqual([201, ['id']]);
    return (reply.body as { id: string }).id;
  };
  const read = async (id: string) => (await call('get', `${DESTINATIONS}/${id}`)).body as Record<string, unknown>;
  const settingsOf = (id: string) => call('get', `${DESTINATIONS}/${id}/settings`);
  const put = (id: string, change: object) => call('put', `${DESTINATIONS}/${id}/settings`, change);

  it('have defaults, one item for the list and alone, and settings that can be sent back', async () => {
    const id = await create({});
    const settings = {
      address,
      module: MODULE,
      active: true,
      name: null,
      types: ['bounce'],
      version: 2,
      shape: 'single',
      maxEvents: 1000,
      concurrency: null,
      filter: null,
      maxRequestsPerSecond: null,
      headers: {},
    };
    expect((await settingsOf(id)).body).toEqual(settings);
    const item = await read(id);
    expect(item).toMatchObject({ ...settings, id, destination: id, state: 'no_deliveries', kind: 'transactional' });
    expect((await call('get', DESTINATIONS)).body).toEqual({ items: [item] });
    const again = await put(id, settings);
    expect([again.status, again.body]).toEqual([200, { success: true }]);
    const campaign = await create({ module: 'campaign', types: ['*'] });
    expect(await read(campaign)).toMatchObject({ shape: 'batch', version: 2, kind: 'campaign' });
  });

  it.each<[object, readonly string[]]>([
    [{ filtre: {}, filters: {} }, ['filtre', 'filters']],
    [{ filter: { tag: ['a'] } }, ['filter.tag']],
    [{ name: 'half \ud800' }, ['name']],
    [{ types: [] }, ['types']],
    [{ types: ['opened'] }, ['types.0']],
    [{ types: ['bounce', 'bounce'] }, ['types.1']],
    [{ types: ['*', 'open'] }, ['types']],
    [{ types: ['*'], version: 1 }, ['types']],
    [{ types: ['delivered'], version: 1 }, ['types.0']],
    [{ version: 1, shape: 'array' }, ['shape']],
    [{ shape: 'array', concurrency: 5 }, ['concurrency']],
    [{ concurrency: 17 }, ['concurrency']],
    [{ maxEvents: 1001 }, ['maxEvents']],
    [{ name: 'x'.repeat(101) }, ['name']],
    [{ filter: { campaigns: ['aBcDeFgHiJ'] } }, ['filter.campaigns']],
    [{ filter: { domains: ['not a domain'] } }, ['filter.domains.0']],
    [{ filter: { tags: [] } }, ['filter.tags']],
    [{ headers: { authorization: true } }, ['headers.authorization']],
  ])('refuse %j at %j, when created and when changed', async (wrong, paths) => {
    const reply = await call('post', DESTINATIONS, { address, module: MODULE, types: ['bounce'], ...wrong });
    expectProblem(reply, 422, 'validation_failed');
    expect(pathsOf(reply)).toEqual(paths);
    const id = await create({});
    const before = (await settingsOf(id)).body as object;
    const changed = await put(id, { name: 'not saved', ...wrong });
    expectProblem(changed, 422, 'validation_failed');
    expect(pathsOf(changed)).toEqual(paths);
    expect((await settingsOf(id)).body).toEqual(before);
  });

  it('keep their module, and the campaign webhook its shape', async () => {
    const id = await create({});
    expect(pathsOf(await put(id, { module: 'campaign' }))).toEqual(['module']);
    await call('put', '/v3/webhook/campaign', { address });
    expect(pathsOf(await put('campaign', { version: 2, shape: 'single' }))).toEqual(['shape']);
    expect((await put('campaign', { version: 2, types: ['*'] })).status).toBe(200);
  });

  it('are subscriptions of the specification while they are single and get one of its types', async () => {
    const subscriptions = async () => (await call('get', SUBSCRIPTIONS)).body as object[];
    const id = await create({ types: ['open'], name: 'CRM', filter: { tags: ['a'] } });
    const shown = { id, address, active: true, type: 'open', module: MODULE };
    expect(await subscriptions()).toEqual([shown]);
    expect((await call('put', `${SUBSCRIPTIONS}/${id}`, { module: MODULE, type: 'click' })).status).toBe(200);
    expect(await read(id)).toMatchObject({ types: ['click'], name: 'CRM', version: 2, filter: { tags: ['a'] } });
    for (const change of [{ types: ['click', 'open'] }, { types: ['sent'] }, { types: ['*'] }, { shape: 'array' }]) {
      expect((await put(id, change)).status).toBe(200);
      expect(await subscriptions()).toEqual([]);
      for (const method of ['get', 'delete'] as const)
        expectProblem(await call(method, `${SUBSCRIPTIONS}/${id}`), 404, 'not_found');
      expectProblem(await call('put', `${SUBSCRIPTIONS}/${id}`, { module: MODULE, active: 0 }), 404, 'not_found');
    }
    expect((await put(id, { types: ['open'], shape: 'single' })).status).toBe(200);
    expect(await subscriptions()).toEqual([shown]);
  });

  it('show the campaign webhook while it has an address, and delete it as null does', async () => {
    expectProblem(await call('get', `${DESTINATIONS}/campaign`), 404, 'not_found');
    expectProblem(await settingsOf('campaign'), 404, 'not_found');
    await call('put', '/v3/webhook/campaign', { address });
    expect(await read('campaign')).toMatchObject({
      version: 1,
      types: namesOf(CAMPAIGN_FIELDS),
      shape: 'batch',
    });
    await put('campaign', { name: 'CRM', active: false });
    expect((await call('get', '/v3/webhook/campaign')).body).toEqual({ address, active: false });
    const gone = await call('delete', `${DESTINATIONS}/campaign`);
    expect([gone.status, gone.body]).toEqual([200, { success: true }]);
    expect((await call('get', '/v3/webhook/campaign')).body).toEqual({ address: null, active: false });
    expectProblem(await call('delete', `${DESTINATIONS}/campaign`), 404, 'not_found');
    await call('put', '/v3/webhook/campaign', { address });
    expect(await read('campaign')).toMatchObject({ name: null, active: true });
  });

  it('count for the limit of every type that they list, whichever way one more would come', async () => {
    for (let i = 0; i < 20; i += 1) await create({ types: i % 2 === 0 ? ['*'] : ['click', 'open'] });
    const refused = await call('post', SUBSCRIPTIONS, { address, type: 'click', module: MODULE });
    expectProblem(refused, 409, 'conflict');
    expect((refused.body as { detail: string }).detail).toContain('of type click');
    const other = await create({ types: ['bounce'], active: false });
    expectProblem(await put(other, { types: ['bounce', 'open'] }), 409, 'conflict');
    expectProblem(await call('post', DESTINATIONS, { address, module: MODULE, types: ['*'] }), 409, 'conflict');
    for (let i = 0; i < 20; i += 1) await create({ module: 'campaign', types: ['unsubscribe'] });
    expectProblem(await call('put', '/v3/webhook/campaign', { address }), 409, 'conflict');
  });

  it('keep their headers for one origin', async () => {
    const id = await create({ headers: { authorization: 'Bearer s3cr3t' } });
    expect((await put(id, { address: `${address}/2`, headers: { authorization: true } })).status).toBe(200);
    const moved = await put(id, { address: 'https://example.net/', headers: { authorization: true } });
    expect(pathsOf(moved)).toEqual(['headers.authorization']);
    await put(id, { address: 'https://example.net/' });
    expect((await settingsOf(id)).body).toMatchObject({ headers: {} });
  });

  it('are read by a token for reading, and changed only by one that may', async () => {
    const { id: account } = await rig.api.newAccount();
    const made = await rig.api.admin('post', `/admin/accounts/${account}/tokens`, { access: 'read' });
    const reader = rig.api.as((made.body as { token: string }).token);
    expect((await reader('get', DESTINATIONS)).status).toBe(200);
    for (const [method, path] of [
      ['post', DESTINATIONS],
      ['put', `${DESTINATIONS}/campaign/settings`],
      ['delete', `${DESTINATIONS}/campaign`],
      ['post', `${DESTINATIONS}/campaign/test`],
    ] as const)
      expectProblem(await reader(method, path, {}), 403, 'insufficient_scope');
  });

  it("are another account's for everybody else", async () => {
    const id = await create({});
    const foreign = rig.api.as((await rig.api.newAccount()).token);
    for (const [method, path] of [
      ['get', ''],
      ['delete', ''],
      ['get', '/settings'],
      ['put', '/settings'],
      ['post', '/test'],
    ] as const)
      expectProblem(await foreign(method, `${DESTINATIONS}/${id}${path}`, {}), 404, 'not_found');
  });

  it('change only for the version that was read', async () => {
    const id = await create({});
    const { etag } = (await settingsOf(id)).headers as { etag: string };
    const change = (name: string) => call('put', `${DESTINATIONS}/${id}/settings`).set('if-match', etag).send({ name });
    expect((await change('first')).status).toBe(200);
    expectProblem(await change('second'), 412, 'precondition_failed');
    expect(await read(id)).toMatchObject({ name: 'first' });
  });
});

describe('the test of a destination', () => {
  const rig = publicApiRig();
  let receiver: FakeReceiver;
  beforeEach(async () => {
    receiver = await startReceiver();
  });
  afterEach(() => receiver.close());

  const test = async (settings: object, body: object = {}) => {
    const call = rig.api.as((await rig.api.newAccount()).token);
    const input = { address: receiver.url, module: MODULE, types: ['bounce', 'complaint'], ...settings };
    const { id } = (await call('post', DESTINATIONS, input)).body as { id: string };
    return call('post', `${DESTINATIONS}/${id}/test`, body);
  };

  it('sends one of its types as it would get it', async () => {
    expect((await test({})).body).toEqual({ success: true });
    expect(receiver.requests[0]?.json).toMatchObject({ version: 2, event: 'bounce', type: 'hard', code: '5.1.1' });
    await test({ shape: 'array', headers: { 'x-team': 'mail' } }, { type: 'complaint' });
    expect(receiver.requests[1]?.headers['x-team']).toBe('mail');
    expect(receiver.requests[1]?.json).toMatchObject([{ version: 2, event: 'complaint', feedbackType: 'abuse' }]);
    await test({ version: 1, types: ['click'] });
    expect(receiver.requests[2]?.json).toMatchObject({ version: 1, name: 'click' });
    expect(receiver.requests.map(({ json }) => JSON.stringify(json).includes('"attempt"'))).toEqual([
      false,
      false,
      false,
    ]);
  });

  it('judges a batch by its acknowledgement', async () => {
    receiver.setReply(() => ({ status: 204 }));
    const refused = await test({ module: 'campaign', types: ['*'] }, { type: 'subscribe' });
    expect(refused.body).toMatchObject({ success: false });
    const [event] = receiver.requests[0]?.json as { hash: string; event: string; attempt: number }[];
    expect(event).toMatchObject({ version: 2, event: 'subscribe', attempt: 1 });
    receiver.setReply(goodReply);
    expect((await test({ module: 'campaign', types: ['*'] })).body).toEqual({ success: true });
  });

  it('is in the log of attempts, with the destination, the module and the shape', async () => {
    const call = rig.api.as((await rig.api.newAccount()).token);
    const input = { address: receiver.url, module: 'campaign', types: ['*'], shape: 'array' };
    const { id } = (await call('post', DESTINATIONS, input)).body as { id: string };
    await call('post', `${DESTINATIONS}/${id}/test`);
    const listed = async () =>
      (await call('get', `/v3/webhook/deliveries?destination=${id}`)).body as { items: object[] };
    await eventually(async () => (await listed()).items.length > 0, { what: 'the test in the log' });
    expect((await listed()).items).toMatchObject([
      { kind: 'test', destination: id, module: 'campaign', shape: 'array' },
    ]);
  });

  it('refuses a type that it does not list', async () => {
    const reply = await test({}, { type: 'open' });
    expectProblem(reply, 422, 'validation_failed');
    expect(pathsOf(reply)).toEqual(['type']);
    expect(receiver.requests).toEqual([]);
  });

  it('sends an edited sample, which is checked like an event and stays a test of this type', async () => {
    const event = {
      email: 'eva@example.com',
      url: 'https://example.com/mine',
      tags: ['mine'],
      id: 'mine',
      account: 'x',
    };
    expect((await test({ types: ['click'] }, { type: 'click', event })).body).toEqual({ success: true });
    const json = receiver.requests[0]?.json as Record<string, unknown>;
    expect(json).toMatchObject({ event: 'click', url: 'https://example.com/mine', tags: ['mine'] });
    expect(json['id']).toMatch(/^test-/);
    const refused = await test({ types: ['click'] }, { type: 'click', event: { url: 7, tags: ['x'], colour: 'red' } });
    expectProblem(refused, 422, 'validation_failed');
    expect(pathsOf(refused)).toContain('event.url');
    const unknown = await test({ types: ['click'] }, { type: 'click', event: { ...event, colour: 'red' } });
    expect(pathsOf(unknown)).toEqual(['event.colour']);
    expect(receiver.requests).toHaveLength(1);
  });
});
