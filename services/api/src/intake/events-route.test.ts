import { request as httpRequest } from 'node:http';
import { exampleCampaignEvent, exampleEvent, typesOf } from '@mailhook/core';
import { aCampaignEvent, anEvent, aClick, anOpen, eventually, uniqueName } from '@mailhook/testing';
import { MODULE, PRODUCER_TOKEN, publishedEvents, startApi } from '../api-rig.suite.ts';
import type { ApiRig, TestAccount } from '../api-rig.suite.ts';

describe('POST /v3/events', () => {
  let api: ApiRig;
  let account: TestAccount;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    account = await api.newAccount();
  });

  const ndjson = (text: string) =>
    api.as(PRODUCER_TOKEN)('post', '/v3/events').set('content-type', 'application/x-ndjson').send(text);
  const published = async () => (await publishedEvents(api)).filter((one) => one.account === account.id);
  const pathsOf = (body: unknown): string[] =>
    ((body as { errors?: { path: string }[] }).errors ?? []).map(({ path }) => path);

  it('publishes one event for every matching active subscription, exactly as it was sent', async () => {
    const [first, second] = [await api.subscribe(account, 'click'), await api.subscribe(account, 'click')];
    await api.subscribe(account, 'open');
    const event = aClick({
      account: account.id,
      url: 'HTTPS://Example.com:443/../a b?"attempt":5',
      userAgent: '  \u2028"x":7 \\ ',
    });
    const reply = await api.post({ ...event, unheardOf: 1, ip: event.ip });
    expect([reply.status, reply.body]).toEqual([202, { accepted: 1, ignored: ['unheardOf'] }]);
    const fields = Object.fromEntries(Object.entries(event).filter(([name]) => name !== 'account'));
    const found = await published();
    expect(found.map(({ destination }) => destination).sort()).toEqual([first, second].sort());
    for (const one of found) expect(one.event).toEqual({ ...fields, version: 1 });
  });

  it('accepts an array of both kinds, and routes campaign events to the campaign address', async () => {
    await api.as(account.token)('put', '/v3/webhook/campaign', { address: 'https://example.com/campaign' });
    const bounce = await api.subscribe(account, 'bounce');
    const events = [
      anEvent('bounce', { account: account.id }),
      aCampaignEvent({ account: account.id }),
      anOpen({ account: account.id }),
    ];
    const reply = await api.post(events);
    expect([reply.status, reply.body]).toEqual([202, { accepted: 3, withoutDestination: 1 }]);
    expect((await published()).map(({ destination }) => destination).sort()).toEqual(
      [bounce, `campaign-${account.id}`].sort(),
    );
  });

  it('takes every type, and misses no destination for one that the specification does not have', async () => {
    const events = [
      ...typesOf('transactional_email').map((name) => ({ ...exampleEvent(name), account: account.id })),
      ...typesOf('campaign').map((event) => ({ ...exampleCampaignEvent(event), account: account.id })),
    ];
    const more = { metadata: { order: '4711' }, tags: ['receipt'] };
    const reply = await api.post(events.map((event) => ({ ...event, ...more })));
    expect([reply.status, reply.body]).toEqual([202, { accepted: events.length, withoutDestination: 6 }]);
    const wrong = await api.post([events[0], { ...events[1], ...more, tags: ['ok', ''], code: '9.1.1' }]);
    expect([wrong.status, pathsOf(wrong.body)]).toEqual([422, ['1.tags.1', '1.code']]);
  });

  it('sends version 1 without the fields that came later', async () => {
    const bounce = await api.subscribe(account, 'bounce');
    const event = { ...exampleEvent('bounce'), account: account.id };
    await api.post({ ...event, email: 'anna@example.com', code: '5.1.1', smtp: 550, cause: 'invalid', tags: ['a'] });
    const { account: _account, ...fields } = event;
    expect(await published()).toEqual([
      expect.objectContaining({ destination: bounce, event: { ...fields, version: 1 } }),
    ]);
  });

  it('names ignored fields, also with names that every object has', async () => {
    const call = api.as(PRODUCER_TOKEN)('post', '/v3/events');
    const text = JSON.stringify(anOpen({ account: account.id })).replace('{', '{"__proto__":1,"constructor":1,');
    const reply = await call.set('content-type', 'application/json').send(text);
    expect(reply.body).toMatchObject({ accepted: 1, ignored: ['__proto__', 'constructor'] });
  });

  it('takes NDJSON, skips blank lines, and counts lines from 0', async () => {
    await api.subscribe(account, 'open');
    const line = (event: object) => JSON.stringify(event);
    const good = await ndjson(
      `\n${line(anOpen({ account: account.id }))}\r\n  \n${line(anOpen({ account: account.id }))}`,
    );
    expect([good.status, good.body]).toEqual([202, { accepted: 2 }]);
    const bad = await ndjson(
      `\n${line(anOpen({ account: account.id }))}\n\n${line({ ...anOpen({ account: account.id }), name: 'opened' })}\n`,
    );
    expect([bad.status, pathsOf(bad.body)]).toEqual([422, ['3.name']]);
    const stranger = await ndjson(`\n\n${line(anOpen({ account: 'nobody' }))}\n`);
    expect([stranger.status, pathsOf(stranger.body)]).toEqual([422, ['2.account']]);
    const broken = await ndjson(`${line(anOpen({ account: account.id }))}\n{"account":\n`);
    expect(broken.status).toBe(400);
    expect(JSON.stringify(broken.body)).toContain('Line 2 (index 1)');
    expect((await published()).length).toBe(2);
  });

  it('counts the events and values of large requests before it parses them', async () => {
    const deep = `${'[{"x":'.repeat(400)}"],}\\"\\\\"${'}]'.repeat(400)}`;
    const line = JSON.stringify(anOpen({ account: account.id, messageId: '[{"\\\n\u00e9\u2028' })).replace(
      '}',
      `,"deep":${deep}}`,
    );
    const lines = Array.from({ length: 300 }, () => line);
    expect(lines.join().length).toBeGreaterThan(512 * 1024);
    const sent = (body: string, type: string) =>
      api.as(PRODUCER_TOKEN)('post', '/v3/events').set('content-type', type).send(body);
    const asJson = await sent(` [${lines.join(', ')}]`, 'application/json');
    const asLines = await sent(`\n${lines.join('\r\n \n')}\n`, 'application/x-ndjson');
    for (const { status, body } of [asJson, asLines])
      expect([status, body]).toEqual([202, { accepted: 300, withoutDestination: 300, ignored: ['deep'] }]);
    const wrong = `${lines.join('\n')}\n\n{}`;
    expect(pathsOf((await sent(wrong, 'application/x-ndjson')).body)).toContain('301.module');
    const many = Array.from({ length: 10_001 }, () => anOpen({ account: account.id }));
    const values = `[${'{},'.repeat(300_000)}{}]`;
    expect((await ndjson(values)).body).toMatchObject({ status: 413, code: 'payload_too_large' });
    const counted = [await api.post(many), await ndjson(many.map((event) => JSON.stringify(event)).join('\n'))];
    for (const { status, body } of counted) {
      expect(status).toBe(422);
      expect(body).toMatchObject({ errors: [{ path: '', message: 'must hold 1 to 10000 events, not 10001' }] });
    }
  });

  it('takes all or nothing, and names up to 100 wrong fields', async () => {
    await api.subscribe(account, 'open');
    const valid = anOpen({ account: account.id });
    const two = await api.post([valid, { ...valid, time: 1.5 }, valid, { ...valid, module: 'sms' }, 5]);
    expect([two.status, pathsOf(two.body)]).toEqual([422, ['1.time', '3.module', '4']]);
    const many = await api.post(Array.from({ length: 300 }, () => ({ ...valid, name: 'opened' })));
    expect([many.status, pathsOf(many.body).length]).toEqual([422, 100]);
    expect((many.body as { detail: string }).detail).toContain('at most 100 errors are listed');
    expect(await published()).toEqual([]);
  });

  it('names the field of a single event without an index', async () => {
    const reply = await api.post({ ...anOpen({ account: account.id }), ip: 7 });
    expect([reply.status, pathsOf(reply.body)]).toEqual([422, ['ip']]);
  });

  it('refuses an unknown account by name and index, and takes a known one without subscribers', async () => {
    const valid = anOpen({ account: account.id });
    const unknown = await api.post([valid, anOpen({ account: 'acc_nobody' })]);
    expect(unknown.status).toBe(422);
    expect(unknown.body).toMatchObject({ code: 'unknown_account', errors: [{ path: '1.account' }] });
    const both = await api.post([5, anOpen({ account: 'acc_nobody' }), { ...valid, name: 'opened' }, valid]);
    expect([both.status, pathsOf(both.body)]).toEqual([422, ['0', '1.account', '2.name']]);
    expect(both.body).toMatchObject({ code: 'validation_failed' });
    expect((await api.post(anOpen({ account: 'acc_nobody' }))).body).toMatchObject({ errors: [{ path: 'account' }] });
    expect((await api.post(anOpen({ account: account.id }))).status).toBe(202);
  });

  it.each([
    ['an empty array', '[]', 'application/json', 422],
    ['10,001 elements', JSON.stringify(Array.from({ length: 10_001 }, () => 0)), 'application/json', 422],
    ['malformed JSON', '{"account":"anna@example.com"', 'application/json', 400],
    ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'application/json', 400],
    ['text', '{}', 'text/plain', 415],
    ['another charset', '{}', 'application/json; charset=latin1', 415],
    ['nothing', '', 'application/json', 400],
    ['blank NDJSON', '\n \n', 'application/x-ndjson', 422],
    ['a body over 16 MiB', Buffer.alloc(16 * 1024 * 1024 + 1, 0x20), 'application/json', 413],
  ])('refuses %s', async (_what, body, type, status) => {
    const headers = { authorization: `Bearer ${PRODUCER_TOKEN}`, 'content-type': type };
    const reply = await fetch(`${api.baseUrl}/v3/events`, { method: 'POST', headers, body });
    expect([reply.status, reply.headers.get('content-type')]).toEqual([status, 'application/problem+json']);
    expect(await reply.text()).not.toContain('anna');
  });

  it('refuses events that are too large for one job, says how to split them, and publishes none', async () => {
    for (let i = 0; i < 5; i += 1) await api.subscribe(account, 'click');
    const url = `https://example.com/${'x'.repeat(9900)}`;
    const events = Array.from({ length: 1600 }, () => aClick({ account: account.id, url }));
    const reply = await api.post(events);
    expect([reply.status, (reply.body as { code: string }).code]).toEqual([413, 'payload_too_large']);
    expect((reply.body as { detail: string }).detail).toContain('Send them as 2 requests or more.');
    expect(await published()).toEqual([]);
  });

  it('refuses a body of unknown length as soon as it is over 16 MiB', async () => {
    const sent = httpRequest(`${api.baseUrl}/v3/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${PRODUCER_TOKEN}`, 'content-type': 'application/json' },
    });
    const status = new Promise((resolve) => sent.once('response', (reply) => resolve(reply.statusCode)));
    // The answer comes before the end of the body, so later writes may fail.
    sent.on('error', () => undefined);
    const part = Buffer.alloc(1 << 20, 0x20);
    for (let i = 0; i <= 16; i += 1) sent.write(part);
    expect(await status).toBe(413);
    sent.destroy();
  });

  it('applies a change to the first event that is sent after the answer', async () => {
    const call = api.as(account.token);
    const event = () => anOpen({ account: account.id, messageId: uniqueName('m') });
    const sendOne = async () => {
      const one = event();
      expect((await api.post(one)).status).toBe(202);
      return (await published())
        .filter((found) => found.event['messageId'] === one.messageId)
        .map(({ destination }) => destination);
    };
    expect(await sendOne()).toEqual([]);
    const id = await api.subscribe(account, 'open');
    expect(await sendOne()).toEqual([id]);
    const edit = (change: object) => call('put', `/v3/webhook/subscriptions/${id}`, { module: MODULE, ...change });
    await edit({ active: 0 });
    expect(await sendOne()).toEqual([]);
    await edit({ active: 1, type: 'click' });
    expect(await sendOne()).toEqual([]);
    await edit({ type: 'open' });
    expect(await sendOne()).toEqual([id]);
    await call('delete', `/v3/webhook/subscriptions/${id}`);
    expect(await sendOne()).toEqual([]);
  });

  it('gives the same answers with and without Express, and measures each request once', async () => {
    const before = await requestCounts(api);
    const send = (path: string, event: object) => api.as(PRODUCER_TOKEN)('post', path).send(event);
    const [good, bad] = [anOpen({ account: account.id }), { ...anOpen({ account: account.id }), ip: 5 }];
    const replies = [await send('/v3/events', good), await send('/v3/events?batch=7', good)];
    expect(replies.map(({ status, body }) => [status, body as unknown])).toEqual([
      [202, { accepted: 1, withoutDestination: 1 }],
      [202, { accepted: 1, withoutDestination: 1, ignored: ['?batch'] }],
    ]);
    const refusals = [await send('/v3/events', bad), await send('/v3/events?batch=7', bad)];
    const [beside, through] = refusals.map(({ status, body }) => [status, { ...(body as object), instance: '' }]);
    expect(beside).toEqual([422, expect.objectContaining({ code: 'validation_failed' })]);
    expect(beside).toEqual(through);
    const headersOf = (headers: Record<string, string>) => ({ ...headers, date: '', 'x-request-id': '' });
    expect(headersOf(refusals[0]!.headers)).toEqual(headersOf(refusals[1]!.headers));
    for (const { headers, body } of refusals) {
      expect(headers['x-content-type-options']).toBe('nosniff');
      expect((body as { instance: string }).instance).toContain(headers['x-request-id']);
    }
    const isCounted = async () => {
      const after = await requestCounts(api);
      expect([after[202] - before[202], after[422] - before[422]]).toEqual([2, 2]);
      return true;
    };
    await eventually(isCounted, { what: 'two answers of each kind in the metrics' });
  });

  it('counts accepted events by kind', async () => {
    const before = await acceptedCounts(api);
    await api.post([
      anOpen({ account: account.id }),
      aCampaignEvent({ account: account.id }),
      aCampaignEvent({ account: account.id }),
    ]);
    const after = await acceptedCounts(api);
    expect([after.transactional - before.transactional, after.campaign - before.campaign]).toEqual([1, 2]);
  });
});

async function acceptedCounts(api: ApiRig): Promise<{ transactional: number; campaign: number }> {
  const { text } = await api.opsAs(undefined)('get', '/metrics');
  const count = (kind: string) =>
    Number(new RegExp(`mailhook_events_accepted_total\\{kind="${kind}"\\} (\\d+)`).exec(text)?.[1] ?? 0);
  return { transactional: count('transactional'), campaign: count('campaign') };
}

async function requestCounts(api: ApiRig): Promise<Record<202 | 422, number>> {
  const { text } = await api.opsAs(undefined)('get', '/metrics');
  const count = (status: number) => {
    const series = `mailhook_http_request_duration_seconds_count{method="POST",route="/v3/events",status="${status}"}`;
    return Number(text.split(`${series} `)[1]?.split('\n', 1)[0] ?? 0);
  };
  return { 202: count(202), 422: count(422) };
}
