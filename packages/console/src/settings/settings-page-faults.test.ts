import request from 'supertest';
import { eventually, startMongod, startRedis, uniqueName, unlessMissing } from '@mailhook/testing';
import { startApi } from '../../../../services/api/src/api-rig.suite.ts';
import { endpointUrl, NAVIGATION, pathOf, TABS } from './navigation.ts';
import { PAGE, browserOf, textOf } from '../../../../services/api/src/settings-page-rig.suite.ts';

describe('settings page while Redis or the store is down', () => {
  it('reports that Redis is down, keeps the session and typed input, and works again afterwards', async () => {
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
      .set('cookie', `__Host-mailhook_session=${'B'.repeat(43)}`);
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

  it('shows a banner and dashes on every page, and no figure, state or name that it could not read', async () => {
    const redis = await startRedis();
    const own = await startApi({ REDIS_URL: redis.url });
    const account = await own.newAccount('Acme');
    const id = await own.subscribe(account, 'open', 'http://127.0.0.1:9/open');
    await own.as(account.token)('put', '/v3/webhook/campaign', {
      address: 'http://127.0.0.1:9/campaign',
      active: true,
    });
    const browser = await browserOf(own, account.token);
    const paths = [
      ...NAVIGATION.map(([name]) => pathOf(name)),
      ...['campaign', id].flatMap((endpoint) => TABS.map(([tab]) => endpointUrl(endpoint, tab))),
    ];
    for (const path of paths) {
      const { text } = await browser.get(path);
      expect([path, text.includes('cannot be read'), text.includes('Acme')]).toEqual([path, false, true]);
    }
    await redis.kill();
    for (const path of paths) {
      const { text } = await browser.get(path);
      const main = text.slice(text.indexOf('<main'));
      const untrue = [
        /<span class="account">(?!–)/,
        /class="figure">(?!–)/,
        />\s*0\s*</,
        /\b0 (?:events?|attempts?|%)/,
        /class="badge[^"]*">(?:On|Off|Not set up|No deliveries)/,
        /No attempt failed|all-well|Nothing waits|No limit|<dd>None|Nothing was sent/,
      ].filter((pattern) => pattern.test(pattern.source.includes('account') ? text : main));
      expect([path, main.includes('These figures cannot be read at the moment'), untrue]).toEqual([path, true, []]);
      const updates = await browser.get(`${path.split('?')[0]}/news`);
      expect([path, updates.status, updates.text.includes('These figures cannot be read')]).toEqual([path, 503, true]);
    }
    await own.close();
    await redis.stop();
  });

  unlessMissing(it, 'mongod')(
    'reports that the store is down, shows settings from memory, and keeps typed input',
    async () => {
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
          'types.click': '1',
          address: 'http://127.0.0.1:9/typed',
        });
        expect(failed.status).toBe(503);
        expect(failed.text).toContain('value="http://127.0.0.1:9/typed"');
        expect(textOf(failed.text)).toContain('Nothing that you typed is lost');
      } finally {
        await own.close();
        await mongod.stop();
      }
    },
  );
});
