import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fullExample } from '@mailhook/core';
import type { LogItem, LogPage, ReplayState } from '@mailhook/core';
import { eventually, goodReply, startReceiver, startRedis, uniqueName } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import { composeServices } from './rig/composed-services.ts';

const ADMIN_TOKEN = 'admin-token-of-the-tests';
const PRODUCER_TOKEN = 'producer-token-of-the-tests';

interface Reply {
  readonly status: number;
  readonly json: unknown;
}

async function call(url: string, token: string, method: string, body?: unknown): Promise<Reply> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json;charset=UTF-8' };
  const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
  const reply = await fetch(url, init);
  return { status: reply.status, json: await reply.json() };
}

describe('the event log', () => {
  let redis: Awaited<ReturnType<typeof startRedis>>;
  let receiver: FakeReceiver;
  let services: Awaited<ReturnType<typeof composeServices>>;
  let folder: string;
  let prefix: string;
  let account: string;
  let token: string;

  const start = (env: Readonly<Record<string, string>>) =>
    composeServices({
      redisUrl: redis.url,
      adminToken: ADMIN_TOKEN,
      producerToken: PRODUCER_TOKEN,
      env: { QUEUE_PREFIX: prefix, ALLOW_PRIVATE_DESTINATIONS: 'true', RETRY_SCHEDULE: '10ms', ...env },
    });
  const admin = async (route: string, body: unknown) => {
    const { json } = await call(`${services.opsUrls[0] ?? ''}/admin${route}`, ADMIN_TOKEN, 'POST', body);
    return json as { id: string; token: string };
  };
  const mine = (method: string, route: string, body?: unknown, as = token) =>
    call(`${services.baseUrl}/v3/webhook${route}`, as, method, body);
  const create = async (at: string, more: object = {}) => {
    const input = {
      address: `${receiver.url}/${at}`,
      module: 'transactional_email',
      types: ['open', 'click'],
      ...more,
    };
    return ((await mine('POST', '/destinations', input)).json as { id: string }).id;
  };
  const post = (events: readonly object[]) => call(`${services.baseUrl}/v3/events`, PRODUCER_TOKEN, 'POST', events);
  const open = (id: string) => ({ ...fullExample('transactional_email', 'open'), account, id });
  const search = async (filters: object = {}): Promise<LogItem[]> => {
    const items: LogItem[] = [];
    for (let cursor: string | undefined; ;) {
      const { status, json } = await mine('POST', '/log/search', { ...filters, limit: 3, cursor });
      if (status !== 200) throw new Error(JSON.stringify(json));
      const page = json as LogPage;
      items.push(...page.items.filter((item): item is LogItem => !('gap' in item)));
      if (page.nextCursor === undefined) return items;
      cursor = page.nextCursor;
    }
  };
  const outcomes = async (filters: object = {}) =>
    (await search(filters)).map(({ id, destinations }) => [id, destinations.map(({ outcome }) => outcome).join()]);
  const span = () => ({
    from: new Date(Date.now() - 600_000).toISOString(),
    to: new Date(Date.now() + 200).toISOString(),
  });
  const done = async (destination: string, id: string): Promise<ReplayState> => {
    const read = async () => (await mine('GET', `/destinations/${destination}/replays/${id}`)).json as ReplayState;
    await eventually(async () => (await read()).state === 'done', { withinMs: 20_000, what: 'the end of the replay' });
    return read();
  };

  beforeAll(async () => {
    [redis, receiver] = await Promise.all([
      startRedis({ appendonly: true }),
      startReceiver({ reply: (request) => (request.path === '/bad' ? { status: 500 } : goodReply(request)) }),
    ]);
    folder = await mkdtemp(path.join(tmpdir(), 'event-log-'));
    prefix = uniqueName('log');
    services = await start({ EVENT_LOG: folder });
  }, 60_000);
  afterAll(async () => {
    await services.close();
    await receiver.close();
    await redis.stop();
    await rm(folder, { recursive: true, force: true });
  }, 60_000);
  beforeEach(async () => {
    account = (await admin('/accounts', { name: 'x' })).id;
    token = (await admin(`/accounts/${account}/tokens`, { label: 'x' })).token;
  });

  it('lists what was accepted with what became of it, also after a segment and a new start', async () => {
    const bad = await create('bad');
    await post([open('a'), open('b'), open('c'), open('d')]);
    const wanted = ['d', 'c', 'b', 'a'].map((id) => [id, 'dead']);
    await eventually(async () => (await outcomes({ outcome: 'dead' })).length === 4, { what: 'dead events' });
    expect(await outcomes()).toEqual(wanted);
    expect(await outcomes({ destination: bad, types: ['open'], id: 'b' })).toEqual([['b', 'dead']]);
    expect(await search({ types: ['click'] })).toEqual([]);
    const [first] = await search();
    const read = await mine('GET', `/log/${first?.entry}`);
    expect(read.json).toMatchObject({ id: 'd', event: { version: 2, event: 'open' }, attempts: [{}, {}] });
    // The close of the services leaves the buffer. The next start closes it.
    await services.close();
    services = await start({ EVENT_LOG: folder });
    expect(await outcomes()).toEqual(wanted);
  }, 60_000);

  it('replays what a destination never got, once, in requests that say so', async () => {
    await post([open('a'), open('b')]);
    await eventually(async () => (await search()).length === 2, { what: 'two events' });
    const late = await create('late');
    const body = { ...span(), outcome: 'unmatched' };
    expect((await mine('POST', `/destinations/${late}/replay`, { ...body, dryRun: true })).json).toMatchObject({
      events: 2,
      isComplete: true,
    });
    const started = await mine('POST', `/destinations/${late}/replay`, body);
    expect(started.status).toBe(202);
    const { id } = started.json as { id: string };
    expect(await done(late, id)).toMatchObject({ events: 2, sent: 2, delivered: 2, dead: 0, missed: 0 });
    const requests = receiver.requests.filter(({ path: at }) => at === '/late');
    expect(requests.map(({ headers, json }) => [headers['webhook-replay'], (json as LogItem).id]).sort()).toEqual([
      [id, 'a'],
      [id, 'b'],
    ]);
    const again = await mine('POST', `/destinations/${late}/replay`, { ...span(), outcome: 'unmatched', dryRun: true });
    expect(again.json).toMatchObject({ events: 0 });
    const [item] = await search({ id: 'a' });
    expect(item?.destinations).toMatchObject([{ id: late, outcome: 'delivered', replay: id }]);
  }, 60_000);

  it('waits for a paused destination, is stopped by a person, and runs once per destination', async () => {
    await post([open('a')]);
    await eventually(async () => (await search()).length === 1, { what: 'an event' });
    const paused = await create('paused');
    await mine('POST', `/destinations/${paused}/pause`, { minutes: 60 });
    const { id } = (await mine('POST', `/destinations/${paused}/replay`, span())).json as { id: string };
    const state = async () => (await mine('GET', `/destinations/${paused}/replays/${id}`)).json as ReplayState;
    await eventually(async () => (await state()).reason === 'paused', { what: 'a waiting replay' });
    expect((await mine('POST', `/destinations/${paused}/replay`, span())).json).toMatchObject({
      status: 409,
      code: 'replay_running',
    });
    expect((await mine('DELETE', `/destinations/${paused}/replays/${id}`)).json).toMatchObject({
      state: 'stopped',
      reason: 'person',
    });
    expect((await mine('GET', `/destinations/${paused}/replays`)).json).toMatchObject({ items: [{ id }] });
    const another = (await admin(`/accounts/${(await admin('/accounts', { name: 'y' })).id}/tokens`, { label: 'y' }))
      .token;
    const ofAnother = await mine('GET', `/destinations/${paused}/replays`, undefined, another);
    expect(ofAnother.json).toEqual({ items: [] });
    const replayTo = (id: string, as?: string) => mine('POST', `/destinations/${id}/replay`, span(), as);
    await mine('PUT', `/destinations/${paused}/settings`, { active: false });
    expect((await replayTo(paused)).status).toBe(409);
    await mine('DELETE', `/destinations/${paused}`);
    for (const address of [`${receiver.url}/campaign`, null]) await mine('PUT', '/campaign', { address });
    for (const deleted of [paused, 'campaign']) {
      const { status, json } = await replayTo(deleted);
      expect(`${status} ${(json as { detail: string }).detail}`).toContain('409 This destination was deleted');
      expect((await replayTo(deleted, another)).status).toBe(404);
    }
  }, 60_000);

  it('names wrong fields, and takes a token for reading to read only', async () => {
    const target = await create('target');
    const replay = `/destinations/${target}/replay`;
    const paths = async (route: string, body: object) => {
      const { status, json } = await mine('POST', route, body);
      return [status, ((json as { errors?: { path: string }[] }).errors ?? []).map(({ path: at }) => at)];
    };
    expect(await paths('/log/search', { limit: 101 })).toEqual([422, ['limit']]);
    expect(await paths('/log/search', { cursor: 'x' })).toEqual([422, ['cursor']]);
    expect(await paths('/log/search', { from: 'yesterday', unknown: 1 })).toEqual([422, ['from', 'unknown']]);
    expect(await paths(replay, {})).toEqual([422, ['from', 'to']]);
    expect(await paths(replay, { entries: ['x'] })).toEqual([422, ['entries.0']]);
    expect(await paths(replay, { from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' })).toEqual([422, ['from']]);
    expect((await mine('POST', '/destinations/none/replay', span())).status).toBe(404);
    expect((await mine('GET', '/log/none')).status).toBe(404);
    const reader = (await admin(`/accounts/${account}/tokens`, { label: 'r', access: 'read' })).token;
    expect((await mine('POST', '/log/search', {}, reader)).status).toBe(200);
    expect((await mine('POST', replay, span(), reader)).status).toBe(403);
  }, 60_000);

  it('answers 503 while its folder cannot be read, and works again afterwards', async () => {
    await post([open('a')]);
    await eventually(async () => (await search()).length === 1, { what: 'an event' });
    await rename(folder, `${folder}-away`);
    await writeFile(folder, 'not a folder');
    try {
      const { json } = await mine('POST', '/log/search', {});
      expect(json).toMatchObject({ status: 503, code: 'unavailable' });
    } finally {
      await rm(folder);
      await rename(`${folder}-away`, folder);
    }
    await eventually(async () => (await mine('POST', '/log/search', {})).status === 200, { what: 'the log again' });
    expect(await search()).toHaveLength(1);
  }, 60_000);

  it('says that it is off', async () => {
    await services.close();
    services = await start({});
    expect((await mine('POST', '/log/search', {})).json).toMatchObject({ status: 404, code: 'event_log_off' });
  }, 60_000);
});
