import request from 'supertest';
import { eventually, startMongod, startReceiver, startRedis, uniqueName } from '@mailhook/testing';
import { ADMIN_TOKEN, PRODUCER_TOKEN, startApi } from '../api-rig.suite.ts';
import type { ApiRig, TestAccount } from '../api-rig.suite.ts';

const PAGE = '/settings/webhooks';

/** A browser without a script: it keeps its cookie, and sends forms. */
async function browserOf(api: ApiRig, token: string) {
  const signedIn = await request(api.baseUrl).post(`${PAGE}/sign-in`).type('form').send({ token });
  const setCookie = String(signedIn.headers['set-cookie']);
  const cookie = setCookie.split(';')[0] ?? '';
  return {
    signedIn,
    setCookie,
    cookie,
    get: (path = PAGE) => request(api.baseUrl).get(path).set('cookie', cookie),
    send: (form: Record<string, string>, headers: Record<string, string> = {}) =>
      request(api.baseUrl).post(PAGE).set('cookie', cookie).set(headers).type('form').send(form),
    signOut: () => request(api.baseUrl).post(`${PAGE}/sign-out`).set('cookie', cookie),
  };
}

/** What stands in the first element with this attribute, without tags. */
const textOf = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
    .replaceAll(/\s+/g, ' ');

