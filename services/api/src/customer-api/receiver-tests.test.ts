import { CAMPAIGN_FIELDS, namesOf } from '@mailhook/core';
import { acknowledge, eventually, goodReply, startReceiver } from '@mailhook/testing';
import type { ReplyAction } from '@mailhook/testing';
import { MODULE } from '../api-rig.suite.ts';
import type { ApiRig } from '../api-rig.suite.ts';
import { browserOf, textOf } from '../settings-page-rig.suite.ts';
import { publicApiRig } from './customer-api-rig.suite.ts';

/** Waits until an attempt is listed, or several of them, which happens shortly after their end. */
const listed = (call: ReturnType<ApiRig['as']>, query: string, least = 1) =>
  eventually(
    async () => {
      const { items } = (await call('get', `/v3/webhook/deliveries${query}`)).body as { items: unknown[] };
      return items.length >= least && items;
    },
    { what: 'a listed delivery' },
  );

describe('public API', () => {
  const rig = publicApiRig();

  describe('tests of receivers', () => {
    it('send one signed sample of the wanted type, and list it', async () => {
      const receiver = await startReceiver();
      try {
        await rig.call('post', '/v3/webhook/secrets');
        const address = `${receiver.url}/sample`;
        const reply = await rig.call('post', '/v3/webhook/notificationTest', {
          address,
          type: 'bounce',
          module: MODULE,
        });
        expect([reply.status, reply.body]).toEqual([200, { success: true }]);
        const [sample, ...more] = receiver.requests;
        expect(more).toEqual([]);
        expect(Object.keys(sample!.json as object).sort()).toEqual([
          'messageId',
          'module',
          'name',
          'reason',
          'time',
          'type',
          'version',
        ]);
        expect(sample!.headers['webhook-signature']).toMatch(/^v1,/);
        expect(await listed(rig.call, '')).toMatchObject([
          { kind: 'test', address, events: 1, attempt: 1, status: 'delivered', httpStatus: 200 },
        ]);
      } finally {
        await receiver.close();
      }
    });

    it.each<[string, ReplyAction, unknown, unknown?]>([
      ['a status', { status: 404 }, 'Request error (curl) 404 - HTTP/1.1 404 Not Found'],
      [
        'another body',
        { json: { status: 'OKAY', secret: 'inside' } },
        'The server responded in an invalid format',
        'Its "status" is the text “OKAY” instead of the text “ok”.',
      ],
      ['a broken connection', { reset: 'reply' }, expect.stringMatching(/^The receiver could not be reached/)],
    ])('report %s in a sentence, never the body', async (...[, action, message, detail]) => {
      const receiver = await startReceiver({ reply: () => action });
      try {
        const reply = await rig.call('post', '/v3/webhook/campaign/test', { address: `${receiver.url}/test` });
        expect([reply.status, reply.body]).toEqual([200, { success: false, message }]);
        const whole = await rig.call('post', '/v3/webhook/campaign/test?details=true', { address: receiver.url });
        expect(whole.body).toMatchObject({ success: false, message, ...(detail === undefined ? {} : { detail }) });
        const items = await listed(rig.call, '?status=failed');
        expect(items[0]).toMatchObject({ kind: 'test', status: 'failed', error: expect.any(String) as string });
        expect(JSON.stringify(items)).not.toContain('inside');
      } finally {
        await receiver.close();
      }
    });

    it('send a signed batch with a sample of each campaign type, which the reply must confirm', async () => {
      const receiver = await startReceiver();
      try {
        await rig.call('post', '/v3/webhook/secrets');
        await rig.call('post', '/v3/webhook/secrets');
        const send = () => rig.call('post', '/v3/webhook/campaign/test', { address: receiver.url, send: 'batch' });
        expect((await send()).body).toEqual({ success: true });
        const [sample] = receiver.requests;
        const events = sample!.json as { event: string; hash: string }[];
        expect(events.map(({ event }) => event)).toEqual(namesOf(CAMPAIGN_FIELDS));
        expect(events.filter(({ hash }) => !hash.startsWith('sample-'))).toEqual([]);
        expect(sample!.headers['webhook-signature']).toMatch(/^v1,\S+ v1,\S+$/);
        expect(await listed(rig.call, '?status=delivered')).toMatchObject([{ kind: 'test', events: 3 }]);
        receiver.setReply(({ json }) => ({
          json: (json as { hash: string }[]).slice(1).map(({ hash }) => ({ hash, status: true })),
        }));
        expect((await send()).body).toEqual({
          success: false,
          message: expect.stringMatching(/^The acknowledgement leaves 1 of 3 events unconfirmed/) as string,
        });
      } finally {
        await receiver.close();
      }
    });

    it('show the request and the reply on demand', async () => {
      const receiver = await startReceiver({
        reply: () => ({ status: 302, headers: { location: '/login', 'set-cookie': 'a=b' }, body: 'Sign in\u001b[31m' }),
      });
      try {
        await rig.call('post', '/v3/webhook/secrets');
        const body = { address: receiver.url, type: 'bounce', module: MODULE };
        const short = await rig.call('post', '/v3/webhook/notificationTest', body);
        expect(Object.keys(short.body as object)).toEqual(['success', 'message']);
        const reply = await rig.call('post', '/v3/webhook/notificationTest?details=true', body);
        const [, sent] = receiver.requests;
        const headers = Object.fromEntries(
          Object.entries(sent!.headers).filter(([name]) => /^(webhook-|user-agent|content-type|accept)/.test(name)),
        );
        expect(reply.body).toMatchObject({
          success: false,
          request: { headers, body: sent!.text },
          reply: { status: 302, headers: { location: '/login' }, body: 'Sign in\\x1b[31m', isBodyWhole: true },
        });
        expect(JSON.stringify(reply.body)).not.toContain('a=b');
        const refused = await rig.call('post', '/v3/webhook/notificationTest?details=yes', body);
        expect(refused.status).toBe(422);
        await receiver.close();
        const away = await rig.call('post', '/v3/webhook/notificationTest?details=true', body);
        expect(Object.keys(away.body as object)).toEqual(['success', 'message']);
      } finally {
        await receiver.close();
      }
    });

    it('warn of a web page that takes a notification, and show its start', async () => {
      const page = '<!doctype html><html><head><title>Robot Challenge Screen</title></head>';
      const receiver = await startReceiver({
        reply: () => ({ status: 202, headers: { 'sg-captcha': 'challenge' }, body: page }),
      });
      try {
        const body = { address: receiver.url, type: 'click', module: MODULE };
        const plain = await rig.call('post', '/v3/webhook/notificationTest', body);
        expect(plain.body).toEqual({
          success: true,
          warning: expect.stringMatching(/HTTP 202.*web page: “Robot Challenge Screen”.*sg-captcha/) as string,
        });
        const details = await rig.call('post', '/v3/webhook/notificationTest?details=true', body);
        expect(details.body).toMatchObject({
          success: true,
          reply: { status: 202, headers: { 'sg-captcha': 'challenge' }, body: page, isBodyWhole: true },
        });
        expect(await listed(rig.call, '?status=delivered', 2)).toMatchObject([{ httpStatus: 202 }, {}]);
        receiver.setReply(() => ({ status: 204 }));
        expect((await rig.call('post', '/v3/webhook/notificationTest', body)).body).toEqual({ success: true });
      } finally {
        await receiver.close();
      }
    });

    it('say with the details that a batch needs exactly 200', async () => {
      const receiver = await startReceiver({ reply: () => ({ status: 201, json: { status: 'ok' } }) });
      try {
        const test = async (query: string) =>
          (await rig.call('post', `/v3/webhook/campaign/test${query}`, { address: receiver.url })).body as object;
        expect(await test('')).toEqual({ success: true });
        expect(await test('?details=true')).toMatchObject({
          success: true,
          warning: 'Your endpoint answered HTTP 201, but a batch needs exactly 200.',
        });
        receiver.setReply(() => ({ json: { status: 'ok' } }));
        expect(await test('?details=true')).not.toHaveProperty('warning');
      } finally {
        await receiver.close();
      }
    });

    it('on the page, the connection test sends a sample batch too', async () => {
      // The default status of NestJS.
      const receiver = await startReceiver({
        reply: ({ json }) => ({
          ...(Array.isArray(json) ? acknowledge(json) : { json: { status: 'ok' } }),
          status: 201,
        }),
      });
      try {
        const browser = await browserOf(rig.api, rig.mine.token);
        const button = { do: 'test-campaign', address: receiver.url };
        const refused = textOf((await browser.send(button)).text);
        expect(refused).toContain('Your server answered the connection test, but did not confirm a sample batch');
        expect(refused).toContain('HTTP 201 Created; a batch is acknowledged with HTTP 200');
        expect(refused).not.toContain('Success.');
        expect(receiver.requests.map(({ json }) => Array.isArray(json))).toEqual([false, true]);
        receiver.setReply(goodReply);
        expect(textOf((await browser.send(button)).text)).toContain(
          'Success. Your server answered the connection test',
        );
        receiver.setReply(() => ({ status: 404 }));
        await browser.send(button);
        expect(receiver.requests).toHaveLength(5);
      } finally {
        await receiver.close();
      }
    });

    it('on the page, a web page that takes a notification is no success', async () => {
      const receiver = await startReceiver({ reply: () => ({ body: '<title>Sign in</title>' }) });
      try {
        const browser = await browserOf(rig.api, rig.mine.token);
        const button = { do: 'test-new-endpoint', 'types.open': '1', address: receiver.url };
        const text = textOf((await browser.send(button)).text);
        expect(text).toContain('counts as delivered, but the reply is a web page: “Sign in”');
        expect(text).toContain('Enter the address of your webhook handler');
        expect(text).not.toContain('Success.');
      } finally {
        await receiver.close();
      }
    });

    it('test the saved address if none is given, even an inactive one', async () => {
      const receiver = await startReceiver();
      try {
        await rig.call('put', '/v3/webhook/campaign', { address: `${receiver.url}/saved`, active: false });
        expect((await rig.call('post', '/v3/webhook/campaign/test')).body).toEqual({ success: true });
        expect(receiver.requests.map(({ path, json }) => [path, Object.keys(json as object)])).toEqual([
          ['/saved', ['test']],
        ]);
      } finally {
        await receiver.close();
      }
    });

    it('are limited to sixty per minute and account together, and a refused test sends nothing', async () => {
      const receiver = await startReceiver();
      try {
        const address = receiver.url;
        const connection = () => rig.call('post', '/v3/webhook/campaign/test', { address });
        const notification = (call = rig.call) =>
          call('post', '/v3/webhook/notificationTest', { address, type: 'open', module: MODULE });
        const replies = await Promise.all(Array.from({ length: 30 }, () => [connection(), notification()]).flat());
        expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
        for (const reply of [await connection(), await notification()]) {
          expect([reply.status, reply.body]).toEqual([429, expect.objectContaining({ code: 'rate_limited' })]);
          expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
        }
        expect(receiver.requests).toHaveLength(60);
        expect((await notification(rig.api.as((await rig.api.newAccount()).token))).status).toBe(200);
        const browser = await browserOf(rig.api, rig.mine.token);
        const page = await browser.send({ do: 'test-campaign', address });
        expect([page.status, textOf(page.text)]).toEqual([
          429,
          expect.stringContaining('This account has run 60 tests within a minute. Wait a minute, then test again.'),
        ]);
        expect(page.text).toContain(`value="${address}"`);
      } finally {
        await receiver.close();
      }
    });
  });
});
