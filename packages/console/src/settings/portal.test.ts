import { Redis } from 'ioredis';
import request from 'supertest';
import { eventually, startRedis } from '@mailhook/testing';
import { ADMIN_TOKEN, startApi } from '../../../../services/api/src/api-rig.suite.ts';
import type { ApiRig } from '../../../../services/api/src/api-rig.suite.ts';
import {
  ageSessions,
  browserOf,
  PAGE,
  settingsPageRig,
  textOf,
} from '../../../../services/api/src/settings-page-rig.suite.ts';

const PORTAL = '/settings/portal';

async function createLink(api: ApiRig, account: string, body?: object) {
  const answer = await api.admin('post', `/admin/accounts/${account}/portal`, body);
  const { url = '', expiresAt = '' } = answer.body as { url?: string; expiresAt?: string };
  return { answer, url, expiresAt, link: url.split('?link=')[1] ?? '' };
}

const open = (api: Pick<ApiRig, 'baseUrl'>, link: string, headers: Record<string, string> = {}) =>
  request(api.baseUrl).post(PORTAL).set(headers).type('form').send({ link });

const cookiesOf = (answer: { headers: Record<string, unknown> }): string[] =>
  [answer.headers['set-cookie'] ?? []].flat() as string[];

/** Opens the link, and returns a function that gets the settings page with the session. */
async function enter(api: Pick<ApiRig, 'baseUrl'>, link: string) {
  const opened = await open(api, link);
  expect(opened.status).toBe(303);
  const cookie = cookiesOf(opened)[0]?.split(';')[0] ?? '';
  const get = (at: Pick<ApiRig, 'baseUrl'> = api, path = PAGE) => request(at.baseUrl).get(path).set('cookie', cookie);
  return { opened, cookie, get };
}

