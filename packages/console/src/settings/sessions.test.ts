import { Redis } from 'ioredis';
import request from 'supertest';
import { ADMIN_TOKEN, PRODUCER_TOKEN, startApi } from '../../../../services/api/src/api-rig.suite.ts';
import { PAGE, browserOf, settingsPageRig, textOf } from '../../../../services/api/src/settings-page-rig.suite.ts';

describe('settings page: sign-in and sessions', () => {
  const rig = settingsPageRig();

  describe('signing in', () => {
    it('asks for an access token, and gives a session that scripts and other sites cannot use', async () => {
      const form = await request(rig.api.baseUrl).get(PAGE);
      expect(form.status).toBe(200);
      expect(form.text).toContain('Access token');
      const browser = await browserOf(rig.api, `  ${rig.mine.token} `);
      expect([browser.signedIn.status, browser.signedIn.headers['location']]).toEqual([303, PAGE]);
      expect(browser.setCookie).toMatch(/; HttpOnly/);
      expect(browser.setCookie).toMatch(/; SameSite=Strict/);
      // Such a name is a browser's promise: no sibling host, path or page without https has written it.
      expect(browser.setCookie).toMatch(/^__Host-mailhook_session=[\w-]{43}; /);
      expect(browser.setCookie).toMatch(/; Path=\/;/);
      expect(browser.setCookie).toMatch(/; Secure;/);
      expect(browser.setCookie).not.toContain('Domain');
      expect(browser.setCookie).not.toContain(rig.mine.token);
      expect((await browserOf(rig.api, `Bearer ${rig.mine.token}`)).signedIn.status).toBe(303);
      const page = await browser.get();
      expect(page.status).toBe(200);
      expect(page.text).toContain('Acme &amp; Söhne');
      expect(page.headers['cache-control']).toBe('no-store');
    });

    it.each([
      ['https://mail.example.com', /^__Host-mailhook_session=.*; Path=\/; .*; Secure;/],
      ['http://mail.example.com', /^__Host-mailhook_session=.*; Path=\/; .*; Secure;/],
      ['https://mail.example.com:8443', /^__Host-mailhook_session_8443=.*; Path=\/; .*; Secure;/],
      ['http://127.0.0.1:3000', /^mailhook_session_3000=.*; Path=\/; .*; HttpOnly; SameSite=Strict$/],
      ['http://localhost:3000', /^mailhook_session_3000=.*; Path=\/; .*; HttpOnly; SameSite=Strict$/],
    ])('is limited to https unless PUBLIC_URL names plain http on this machine: %s', async (publicUrl, cookie) => {
      const api = await startApi({ PUBLIC_URL: publicUrl, QUEUE_PREFIX: rig.api.prefix });
      const { setCookie } = await browserOf(api, rig.mine.token);
      expect(setCookie).toMatch(cookie);
      await api.close();
    });

    it.each([
      [{}, /PUBLIC_URL is not set/],
      [{ PUBLIC_URL: 'http://mail.example.com' }, /set an https PUBLIC_URL/],
      [{ PUBLIC_URL: 'https://mail.example.com' }, undefined],
      [{ PUBLIC_URL: 'http://127.0.0.1:3000' }, undefined],
    ])('warns at the start of a URL that gives no session: %j', async (environment: object, warning) => {
      const lines: string[] = [];
      const api = await startApi({ ...environment, QUEUE_PREFIX: rig.api.prefix }, (line) => lines.push(line));
      const found = lines.filter((line) => line.includes('PUBLIC_URL'));
      if (warning === undefined) expect(found).toEqual([]);
      else expect(found).toEqual([expect.stringMatching(warning)]);
      await api.close();
    });

    it.each([
      ['nothing', ''],
      ['an unknown token', 'mhk_unknown'],
      ['a very long text', 'x'.repeat(5000)],
      ['markup', '"><script>alert(1)</script>'],
    ])('refuses %s with a sentence', async (_what, token) => {
      const { signedIn } = await browserOf(rig.api, token);
      expect(signedIn.status).toBe(401);
      expect(signedIn.headers['www-authenticate']).toBeUndefined();
      expect(signedIn.headers['set-cookie']).toBeUndefined();
      expect(textOf(signedIn.text)).toContain('Access token is not known.');
      expect(signedIn.text).toMatch(
        /<input\s+id="token" aria-describedby="token-error token-hint" aria-invalid="true"/,
      );
      expect(signedIn.text).not.toContain('alert(1)');
    });

    it('says that a producer token is one, whether or not it is valid', async () => {
      const { token } = (await rig.api.admin('post', '/admin/producer-tokens', {})).body as { token: string };
      expect(token).toMatch(/^mhp_[\w-]{43}$/);
      expect(rig.mine.token).toMatch(/^mhk_[\w-]{43}$/);
      for (const given of [token, `Bearer ${token}`, 'mhp_invented']) {
        const { signedIn } = await browserOf(rig.api, given);
        expect([signedIn.status, textOf(signedIn.text)]).toEqual([
          401,
          expect.stringContaining('is a producer token, which only sends events.'),
        ]);
      }
    });

    it('refuses a form that holds more than a token', async () => {
      const { signedIn } = await browserOf(rig.api, 'x'.repeat(9000));
      expect([signedIn.status, textOf(signedIn.text)]).toEqual([413, expect.stringContaining('larger than 8 KiB')]);
    });

    it.each([
      ['producer', PRODUCER_TOKEN],
      ['admin', ADMIN_TOKEN],
    ])('answers the %s token like a wrong one', async (_what, token) => {
      const [operators, wrong] = [await browserOf(rig.api, token), await browserOf(rig.api, 'wrong')];
      expect([operators.signedIn.status, operators.signedIn.text]).toEqual([401, wrong.signedIn.text]);
    });

    it('refuses wrong tokens after too many failures, says why, and takes a valid one', async () => {
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
      const browser = await browserOf(rig.api, rig.mine.token);
      await rig.api.admin('delete', `/admin/accounts/${rig.mine.id}/tokens/${rig.mine.tokenId}`);
      const page = await browser.get();
      expect([page.status, textOf(page.text)]).toEqual([200, expect.stringContaining('Your session has ended')]);
      expect(page.text).not.toContain('Acme');
      const sent = await browser.send({ do: 'create-secret' });
      expect(sent.status).toBe(401);
      expect((await browser.get(`${PAGE}/news`)).status).toBe(401);
    });

    it('ends with the sign-out, even for a kept cookie', async () => {
      const browser = await browserOf(rig.api, rig.mine.token);
      const left = await browser.signOut();
      expect([left.status, left.headers['location']]).toEqual([303, PAGE]);
      expect(String(left.headers['set-cookie'])).toMatch(/^__Host-mailhook_session=; .*Path=\/; .*; Secure/);
      expect((await browser.get()).text).not.toContain('Acme');
    });

    it('is valid, and ends, on every replica', async () => {
      const other = await startApi({ QUEUE_PREFIX: rig.api.prefix });
      const browser = await browserOf(rig.api, rig.mine.token);
      const there = async () => (await request(other.baseUrl).get(PAGE).set('cookie', browser.cookie)).text;
      expect(await there()).toContain('Acme');
      await browser.signOut();
      expect(await there()).not.toContain('Acme');
      await other.close();
    });

    it('does not exist without a cookie, with an invented one, or with the token as cookie', async () => {
      const name = '__Host-mailhook_session';
      for (const cookie of ['', `${name}=${'A'.repeat(43)}`, `${name}=${rig.mine.token}`]) {
        const page = await request(rig.api.baseUrl).get(PAGE).set('cookie', cookie);
        expect(page.text).toContain('Access token');
        expect((await request(rig.api.baseUrl).post(PAGE).set('cookie', cookie)).status).toBe(401);
      }
    });

    it('is one of at most 20 of its token: the oldest ends, and Redis keeps no more', async () => {
      const redis = new Redis(rig.api.redisUrl);
      const keys = async () => (await redis.keys(`${rig.api.prefix}:settings-sessions:*`)).length;
      const before = await keys();
      const [first, second] = [await browserOf(rig.api, rig.mine.token), await browserOf(rig.api, rig.mine.token)];
      for (let i = 0; i < 19; i += 1) expect((await browserOf(rig.api, rig.mine.token)).signedIn.status).toBe(303);
      expect(await keys()).toBe(before + 20);
      expect((await first.get()).text).not.toContain('Acme');
      expect((await second.get()).text).toContain('Acme');
      // Of many at the same time, no more stay either.
      await Promise.all(Array.from({ length: 30 }, () => browserOf(rig.api, rig.mine.token)));
      expect(await keys()).toBe(before + 20);
      redis.disconnect();
    });

    it('ends after an hour without use. Pages and buttons are a use, updates of an open page are none', async () => {
      const redis = new Redis(rig.api.redisUrl);
      const before = new Set(await redis.keys(`${rig.api.prefix}:settings-sessions:*`));
      const browser = await browserOf(rig.api, rig.mine.token);
      const keys = await redis.keys(`${rig.api.prefix}:settings-sessions:*`);
      const key = keys.find((one) => !before.has(one)) ?? '';
      expect(await redis.ttl(key)).toBeLessThanOrEqual(3600);
      await redis.expire(key, 60);
      expect((await browser.get(`${PAGE}/news`)).status).toBe(200);
      expect(await redis.ttl(key)).toBeLessThanOrEqual(60);
      await browser.get();
      expect(await redis.ttl(key)).toBeGreaterThan(3500);
      // After 7.5 hours, only half an hour is left.
      const record = JSON.parse((await redis.get(key)) ?? '') as { untilMs: number };
      await redis.set(key, JSON.stringify({ ...record, untilMs: Date.now() + 1_800_000 }), 'EX', 60);
      await browser.get();
      expect(await redis.ttl(key)).toBeLessThanOrEqual(1800);
      // As the expiry of the key does.
      await redis.del(key);
      expect(textOf((await browser.get()).text)).toContain('Your session has ended.');
      redis.disconnect();
    });

    it('is listed with the others of its token, and all of them can be ended', async () => {
      const [mine, other] = [await browserOf(rig.api, rig.mine.token), await browserOf(rig.api, rig.mine.token)];
      const listed = (text: string) => text.match(/Signed in /g)?.length;
      const page = await mine.get(`${PAGE}/developers`);
      expect([listed(page.text), page.text.match(/this browser/g)?.length]).toEqual([2, 1]);
      expect(page.text).not.toContain(mine.cookie.split('=')[1]);
      const answer = await request(rig.api.baseUrl)
        .post(`${PAGE}/sign-out`)
        .set('cookie', mine.cookie)
        .type('form')
        .send({ everywhere: '1' });
      expect([answer.status, answer.headers['clear-site-data']]).toEqual([303, '"cache", "storage"']);
      for (const browser of [mine, other]) expect((await browser.get()).text).not.toContain('Acme');
      const again = await browserOf(rig.api, rig.mine.token);
      expect(listed((await again.get(`${PAGE}/developers`)).text)).toBe(1);
    });

    it('is listed with its browser, and another one can be ended alone', async () => {
      const [mine, other] = [await browserOf(rig.api, rig.mine.token), await browserOf(rig.api, rig.mine.token)];
      const agent = 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0';
      await request(rig.api.baseUrl)
        .post(`${PAGE}/sign-in`)
        .set('user-agent', agent)
        .type('form')
        .send({ token: rig.mine.token });
      const list = async () => (await mine.get(`${PAGE}/developers`)).text;
      expect(textOf(await list())).toMatch(/Firefox, Windows \S*127\.0\.0\.1 Signed in /);
      await browserOf(rig.api, rig.mine.token);
      expect(textOf(await list())).toContain('1 more like it');
      const ids = [...(await list()).matchAll(/name="session" value="([^"]+)"/g)].map(([, id = '']) => id);
      expect(ids).toHaveLength(3);
      const end = (session: string) =>
        request(rig.api.baseUrl).post(`${PAGE}/sign-out`).set('cookie', mine.cookie).type('form').send({ session });
      for (const session of [ids[0] ?? '', 'unknown']) {
        const { status, headers } = await end(session);
        expect([status, headers['location'], headers['set-cookie']]).toEqual([303, `${PAGE}/developers`, undefined]);
      }
      expect((await other.get()).text).not.toContain('Acme');
      expect((await list()).match(/name="session"/g)).toHaveLength(2);
    });

    it('outlives a visit to another installation on the same host', async () => {
      const [one, two] = [
        await startApi({ PUBLIC_URL: 'http://127.0.0.1:3000' }),
        await startApi({ PUBLIC_URL: 'http://127.0.0.1:4000' }),
      ];
      const account = await one.newAccount('Acme');
      const { cookie } = await browserOf(one, account.token);
      const visit = await request(two.baseUrl).get(PAGE).set('cookie', cookie);
      expect(visit.headers['set-cookie']).toBeUndefined();
      await two.close();
      await one.close();
    });

    it('is not found by a cookie without the prefix, or if there are several', async () => {
      const { cookie } = await browserOf(rig.api, rig.mine.token);
      const planted = `__Host-mailhook_session=${'A'.repeat(43)}`;
      const lists = [cookie.replace('__Host-', ''), `${planted}; ${cookie}`, `${cookie};${planted}`];
      for (const list of [...lists, `${cookie}; __Host-mailhook_session=`]) {
        expect((await request(rig.api.baseUrl).get(PAGE).set('cookie', list)).text).toContain('Access token');
      }
      const beside = `other=1; ${cookie}; x__Host-mailhook_session=2`;
      expect((await request(rig.api.baseUrl).get(PAGE).set('cookie', beside)).text).toContain('Acme');
    });

    it('gives no access to other accounts', async () => {
      const other = await rig.api.newAccount();
      const theirs = await rig.api.subscribe(other, 'open', 'http://127.0.0.1:9/theirs');
      const browser = await browserOf(rig.api, rig.mine.token);
      const answer = await browser.send({ do: 'delete-endpoint', id: theirs });
      expect(answer.status).toBe(404);
      expect(answer.text).not.toContain('/theirs');
      expect((await rig.api.as(other.token)('get', '/v3/webhook/subscriptions')).body).toHaveLength(1);
    });
  });

  describe('requests from other sites', () => {
    it.each([
      [{ 'sec-fetch-site': 'cross-site' }, 403],
      [{ 'sec-fetch-site': 'same-site' }, 403],
      [{ 'sec-fetch-site': 'cross-site', origin: 'http://127.0.0.1' }, 403],
      [{ origin: 'https://evil.example' }, 403],
      [{ origin: 'null' }, 403],
      [{ 'sec-fetch-site': 'same-origin' }, 200],
      [{}, 200],
    ])('with %j are answered with %i', async (headers, status) => {
      const browser = await browserOf(rig.api, rig.mine.token);
      const answer = await browser.send({ do: 'create-secret' }, headers);
      expect(answer.status).toBe(status);
      const secrets = (await rig.api.as(rig.mine.token)('get', '/v3/webhook/secrets')).body as unknown[];
      expect(secrets).toHaveLength(status === 200 ? 1 : 0);
    });

    it('are recognized by the host, or by PUBLIC_URL behind a proxy', async () => {
      const proxied = await startApi({ PUBLIC_URL: 'https://mail.example.com/', QUEUE_PREFIX: rig.api.prefix });
      const browser = await browserOf(proxied, rig.mine.token);
      const from = async (origin: string): Promise<number> => (await browser.send({ do: 'x' }, { origin })).status;
      expect(await from(proxied.baseUrl)).toBe(404);
      expect(await from('https://mail.example.com')).toBe(404);
      expect(await from('http://mail.example.com')).toBe(403);
      await proxied.close();
    });

    it('cannot sign a user in or out', async () => {
      const browser = await browserOf(rig.api, rig.mine.token);
      const foreign = { origin: 'https://evil.example' };
      const forms = [`${PAGE}/sign-in`, `${PAGE}/sign-out`].map((path) =>
        request(rig.api.baseUrl)
          .post(path)
          .set(foreign)
          .set('cookie', browser.cookie)
          .type('form')
          .send({ token: 'x' }),
      );
      for (const form of forms) expect((await form).status).toBe(403);
      expect((await browser.get()).text).toContain('Acme');
    });
  });
});
