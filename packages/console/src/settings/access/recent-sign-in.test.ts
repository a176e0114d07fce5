import { Redis } from 'ioredis';
import request from 'supertest';
import { eventually, startSmtpServer } from '@mailhook/testing';
import type { FakeSmtpServer } from '@mailhook/testing';
import { startApi } from '../../../../../services/api/src/api-rig.suite.ts';
import type { ApiRig, TestAccount } from '../../../../../services/api/src/api-rig.suite.ts';
import { ageSessions, browserOf, PAGE, textOf } from '../../../../../services/api/src/settings-page-rig.suite.ts';

describe('what outlives a session', () => {
  let smtp: FakeSmtpServer;
  let api: ApiRig;
  let mine: TestAccount;
  let redis: Redis;
  beforeAll(async () => {
    smtp = await startSmtpServer();
    api = await startApi({
      SMTP_URL: smtp.url,
      SMTP_FROM: 'alerts@mailhook.example',
      PUBLIC_URL: 'http://127.0.0.1:3000',
    });
    redis = new Redis(api.redisUrl);
  });
  beforeEach(async () => {
    mine = await api.newAccount('Acme');
  });
  afterAll(async () => {
    redis.disconnect();
    await Promise.all([api.close(), smtp.close()]);
  });

  const BUTTONS = [{ do: 'add-alert-address', email: 'ops@customer.example', language: 'pl' }, { do: 'create-secret' }];
  const madeOf = async () => {
    const call = api.as(mine.token);
    const [alerts, secrets] = [await call('get', '/v3/webhook/alerts'), await call('get', '/v3/webhook/secrets')];
    return [(alerts.body as object[]).length, (secrets.body as object[]).length];
  };
  const olderSession = async (byMs = 15 * 60_000) => {
    const browser = await browserOf(api, mine.token);
    await ageSessions(redis, api.prefix, byMs);
    return browser;
  };
  const tokenOf = async (account: TestAccount, body: object): Promise<string> =>
    ((await api.admin('post', `/admin/accounts/${account.id}/tokens`, body)).body as { token: string }).token;

  it('needs no more than a session of a sign-in within 15 minutes', async () => {
    const browser = await olderSession(14 * 60_000);
    for (const form of BUTTONS) expect((await browser.send(form)).status).toBe(200);
    expect(await madeOf()).toEqual([1, 1]);
  });

  it.each(BUTTONS)('asks a session that is older for the access token, and keeps what was typed: $do', async (form) => {
    const browser = await olderSession();
    const asked = await browser.send(form);
    expect(asked.status).toBe(403);
    expect(textOf(asked.text)).toContain('You signed in more than 15 minutes ago.');
    for (const [name, value] of Object.entries(form))
      if (name !== 'do') expect(asked.text).toContain(`<input type="hidden" name="${name}" value="${value}" />`);
    const neighbor = await api.newAccount('Neighbor');
    const wrong = ['mhk_unknown', 'x'.repeat(5000), neighbor.token, await tokenOf(mine, { access: 'read' })];
    for (const accessToken of wrong) {
      const refused = await browser.send({ ...form, accessToken });
      expect([refused.status, refused.text.includes('name="accessToken"')]).toEqual([403, true]);
      expect(refused.text).not.toContain(accessToken);
    }
    expect(await madeOf()).toEqual([0, 0]);
    expect((await browser.send({ ...form, accessToken: ` Bearer ${mine.token}` })).status).toBe(200);
    expect((await madeOf()).reduce((sum, count) => sum + count, 0)).toBe(1);
    // Everything else goes on without the question.
    expect((await browser.send({ do: 'save-campaign', address: 'https://hooks.example.com/' })).status).toBe(200);
  });

  it.each(BUTTONS)('sends who came by a portal link back to the platform for a new link: $do', async (form) => {
    const enter = async (): Promise<string> => {
      const { url } = (await api.admin('post', `/admin/accounts/${mine.id}/portal`)).body as { url: string };
      const opened = await request(api.baseUrl)
        .post('/settings/portal')
        .type('form')
        .send({ link: url.split('link=')[1] });
      return String(opened.headers['set-cookie']).split(';')[0] ?? '';
    };
    const press = (cookie: string) => request(api.baseUrl).post(PAGE).set('cookie', cookie).type('form').send(form);
    const cookie = await enter();
    await ageSessions(redis, api.prefix, 15 * 60_000);
    const refused = await press(cookie);
    expect(refused.status).toBe(403);
    expect(textOf(refused.text)).toContain('Open the page again from your platform');
    expect(await madeOf()).toEqual([0, 0]);
    expect((await press(await enter())).status).toBe(200);
  });

  it('counts wrong tokens as failed sign-ins', async () => {
    const browser = await olderSession();
    const guess = async () => textOf((await browser.send({ do: 'create-secret', accessToken: 'mhk_guess' })).text);
    const isRefused = async () => {
      const texts = await Promise.all(Array.from({ length: 20 }, guess));
      return texts.some((text) => text.includes('cannot be checked at the moment'));
    };
    // The window of a minute may end in between.
    await eventually(isRefused, { withinMs: 20_000, what: 'a refusal of more guesses' });
  });
});

describe('the sign-in', () => {
  let api: ApiRig;
  let mine: TestAccount;
  beforeAll(async () => {
    api = await startApi();
    mine = await api.newAccount('Acme');
  });
  afterAll(() => api.close());

  const signIn = (form: object) => request(api.baseUrl).post(`${PAGE}/sign-in`).type('form').send(form);
  const nextIn = (html: string) => /name="next" value="([^"]*)"/.exec(html)?.[1]?.replaceAll('&amp;', '&');

  it('leads to the page that was asked for, also after a wrong token', async () => {
    const page = `${PAGE}/endpoints/campaign?tab=settings&range=7d`;
    const asked = await request(api.baseUrl).get(page);
    expect(nextIn(asked.text)).toBe(page);
    const refused = await signIn({ token: 'wrong', next: page });
    expect([refused.status, nextIn(refused.text)]).toEqual([401, page]);
    const signedIn = await signIn({ token: mine.token, next: page });
    expect([signedIn.status, signedIn.headers['location']]).toEqual([303, page]);
  });

  it('lets the script look for a session only after a link on another site', async () => {
    const asked = (site: string) => request(api.baseUrl).get(PAGE).set('sec-fetch-site', site);
    expect((await asked('cross-site')).text).toContain('data-from-elsewhere');
    for (const site of ['none', 'same-origin', 'same-site'])
      expect((await asked(site)).text).not.toContain('data-from-elsewhere');
  });

  it.each([
    'https://evil.example/settings/webhooks',
    '//evil.example/settings/webhooks',
    '/\\evil.example/settings/webhooks',
    '/settings/webhooks/../../docs',
    '/settings/webhooks.evil.example',
    '/settings/webhooks@evil.example',
    'javascript:alert(1)',
    '/settings/portal?link=x',
    '',
  ])('leads nowhere else: %s', async (next) => {
    expect((await signIn({ token: mine.token, next })).headers['location']).toBe(PAGE);
    expect(nextIn((await signIn({ token: 'wrong', next })).text)).toBeUndefined();
  });
});
