import { closeRedis, connectRedis, whenReady } from '@mailhook/platform/redis';
import type { Redis } from '@mailhook/platform/redis';
import { eventually } from '@mailhook/testing';
import request from 'supertest';
import { ADMIN_TOKEN, startApi } from '../api-rig.suite.ts';
import type { ApiRig } from '../api-rig.suite.ts';

describe('discarding dead letters', () => {
  let api: ApiRig;
  let redis: Redis;
  beforeAll(async () => {
    api = await startApi();
    redis = connectRedis({ url: api.redisUrl, role: 'fail-fast', name: 'test', onError: () => undefined });
    await whenReady(redis, 5000);
  });
  afterAll(async () => {
    await closeRedis(redis);
    await api.close();
  });

  /** Writes dead letters like the engine does, with 10 events each. */
  async function keepDeadLetters(
    account: string,
    address: string,
    ids: readonly string[],
    error = 'no',
  ): Promise<void> {
    const shard = `{${api.prefix}:0}:`;
    const keep = async (id: string): Promise<void> => {
      const time = Date.now();
      const deadLetter = {
        account,
        address,
        destination: `campaign-${account}`,
        events: 10,
        bytes: 100,
        attempts: 2,
        error,
        time,
      };
      await redis.hset(`${shard}c:dl:${id}`, deadLetter);
      for (const list of ['dls', `dls:${account}`]) await redis.zadd(`${shard}${list}`, time, `c${id}`);
    };
    await Promise.all(ids.map(keep));
  }
  const listed = async (query = ''): Promise<string[]> => {
    const { items } = (await api.admin('get', `/admin/dead-letters${query}`)).body as { items: { id: string }[] };
    return items.map(({ id }) => id).sort();
  };
  const counted = async (): Promise<string | undefined> =>
    /mailhook_events_discarded_total\{kind="campaign"\} (\d+)/.exec(
      (await api.opsAs(undefined)('get', '/metrics')).text,
    )?.[1];
  const discard = (body: unknown) => api.admin('post', '/admin/dead-letters/discard', body);

  it('requires a selection and the admin token', async () => {
    await keepDeadLetters('acc_a', 'http://127.0.0.1:9/', ['kept']);
    for (const body of [undefined, {}, { all: false }, { account: '' }, { account: 'acc_a', id: ['kept'] }]) {
      expect((await discard(body)).status).toBe(422);
    }
    expect((await api.opsAs(undefined)('post', '/admin/dead-letters/discard', { all: true })).status).toBe(401);
    expect(await listed()).toEqual(['c0_kept']);
    expect(await listed('?account=acc_b')).toEqual([]);
    expect(await counted()).toBe('0');
  });

  it('deletes the dead letters of an account, an address, ids, or all, and counts their events', async () => {
    await keepDeadLetters('acc_a', 'http://127.0.0.1:9/', ['a1', 'a2']);
    await keepDeadLetters('acc_b', 'http://127.0.0.1:9/b', ['b1', 'b2', 'b3']);
    const ofAccount = await discard({ account: 'acc_a' });
    expect([ofAccount.status, ofAccount.body]).toEqual([200, { discarded: 3, events: 30 }]);
    expect((await discard({ address: 'http://127.0.0.1:9/' })).body).toEqual({ discarded: 0, events: 0 });
    expect((await discard({ ids: ['c0_b1'] })).body).toEqual({ discarded: 1, events: 10 });
    expect((await discard({ destination: 'campaign-acc_a' })).body).toEqual({ discarded: 0, events: 0 });
    expect(await listed()).toEqual(['c0_b2', 'c0_b3']);
    expect((await discard({ all: true })).body).toEqual({ discarded: 2, events: 20 });
    expect(await listed()).toEqual([]);
    expect(await counted()).toBe('60');
  });

  it('is a button of a page, that asks with exact numbers, and for the id of the destination', async () => {
    await keepDeadLetters('acc_c', 'http://127.0.0.1:9/in/c?key=secret', ['c1', 'c2']);
    await keepDeadLetters('acc_d', 'http://127.0.0.1:9/in/other', ['c3']);
    const page = (): request.Test => request(api.opsUrl).get('/admin/pages/dead-letters').auth('admin', ADMIN_TOKEN);
    const { text } = await page();
    expect(text).not.toMatch(/in\/c|in\/other|key=/);
    const press = (form: Readonly<Record<string, string>>) =>
      request(api.opsUrl)
        .post('/admin/pages/dead-letters')
        .auth('admin', ADMIN_TOKEN)
        .type('form')
        .send({ do: 'discard', ...form })
        .ok(() => true);
    const said = async (form: Readonly<Record<string, string>>): Promise<readonly [number, string]> => {
      const { status, text: answer } = await press(form);
      return [status, answer.replaceAll(/<[^>]*>|\s+/g, ' ').replaceAll(/ +/g, ' ')];
    };
    // One group of a host and a cause, over two accounts. Both have no destination any more.
    expect(text.match(/value="ask-redrive"/g)).toHaveLength(1);
    expect(text).toContain('3 dead letters with 30 events');
    const [, members = ''] = /name="members" value="([^"]+)"/.exec(text) ?? [];
    const group = { host: '127.0.0.1:9', members };
    const asked = await press({ ...group, do: 'ask-redrive' });
    expect([asked.status, asked.text]).toEqual([409, expect.stringContaining('3 dead letters stay')]);
    const none = await press({ ...group, do: 'redrive' });
    expect([none.status, none.text]).toEqual([409, expect.stringContaining('3 dead letters stay')]);
    expect(none.text).not.toContain('None of these');
    expect((await press({ ...group, members: 'acc_c', do: 'ask-redrive' })).status).toBe(409);
    // A run that fails does not hide those of other accounts from the audit log.
    await redis.set(`{${api.prefix}:0}:dls:acc_e`, 'not a list');
    const both = `acc_e x.campaign\n${members}`;
    const partly = await press({ ...group, members: both, do: 'redrive' });
    expect([partly.status, partly.text]).toEqual([503, expect.stringContaining('This failed for acc_e.')]);
    const entries = async () =>
      ((await api.admin('get', '/admin/audit')).body as { items: Record<string, string>[] }).items;
    const audited = async () =>
      (await entries())
        .filter(({ action }) => action === 'redrive dead letters')
        .map(({ account }) => account)
        .sort();
    await eventually(async () => (await audited()).join(' ') === 'acc_c acc_d acc_e', { what: 'all that began' });
    const counts = 'host=127.0.0.1:9 redriven=0';
    expect((await entries()).filter(({ object = '' }) => object.startsWith(counts))).toHaveLength(2);
    // After a stop of the first four, the fifth does not begin.
    const stopped = ['acc_1', 'acc_2', 'acc_3', 'acc_4'];
    for (const one of stopped)
      await redis.hset(`{${api.prefix}:0}:redriven:${one}`, { at: 1, 'left:other': 1, stop: Date.now() + 1e9 });
    const five = [...stopped, 'acc_5'].map((one) => `${one} x.campaign`).join('\n');
    const stop = await press({ ...group, members: five, do: 'redrive' });
    expect([stop.status, stop.text]).toEqual([409, expect.stringContaining('before 1 account began')]);
    // A row has one cause, and discards no other.
    await keepDeadLetters('acc_c', 'http://127.0.0.1:9/in/c', ['c4'], 'HTTP 500');
    const cause = /acc_c (\S+)/.exec(members)?.[1] ?? '';
    const selection = { account: 'acc_c', group: cause };
    const exact: unknown = expect.stringContaining('Campaign of acc_c : . 2 dead letters with 20 events are deleted');
    expect(await said({ ...selection, do: 'ask-discard' })).toEqual([200, exact]);
    for (const confirm of ['campaign-acc_d', 'acc_c', '']) {
      const [status, answer] = await said({ ...selection, confirm });
      expect([status, answer]).toEqual([422, exact]);
      expect(answer).toContain('This is not campaign-acc_c. Nothing is deleted.');
    }
    expect((await press({ account: 'acc_c', confirm: 'campaign-acc_c' })).status).toBe(404);
    expect(await listed()).toEqual(['c0_c1', 'c0_c2', 'c0_c3', 'c0_c4']);
    const done: unknown = expect.stringContaining('Campaign of acc_c 2 dead letters with 20 events are deleted.');
    expect(await said({ ...selection, confirm: ' campaign-acc_c ' })).toEqual([200, done]);
    expect((await press({ ...selection, confirm: 'campaign-acc_c' })).status).toBe(409);
    expect(await listed()).toEqual(['c0_c3', 'c0_c4']);
    const discarded = {
      action: 'discard dead letters',
      object: 'destination=campaign-acc_c discarded=2 events=20 cause=no',
    };
    expect((await entries())[0]).toMatchObject(discarded);
    // A row counts those of its page, and a question all.
    await keepDeadLetters(
      'acc_f',
      'http://127.0.0.1:9/f',
      Array.from({ length: 5001 }, (_, i) => `f${i}`),
    );
    expect((await page()).text.replaceAll(/\s+/g, ' ')).toContain('at least 200 dead letters with 2,000 events');
    const all: unknown = expect.stringContaining('5,001 dead letters with 50,010 events are deleted');
    expect(await said({ account: 'acc_f', group: cause, do: 'ask-discard' })).toEqual([200, all]);
    const stays: unknown = expect.stringContaining('5,001 dead letters stay');
    expect(await said({ ...group, members: `acc_f ${cause}`, do: 'ask-redrive' })).toEqual([409, stays]);
  });
});