describe('portal links', () => {
  const rig = settingsPageRig();
  let redis: Redis;
  beforeAll(() => {
    redis = new Redis(rig.api.redisUrl);
  });
  afterAll(() => redis.disconnect());

  it('open the settings page of the account, at the public port', async () => {
    const { answer, url, expiresAt, link } = await createLink(rig.api, rig.mine.id);
    expect([answer.status, Object.keys(answer.body as object).sort()]).toEqual([201, ['access', 'expiresAt', 'url']]);
    expect(url).toBe(`${rig.api.baseUrl}${PORTAL}?link=${link}`);
    expect(Date.parse(expiresAt)).toBeLessThanOrEqual(Date.now() + 60_000);
    const { opened, get } = await enter(rig.api, link);
    expect(opened.headers['location']).toBe(PAGE);
    expect(cookiesOf(opened)).toEqual([expect.stringMatching(/Max-Age=28800; .*HttpOnly; Secure; SameSite=Strict/)]);
    expect((await get()).text).toContain('Acme &amp; Söhne');
  });

  it('are not used up by a preview, and work without script', async () => {
    const { link } = await createLink(rig.api, rig.mine.id);
    const url = `${rig.api.baseUrl}${PORTAL}?link=${link}`;
    for (const method of ['get', 'head', 'get'] as const) {
      const page = await request(rig.api.baseUrl)[method](url.replace(rig.api.baseUrl, ''));
      expect([page.status, page.headers['set-cookie'], page.headers['cache-control']]).toEqual([
        200,
        undefined,
        'no-store',
      ]);
    }
    const { text } = await request(rig.api.baseUrl).get(url.replace(rig.api.baseUrl, ''));
    expect(text).toContain(`<form method="post" action="${PORTAL}">`);
    expect(text).toContain(`value="${link}"`);
    expect(textOf(text)).toContain('This link opens the webhook settings of Acme & Söhne .');
    expect(text).not.toContain('<script');
    expect(textOf(text)).toContain('Open webhook settings');
    await enter(rig.api, link);
  });

  it('may have their token in the fragment for the script. Without script, the page says what to do', async () => {
    const { url, link } = await createLink(rig.api, rig.mine.id);
    const page = await request(rig.api.baseUrl).get(new URL(url).pathname);
    expect(page.status).toBe(200);
    expect(page.text).toContain('<input type="hidden" name="link" value="" />');
    expect(page.text).toContain('data-fragment');
    // The script asks whose settings it opens, which does not use it up.
    for (let i = 0; i < 2; i += 1) {
      const shown = await request(rig.api.baseUrl).post(PORTAL).type('form').send({ link, show: '1' });
      expect([shown.status, shown.headers['set-cookie']]).toEqual([200, undefined]);
      expect(textOf(shown.text)).toContain('Acme & Söhne');
    }
    expect(textOf(page.text)).toContain('Write ? instead of #');
    await enter(rig.api, link);
  });

  it('work once, also if many open one at the same time', async () => {
    const { link } = await createLink(rig.api, rig.mine.id);
    const opened = await Promise.all(Array.from({ length: 12 }, () => open(rig.api, link)));
    expect(opened.map(({ status }) => status).sort()).toEqual([303, ...Array.from({ length: 11 }, () => 410)]);
    const late = await open(rig.api, link);
    expect([late.status, late.headers['set-cookie']]).toEqual([410, undefined]);
    expect(textOf(late.text)).toContain('This link no longer works.');
    expect(late.text).not.toContain('Access token');
    expect((await request(rig.api.baseUrl).get(`${PORTAL}?link=${link}`)).status).toBe(410);
  });

  it('expire after a minute, and Redis holds only a digest', async () => {
    const { link } = await createLink(rig.api, rig.mine.id);
    const [key = ''] = await redis.keys(`${rig.api.prefix}:portal-links:*`);
    expect(`${key} ${(await redis.get(key)) ?? ''}`).not.toContain(link);
    expect(await redis.pttl(key)).toBeLessThanOrEqual(60_000);
    await redis.pexpire(key, 1);
    await eventually(async () => (await redis.exists(key)) === 0, { what: 'the end of the link' });
    expect((await open(rig.api, link)).status).toBe(410);
  });

  it('and their sessions end when they are revoked, on every replica; other sessions stay', async () => {
    const other = await startApi({ QUEUE_PREFIX: rig.api.prefix });
    const neighbor = await rig.api.newAccount('Neighbor');
    const theirs = await enter(other, (await createLink(other, neighbor.id)).link);
    const signedIn = await browserOf(rig.api, rig.mine.token);
    const { get } = await enter(other, (await createLink(rig.api, rig.mine.id)).link);
    const unused = await createLink(other, rig.mine.id);
    expect((await get(rig.api)).text).toContain('Acme');
    const revoked = await other.admin('delete', `/admin/accounts/${rig.mine.id}/portal`);
    expect([revoked.status, revoked.body]).toEqual([200, { success: true }]);
    for (const api of [rig.api, other]) {
      expect(textOf((await get(api)).text)).toContain('Your session has ended.');
      expect((await get(api, `${PAGE}/news`)).status).toBe(401);
    }
    expect((await open(rig.api, unused.link)).status).toBe(410);
    expect((await theirs.get()).text).toContain('Neighbor');
    expect((await signedIn.get()).text).toContain('Acme');
    const again = await enter(rig.api, (await createLink(rig.api, rig.mine.id)).link);
    expect((await again.get()).text).toContain('Acme');
    await other.close();
  });

  it('end their session after 8 hours or with the sign-out', async () => {
    const before = new Set(await redis.keys(`${rig.api.prefix}:settings-sessions:*`));
    const { get, cookie } = await enter(rig.api, (await createLink(rig.api, rig.mine.id)).link);
    const [key = ''] = (await redis.keys(`${rig.api.prefix}:settings-sessions:*`)).filter((one) => !before.has(one));
    const left = await redis.ttl(key);
    expect([left > 0, left <= 8 * 3600]).toEqual([true, true]);
    await request(rig.api.baseUrl).post(`${PAGE}/sign-out`).set('cookie', cookie);
    expect((await get()).text).toContain('Access token');
  });

  it('ask before they replace the session of another account in the same browser', async () => {
    const neighbor = await rig.api.newAccount('Neighbor');
    const first = await enter(rig.api, (await createLink(rig.api, neighbor.id)).link);
    const { link } = await createLink(rig.api, rig.mine.id);
    const asked = await open(rig.api, link, { cookie: first.cookie });
    expect([asked.status, asked.headers['set-cookie']]).toEqual([409, undefined]);
    expect(textOf(asked.text)).toContain('You are signed in to another account in this browser.');
    expect(textOf(asked.text)).toContain('Acme & Söhne');
    expect((await first.get()).text).toContain('Neighbor');
    const answer = request(rig.api.baseUrl).post(PORTAL).set('cookie', first.cookie).type('form');
    expect((await answer.send({ link, replace: '1' })).status).toBe(303);
    expect((await first.get()).text).not.toContain('Neighbor');
    // Not for a new session of the same account, and not in the platform's own frame.
    const again = await createLink(rig.api, neighbor.id);
    const own = await enter(rig.api, again.link);
    const [same, framed] = [await createLink(rig.api, neighbor.id), await createLink(rig.api, rig.mine.id)];
    expect((await open(rig.api, same.link, { cookie: own.cookie })).status).toBe(303);
    const inFrame = { cookie: own.cookie, 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-origin' };
    expect((await open(rig.api, framed.link, inFrame)).status).toBe(303);
  });

  it('lead on without another press while the browser has just what they would open', async () => {
    const first = await enter(rig.api, (await createLink(rig.api, rig.mine.id)).link);
    const get = async (body?: object, account = rig.mine.id) => {
      const { link } = await createLink(rig.api, account, body);
      const answer = await request(rig.api.baseUrl).get(`${PORTAL}?link=${link}`).set('cookie', first.cookie);
      expect(answer.headers['set-cookie']).toBeUndefined();
      return [answer.status, answer.headers['location']];
    };
    expect(await get({ path: `${PAGE}/secrets` })).toEqual([303, `${PAGE}/secrets`]);
    const neighbor = await rig.api.newAccount('Neighbor');
    for (const body of [
      { access: 'read' },
      { returnUrl: 'https://app.example.com/' },
      { sessionExpiresAt: new Date(Date.now() + 60_000).toISOString() },
    ])
      expect(await get(body)).toEqual([200, undefined]);
    expect(await get({}, neighbor.id)).toEqual([200, undefined]);
    await ageSessions(redis, rig.api.prefix, 15 * 60_000);
    expect(await get()).toEqual([200, undefined]);
  });

  it('lead to a part of the page and back to the platform', async () => {
    const path = `${PAGE}?destination=campaign#deliveries`;
    const returnUrl = 'https://app.example.com/settings?a=1&b=2';
    const { opened, get } = await enter(rig.api, (await createLink(rig.api, rig.mine.id, { path, returnUrl })).link);
    expect(opened.headers['location']).toBe(path);
    expect((await get()).text).toContain(
      '<a class="back" href="https://app.example.com/settings?a=1&amp;b=2" target="_top">',
    );
  });

  it.each([
    [{ path: 'https://evil.example/settings/webhooks' }, 'path', 'must be a path of the settings'],
    [{ path: '//evil.example/settings/webhooks' }, 'path', 'must be a path of the settings'],
    [{ path: '/settings/webhooks/../../docs' }, 'path', 'must be a path of the settings'],
    [{ path: '/settings/webhooksx' }, 'path', 'must be a path of the settings'],
    [{ returnUrl: 'javascript:alert(1)' }, 'returnUrl', 'must be an absolute URL that starts with http:// or https://'],
  ])('refuse %j', async (body, path, message) => {
    const { answer } = await createLink(rig.api, rig.mine.id, body);
    expect(answer.status).toBe(422);
    const { errors = [] } = answer.body as { errors?: { path: string; message: string }[] };
    expect(errors.map((one) => one.path)).toEqual([path]);
    expect(errors[0]?.message).toContain(message);
  });

  it('exist only for known accounts, and only with the admin token', async () => {
    const path = `/admin/accounts/${rig.mine.id}/portal`;
    for (const method of ['post', 'delete'] as const) {
      expect((await rig.api.admin(method, '/admin/accounts/acc_unknown/portal')).status).toBe(404);
      expect((await rig.api.opsAs(rig.mine.token)(method, path)).status).toBe(401);
      expect((await rig.api.as(rig.mine.token)(method, path)).status).toBe(404);
    }
    expect((await rig.api.admin('get', path)).status).toBe(405);
  });

  it.each(['', 'short', `${'A'.repeat(42)}"`, 'A'.repeat(43)])(
    'are refused if nobody created them: %j',
    async (link) => {
      const answer = await open(rig.api, link);
      expect([answer.status, answer.headers['set-cookie']]).toEqual([410, undefined]);
      const page = await request(rig.api.baseUrl).get(`${PORTAL}?link=${encodeURIComponent(link)}`);
      expect(page.status).toBe(link.length === 43 && !link.includes('"') ? 410 : 404);
    },
  );

  it('are not opened by a form of another site', async () => {
    const { link } = await createLink(rig.api, rig.mine.id);
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }]) {
      expect((await open(rig.api, link, headers)).status).toBe(403);
    }
    await enter(rig.api, link);
  });

  it('never lead to a host that the caller invents', async () => {
    const { opsUrl } = rig.api;
    const answer = await request(opsUrl)
      .post(`/admin/accounts/${rig.mine.id}/portal`)
      .set({ host: 'evil.example', authorization: `Bearer ${ADMIN_TOKEN}` });
    expect((answer.body as { url: string }).url).toContain(`${rig.api.baseUrl}/settings/portal`);
  });

  it('name PUBLIC_URL', async () => {
    const api = await startApi({ PUBLIC_URL: 'https://hooks.example.com/', QUEUE_PREFIX: rig.api.prefix });
    const { url } = await createLink(api, rig.mine.id);
    expect(url).toMatch(/^https:\/\/hooks\.example\.com\/settings\/portal\?link=[\w-]{43}$/);
    await api.close();
  });
});

describe('portal links while Redis is down', () => {
  it('are not created or revoked, and an unused one works afterwards', async () => {
    const redis = await startRedis({ appendonly: true, appendfsync: 'always' });
    const api = await startApi({ REDIS_URL: redis.url });
    const account = await api.newAccount('Acme');
    const { link } = await createLink(api, account.id);
    await redis.kill();
    for (const method of ['post', 'delete'] as const) {
      const answer = await api.admin(method, `/admin/accounts/${account.id}/portal`);
      expect([answer.status, Number(answer.headers['retry-after']) > 0]).toEqual([503, true]);
    }
    const failed = await open(api, link);
    expect([failed.status, failed.headers['set-cookie']]).toEqual([503, undefined]);
    expect(textOf(failed.text)).toContain('cannot open the settings at the moment');
    expect(failed.text).toContain(`value="${link}"`);
    // The page must not send itself again and again.
    expect(failed.text).not.toContain('data-send');
    await redis.restart();
    await eventually(async () => (await api.admin('get', '/admin/accounts')).status === 200, {
      withinMs: 10_000,
      what: 'Redis again',
    });
    await enter(api, link);
    await api.close();
    await redis.stop();
  });
});