describe('settings page', () => {
  let api: ApiRig;
  let mine: TestAccount;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    mine = await api.newAccount('Acme & Söhne');
  });

  describe('signing in', () => {
    it('asks for an access token, and gives a session that scripts and other sites cannot use', async () => {
      const form = await request(api.baseUrl).get(PAGE);
      expect(form.status).toBe(200);
      expect(form.text).toContain('Access token');
      const browser = await browserOf(api, `  ${mine.token} `);
      expect([browser.signedIn.status, browser.signedIn.headers['location']]).toEqual([303, PAGE]);
      expect(browser.setCookie).toMatch(/; HttpOnly/);
      expect(browser.setCookie).toMatch(/; SameSite=Strict/);
      expect(browser.setCookie).toMatch(/; Path=\/settings;/);
      expect(browser.setCookie).not.toContain('Secure');
      expect(browser.setCookie).not.toContain(mine.token);
      expect((await browserOf(api, `Bearer ${mine.token}`)).signedIn.status).toBe(303);
      const page = await browser.get();
      expect(page.status).toBe(200);
      expect(page.text).toContain('Acme &amp; Söhne');
      expect(page.headers['cache-control']).toBe('no-store');
    });

    it('is by https only where customers come by https', async () => {
      const secure = await startApi({ PUBLIC_URL: 'https://mail.example.com', QUEUE_PREFIX: api.prefix });
      const { setCookie } = await browserOf(secure, mine.token);
      expect(setCookie).toContain('; Secure');
      await secure.close();
    });

    it.each([
      ['nothing', ''],
      ['an unknown token', 'mhk_unknown'],
      ['a very long text', 'x'.repeat(5000)],
      ['markup', '"><script>alert(1)</script>'],
    ])('refuses %s with a sentence', async (_what, token) => {
      const { signedIn } = await browserOf(api, token);
      expect(signedIn.status).toBe(401);
      expect(signedIn.headers['www-authenticate']).toBeUndefined();
      expect(signedIn.headers['set-cookie']).toBeUndefined();
      expect(textOf(signedIn.text)).toContain('This token is not known.');
      expect(signedIn.text).not.toContain('alert(1)');
    });

    it.each([
      ['producer', PRODUCER_TOKEN],
      ['admin', ADMIN_TOKEN],
    ])('tells that the %s token is of another kind', async (_what, token) => {
      const { signedIn } = await browserOf(api, token);
      expect([signedIn.status, textOf(signedIn.text)]).toEqual([403, expect.stringContaining('of another kind')]);
    });

    it('limits failures, and never refuses a valid token', async () => {
      const limited = await startApi();
      const account = await limited.newAccount();
      const failures = await Promise.all(
        Array.from({ length: 70 }, async () => (await browserOf(limited, 'mhk_wrong')).signedIn),
      );
      const refused = failures.filter(({ status }) => status === 429);
      expect(refused.length).toBeGreaterThan(0);
      expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0);
      expect(textOf(refused[0]?.text ?? '')).toContain('Too many failed sign-ins');
      expect((await browserOf(limited, account.token)).signedIn.status).toBe(303);
      await limited.close();
    });
  });

  describe('a session', () => {
    it('ends when its token is revoked', async () => {
      const browser = await browserOf(api, mine.token);
      await api.admin('delete', `/admin/accounts/${mine.id}/tokens/${mine.tokenId}`);
      const page = await browser.get();
      expect([page.status, textOf(page.text)]).toEqual([200, expect.stringContaining('Your session has ended')]);
      expect(page.text).not.toContain('Acme');
      const sent = await browser.send({ do: 'create-secret' });
      expect(sent.status).toBe(401);
      expect((await browser.get(`${PAGE}/news`)).status).toBe(401);
    });

    it('ends with the sign-out, for whoever kept the cookie too', async () => {
      const browser = await browserOf(api, mine.token);
      const left = await browser.signOut();
      expect([left.status, left.headers['location']]).toEqual([303, PAGE]);
      expect(String(left.headers['set-cookie'])).toContain('mailhook_session=;');
      expect((await browser.get()).text).not.toContain('Acme');
    });

    it('is good, and ends, on every replica', async () => {
      const other = await startApi({ QUEUE_PREFIX: api.prefix });
      const browser = await browserOf(api, mine.token);
      const there = async () => (await request(other.baseUrl).get(PAGE).set('cookie', browser.cookie)).text;
      expect(await there()).toContain('Acme');
      await browser.signOut();
      expect(await there()).not.toContain('Acme');
      await other.close();
    });

    it('is nobody’s without a cookie, with a made-up one, or with the token in its place', async () => {
      for (const cookie of ['', `mailhook_session=${'A'.repeat(43)}`, `mailhook_session=${mine.token}`]) {
        const page = await request(api.baseUrl).get(PAGE).set('cookie', cookie);
        expect(page.text).toContain('Access token');
        expect((await request(api.baseUrl).post(PAGE).set('cookie', cookie)).status).toBe(401);
      }
    });

    it('shows one account what is its own alone', async () => {
      const other = await api.newAccount();
      const theirs = await api.subscribe(other, 'open', 'http://127.0.0.1:9/theirs');
      const browser = await browserOf(api, mine.token);
      const answer = await browser.send({ do: 'delete-subscription', id: theirs });
      expect(answer.status).toBe(404);
      expect(answer.text).not.toContain('/theirs');
      expect((await api.as(other.token)('get', '/v3/webhook/subscriptions')).body).toHaveLength(1);
    });
  });

  describe('requests of other sites', () => {
    it.each([
      [{ 'sec-fetch-site': 'cross-site' }, 403],
      [{ 'sec-fetch-site': 'same-site' }, 403],
      [{ 'sec-fetch-site': 'cross-site', origin: 'http://127.0.0.1' }, 403],
      [{ origin: 'https://evil.example' }, 403],
      [{ origin: 'null' }, 403],
      [{ 'sec-fetch-site': 'same-origin' }, 200],
      [{}, 200],
    ])('with %j are answered with %i', async (headers, status) => {
      const browser = await browserOf(api, mine.token);
      const answer = await browser.send({ do: 'create-secret' }, headers);
      expect(answer.status).toBe(status);
      const secrets = (await api.as(mine.token)('get', '/v3/webhook/secrets')).body as unknown[];
      expect(secrets).toHaveLength(status === 200 ? 1 : 0);
    });

    it('are told from its own by the host, or by PUBLIC_URL behind a proxy', async () => {
      const proxied = await startApi({ PUBLIC_URL: 'https://mail.example.com/', QUEUE_PREFIX: api.prefix });
      const browser = await browserOf(proxied, mine.token);
      const from = async (origin: string): Promise<number> => (await browser.send({ do: 'x' }, { origin })).status;
      expect(await from(proxied.baseUrl)).toBe(404);
      expect(await from('https://mail.example.com')).toBe(404);
      expect(await from('http://mail.example.com')).toBe(403);
      await proxied.close();
    });

    it('cannot sign anybody in, or out', async () => {
      const browser = await browserOf(api, mine.token);
      const foreign = { origin: 'https://evil.example' };
      const forms = [`${PAGE}/sign-in`, `${PAGE}/sign-out`].map((path) =>
        request(api.baseUrl).post(path).set(foreign).set('cookie', browser.cookie).type('form').send({ token: 'x' }),
      );
      for (const form of forms) expect((await form).status).toBe(403);
      expect((await browser.get()).text).toContain('Acme');
    });
  });

  it('lets browsers run nothing inline, and nothing from elsewhere', async () => {
    const browser = await browserOf(api, mine.token);
    for (const page of [await request(api.baseUrl).get(PAGE), await browser.get()]) {
      const policy = String(page.headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(page.headers['referrer-policy']).toBe('same-origin');
      expect(page.headers['x-content-type-options']).toBe('nosniff');
      expect(page.text).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=|javascript:/i);
    }
  });

  it('is small: the page, its style and its script together under 100 kB', async () => {
    const browser = await browserOf(api, mine.token);
    for (const type of ['open', 'click', 'bounce']) {
      for (let i = 0; i < 4; i += 1) await api.subscribe(mine, type, `http://127.0.0.1:9/a-path-of-usual-length/${i}`);
    }
    const page = await browser.get();
    const urls = [...page.text.matchAll(/(?:href|src)="(\/settings\/assets\/[^"]+)"/g)].map(([, url]) => url ?? '');
    expect(urls).toHaveLength(4);
    const assets = await Promise.all(urls.map((url) => request(api.baseUrl).get(url)));
    for (const asset of assets) {
      expect(asset.status).toBe(200);
      expect(asset.headers['cache-control']).toContain('immutable');
    }
    expect(page.text.match(/class="card subscription"/g)).toHaveLength(12);
    const sizes = [page, ...assets].map(({ headers, text }) => Number(headers['content-length'] ?? text.length));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(100_000);
    const old = await request(api.baseUrl).get('/settings/assets/another-version/settings.css');
    expect([old.status, old.headers['cache-control']]).toEqual([200, 'no-store']);
    expect((await request(api.baseUrl).get('/settings/assets/x/..%2Fpackage.json')).status).toBe(404);
  });

  it('lists so many subscriptions as a page can hold, and says where the others are', async () => {
    const many = Array.from({ length: 52 }, (_, i) => api.subscribe(mine, 'open', `http://127.0.0.1:9/${i}`));
    await Promise.all(many);
    const page = await (await browserOf(api, mine.token)).get();
    expect(page.text.match(/class="card subscription"/g)).toHaveLength(50);
    expect(textOf(page.text)).toContain('These are the first 50 of 52.');
  });

  it('sends news only when there are some', async () => {
    const browser = await browserOf(api, mine.token);
    const news = (tag = '') => browser.get(`${PAGE}/news`).set('if-none-match', tag);
    const first = await news();
    expect([first.status, first.text]).toEqual([200, expect.stringContaining('Nothing was delivered yet')]);
    const tag = String(first.headers['etag']);
    expect([(await news(tag)).status, (await news('"another"')).status]).toEqual([304, 200]);
    await browser.send({ do: 'test-campaign', address: 'http://127.0.0.1:9/' });
    await eventually(async () => (await news(tag)).status === 200, { what: 'news of the test' });
  });

  describe('text from elsewhere', () => {
    const evil = 'http://127.0.0.1:9/?a="><script>alert(1)</script>';

    it('is shown as text: addresses that are saved or refused, filters, and what is looked for', async () => {
      const browser = await browserOf(api, mine.token);
      const encoded = 'http://127.0.0.1:9/?a="><script>alert(2)</script>';
      expect((await browser.send({ do: 'save-campaign', address: encoded, active: 'true' })).status).toBe(200);
      const pages = [
        await browser.send({ do: 'create-subscription', type: 'open', address: evil }),
        await browser.send({ do: 'create-subscription', type: '"><b>', address: ` ${evil} x` }),
        await browser.get(`${PAGE}?event=${encodeURIComponent('<script>alert(3)</script>')}`),
        await browser.get(`${PAGE}?destination=${encodeURIComponent('"><script>alert(4)</script>')}&cursor=%3Cscript`),
      ];
      for (const page of pages) expect(page.text).not.toMatch(/<script>|<b>/);
      expect(pages[1]?.text).toContain('&lt;script&gt;');
    });

    it('of a receiver is its status line at most, never its body', async () => {
      const receiver = await startReceiver({
        reply: () => ({ status: 404, body: '<script>secret of the receiver</script>' }),
      });
      const browser = await browserOf(api, mine.token);
      const page = await browser.send({ do: 'test-campaign', address: receiver.url });
      expect(textOf(page.text)).toContain('Request error (curl) 404 - HTTP/1.1 404 Not Found');
      expect(page.text).not.toContain('secret of the receiver');
      const rawBytes = 'HTTP/1.1 500 <script>alert(5)</script>\r\ncontent-length: 0\r\n\r\n';
      receiver.setReply(() => ({ rawBytes }));
      const scripted = await browser.send({ do: 'test-campaign', address: receiver.url });
      expect(scripted.text).toContain('HTTP/1.1 500 &lt;script&gt;alert(5)&lt;/script&gt;');
      expect(scripted.text).not.toContain('<script>');
      await receiver.close();
    });

    it('keeps recipients to itself: addresses are masked', async () => {
      const receiver = await startReceiver();
      const browser = await browserOf(api, mine.token);
      const address = `${receiver.url}/?to=anna.smith@example.com`;
      await browser.send({ do: 'test-campaign', address });
      const page = await eventually(
        async () => {
          const { text } = await browser.get();
          return text.includes('id="attempt-') && text;
        },
        { what: 'the listed test' },
      );
      expect(page).toContain('***@example.com');
      expect(page).not.toContain('anna.smith');
      await receiver.close();
    });
  });

  it('refuses what the API refuses, at the field, and keeps what was typed', async () => {
    const browser = await browserOf(api, mine.token);
    const refused = await browser.send({ do: 'save-campaign', address: 'ftp://example.com', active: 'true' });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('value="ftp://example.com"');
    expect(textOf(refused.text)).toContain('Webhook URL must be an absolute URL that starts with http:// or https://');
    expect((await api.as(mine.token)('get', '/v3/webhook/campaign')).body).toEqual({ address: null, active: false });
    const unknown = await browser.send({ do: 'no-such-button' });
    expect([unknown.status, textOf(unknown.text)]).toEqual([404, expect.stringContaining('no such button')]);
    const flood = await browser.send({ do: 'save-campaign', address: `http://e.com/${'x'.repeat(70_000)}` });
    expect(flood.status).toBe(413);
    const third = await Promise.all([1, 2, 3].map(() => browser.send({ do: 'create-secret' })));
    expect(third.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 200, 409]);
  });

  it('says so when Redis is away, keeps the session and what was typed, and goes on when it is back', async () => {
    const redis = await startRedis({ appendonly: true, appendfsync: 'always' });
    const own = await startApi({ REDIS_URL: redis.url });
    const account = await own.newAccount('Acme');
    const browser = await browserOf(own, account.token);
    expect((await browser.get()).status).toBe(200);
    await redis.kill();
    const typed = 'http://127.0.0.1:9/typed-before-the-fault';
    const failed = await browser.send({ do: 'save-campaign', address: typed, active: 'true' });
    expect(failed.status).toBe(503);
    expect(failed.text).toContain(`value="${typed}"`);
    expect(textOf(failed.text)).toContain('Nothing that you typed is lost');
    const page = await browser.get();
    expect([page.status, textOf(page.text)]).toEqual([200, expect.stringContaining('cannot be read at the moment')]);
    expect((await browser.get(`${PAGE}/news`)).status).toBe(503);
    const stranger = await request(own.baseUrl)
      .get(PAGE)
      .set('cookie', `mailhook_session=${'B'.repeat(43)}`);
    expect(stranger.status).toBe(503);
    expect((await browserOf(own, account.token)).signedIn.status).toBe(503);
    await redis.restart();
    await eventually(async () => (await browser.send({ do: 'save-campaign', address: typed })).status === 200, {
      withinMs: 10_000,
      what: 'the page to work again',
    });
    await own.close();
    await redis.stop();
  });

  it('says so when the store is away, shows what is remembered, and keeps what was typed', async () => {
    const mongod = await startMongod();
    const own = await startApi({ MONGO_URL: `${mongod.url}/${uniqueName('db')}` });
    try {
      const account = await own.newAccount('Acme');
      await own.subscribe(account, 'open', 'http://127.0.0.1:9/remembered');
      const browser = await browserOf(own, account.token);
      expect((await browser.get()).text).toContain('/remembered');
      await mongod.kill();
      expect((await browser.get()).text).toContain('/remembered');
      const failed = await browser.send({
        do: 'create-subscription',
        type: 'click',
        address: 'http://127.0.0.1:9/typed',
      });
      expect(failed.status).toBe(503);
      expect(failed.text).toContain('value="http://127.0.0.1:9/typed"');
      expect(textOf(failed.text)).toContain('Nothing that you typed is lost');
    } finally {
      await own.close();
      await mongod.stop();
    }
  });
});
