import { readFileSync } from 'node:fs';
import { subscriptionType } from '@mailhook/core';
import request from 'supertest';
import { eventually, startReceiver } from '@mailhook/testing';
import { PAGE, browserOf, settingsPageRig, textOf } from '../../../../services/api/src/settings-page-rig.suite.ts';
import { LIVE_SCRIPTS } from '../html/assets.ts';

describe('settings page', () => {
  const rig = settingsPageRig();

  it('lets browsers run no inline code, and no code from other sites', async () => {
    const browser = await browserOf(rig.api, rig.mine.token);
    for (const page of [await request(rig.api.baseUrl).get(PAGE), await browser.get()]) {
      const policy = String(page.headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toContain('unsafe');
      expect(page.headers['referrer-policy']).toBe('same-origin');
      expect(page.headers['x-content-type-options']).toBe('nosniff');
      expect(page.text).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=|javascript:/i);
    }
  });

  it('takes less than 200 kB with its style sheet, font and scripts', async () => {
    const browser = await browserOf(rig.api, rig.mine.token);
    for (const type of subscriptionType.options) {
      for (let i = 0; i < 4; i += 1)
        await rig.api.subscribe(rig.mine, type, `http://127.0.0.1:9/a-path-of-usual-length/${i}`);
    }
    const page = await browser.get(`${PAGE}/endpoints`);
    const named = page.text.matchAll(/(?:href|src)="(\/settings\/assets\/[^"]+)"/g);
    const urls = [...new Set([...named].map(([, url]) => url ?? ''))];
    // Beside the scripts: the icon, the font and the style sheet.
    expect(urls).toHaveLength(LIVE_SCRIPTS.length + 3);
    const assets = await Promise.all(urls.map((url) => request(rig.api.baseUrl).get(url)));
    for (const asset of assets) {
      expect(asset.status).toBe(200);
      expect(asset.headers['cache-control']).toContain('immutable');
    }
    expect(page.text.match(/<tr id="endpoint-/g)).toHaveLength(13);
    const sizes = [page, ...assets].map(({ headers, text }) => Number(headers['content-length'] ?? text.length));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200_000);
    const css = urls.findIndex((url) => url.endsWith('settings.css'));
    const plain = await request(rig.api.baseUrl)
      .get(urls[css] ?? '')
      .set('accept-encoding', 'identity');
    expect([plain.headers['content-encoding'], plain.text]).toEqual([undefined, assets[css]?.text]);
    const font = assets.find((_, i) => urls[i]?.endsWith('.woff2'));
    expect([font?.headers['content-type'], font?.headers['content-encoding']]).toEqual(['font/woff2', undefined]);
    const old = await request(rig.api.baseUrl).get('/settings/assets/another-version/settings.css');
    expect([old.status, old.headers['cache-control']]).toEqual([200, 'no-store']);
    expect((await request(rig.api.baseUrl).get('/settings/assets/x/..%2Fpackage.json')).status).toBe(404);
  });

  it('leads from the addresses of the one page that there was before to the pages of today', async () => {
    const browser = await browserOf(rig.api, rig.mine.token);
    for (const [query, target] of [
      ['attempt=a-1&status=failed', '/deliveries?status=failed&attempt=a-1'],
      ['destination=campaign', '/deliveries?destination=campaign'],
      ['letter=1-2', '/dead-letters?letter=1-2'],
      ['event=m-1', '/events?event=m-1'],
      ['login=campaign', '/endpoints/campaign?tab=settings'],
    ]) {
      const { status, headers } = await browser.get(`${PAGE}?${query}`);
      expect([query, status, headers['location']]).toEqual([query, 302, `${PAGE}${target}`]);
    }
    expect((await browser.get(`${PAGE}?nothing=x`)).status).toBe(200);
  });

  it('shows the result of a form on the page that sent it, and the list after an endpoint is gone', async () => {
    const id = await rig.api.subscribe(rig.mine, 'open', 'http://127.0.0.1:9/');
    const browser = await browserOf(rig.api, rig.mine.token);
    const send = (path: string, form: Record<string, string>) =>
      request(rig.api.baseUrl).post(`${PAGE}${path}`).set('cookie', browser.cookie).type('form').send(form);
    const own = `/endpoints/${id}?tab=settings`;
    const off = await send(own, { do: 'switch-off', id });
    expect(textOf(off.text)).toContain('Switched off.');
    expect(off.text).toContain(`data-page="${PAGE}${own}"`);
    const gone = await send(own, { do: 'delete-endpoint', id });
    expect(textOf(gone.text)).toContain('Deleted.');
    expect(gone.text).toContain(`data-page="${PAGE}/endpoints"`);
    const unknown = await browser.get(`${PAGE}${own}`);
    expect([unknown.status, textOf(unknown.text)]).toEqual([
      404,
      expect.stringContaining('This endpoint does not exist.'),
    ]);
    expect(unknown.text).toContain(`<a href="${PAGE}/endpoints">All endpoints</a>`);
    expect((await browser.get(`${PAGE}/endpoints/campaign`)).status).toBe(200);
  });

  it('lists the last tests of an endpoint where it is tested', async () => {
    const own = await rig.api.newAccount();
    const id = await rig.api.subscribe(own, 'open', 'http://127.0.0.1:9/');
    const browser = await browserOf(rig.api, own.token);
    const page = `${PAGE}/endpoints/${id}?tab=testing`;
    expect(textOf((await browser.get(page)).text)).toContain('No tests yet');
    const result = await browser.send({ do: 'test-endpoint', id, type: 'open' }, {}, page);
    expect(textOf(result.text)).toMatch(/Last tests .*No reply · /);
    const developers = textOf((await browser.get(`${PAGE}/developers`)).text);
    expect(developers).toContain(`${new URL('/v3', rig.api.baseUrl).href} `);
  });

  it('sends updates only if something has changed', async () => {
    const browser = await browserOf(rig.api, rig.mine.token);
    const news = (tag = '') => browser.get(`${PAGE}/deliveries/news`).set('if-none-match', tag);
    const first = await news();
    expect([first.status, first.text]).toEqual([200, expect.stringContaining('Nothing was delivered yet')]);
    const tag = String(first.headers['etag']);
    expect([(await news(tag)).status, (await news('"another"')).status]).toEqual([304, 200]);
    await browser.send({ do: 'test-campaign', address: 'http://127.0.0.1:9/' });
    await eventually(async () => (await news(tag)).status === 200, { what: 'news of the test' });
  });

  it('refuses the filters that the API refuses, also with a 422', async () => {
    const browser = await browserOf(rig.api, rig.mine.token);
    for (const query of ['status=x', `cursor=${'c'.repeat(201)}`, 'status=x&destination=campaign']) {
      const [updates, page] = [
        await browser.get(`${PAGE}/deliveries/news?${query}`),
        await browser.get(`${PAGE}/deliveries?${query}`),
      ];
      expect([query, updates.status, page.status]).toEqual([query, 422, 200]);
    }
    for (const query of ['destination=%zz', 'cursor=%zz', 'event=%zz', 'status=', 'nothing=x'])
      expect([query, (await browser.get(`${PAGE}/deliveries/news?${query}`)).status]).toEqual([query, 200]);
  });

  describe('text from outside', () => {
    const evil = 'http://127.0.0.1:9/?a="><script>alert(1)</script>';

    it('is escaped in saved and refused addresses, filters and searches', async () => {
      const browser = await browserOf(rig.api, rig.mine.token);
      const encoded = 'http://127.0.0.1:9/?a="><script>alert(2)</script>';
      expect((await browser.send({ do: 'save-campaign', address: encoded, active: 'true' })).status).toBe(200);
      const pages = [
        await browser.send({ do: 'create-subscription', 'types.open': '1', address: evil }),
        await browser.send({ do: 'create-subscription', testType: '"><b>', address: ` ${evil} x` }),
        await browser.get(`${PAGE}/events?event=${encodeURIComponent('<script>alert(3)</script>')}`),
        await browser.get(
          `${PAGE}/deliveries?destination=${encodeURIComponent('"><script>alert(4)</script>')}&cursor=%3Cscript`,
        ),
      ];
      for (const page of pages) expect(page.text).not.toMatch(/<script>|<b>/);
      expect(pages[1]?.text).toContain('&lt;script&gt;');
    });

    it('is escaped, also in the status line and the body of a reply to a test', async () => {
      const receiver = await startReceiver({
        reply: () => ({ status: 404, body: '<script>secret of the receiver</script>' }),
      });
      const browser = await browserOf(rig.api, rig.mine.token);
      const page = await browser.send({ do: 'test-campaign', address: receiver.url });
      expect(textOf(page.text)).toContain('The receiver answered HTTP 404 Not Found.');
      expect(page.text).toContain('&lt;script&gt;secret of the receiver&lt;/script&gt;');
      expect((await browser.get()).text).not.toContain('secret of the receiver');
      const rawBytes = 'HTTP/1.1 500 <script>alert(5)</script>\r\ncontent-length: 0\r\n\r\n';
      receiver.setReply(() => ({ rawBytes }));
      const scripted = await browser.send({ do: 'test-campaign', address: receiver.url });
      expect(scripted.text).toContain('HTTP <bdi>500 &lt;script&gt;alert(5)&lt;/script&gt;');
      expect(scripted.text).not.toContain('<script>');
      await receiver.close();
    });

    it('has its email addresses masked', async () => {
      const receiver = await startReceiver();
      const browser = await browserOf(rig.api, rig.mine.token);
      const address = `${receiver.url}/?to=anna.smith@example.com`;
      await browser.send({ do: 'test-campaign', address });
      const page = await eventually(
        async () => {
          const { text } = await browser.get(`${PAGE}/deliveries`);
          return text.includes('id="attempt-') && text;
        },
        { what: 'the listed test' },
      );
      expect(page).toContain('***@example.com');
      expect(page).not.toContain('anna.smith');
      await receiver.close();
    });
  });

  it('shows the errors of the API at the field, and keeps typed input', async () => {
    const browser = await browserOf(rig.api, rig.mine.token);
    const refused = await browser.send({ do: 'save-campaign', address: 'ftp://example.com', active: 'true' });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('value="ftp://example.com"');
    expect(textOf(refused.text)).toContain('Webhook URL must be an absolute URL that starts with http:// or https://');
    expect((await rig.api.as(rig.mine.token)('get', '/v3/webhook/campaign')).body).toEqual({
      address: null,
      active: false,
    });
    const unknown = await browser.send({ do: 'no-such-button' });
    expect([unknown.status, textOf(unknown.text)]).toEqual([404, expect.stringContaining('no such button')]);
    const flood = await browser.send({ do: 'save-campaign', address: `http://e.com/${'x'.repeat(70_000)}` });
    expect(flood.status).toBe(413);
    const third = await Promise.all([1, 2, 3].map(() => browser.send({ do: 'create-secret' })));
    expect(third.map(({ status }) => status).sort((a, b) => a - b)).toEqual([200, 200, 409]);
  });

  it.each(['verify.mjs', 'verify.py', 'verify.php'])('shows %s of the guides, which a test runs', async (file) => {
    const { text } = await (await browserOf(rig.api, rig.mine.token)).get(`${PAGE}/secrets`);
    const shown = text
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'");
    expect(shown.replaceAll('&amp;', '&')).toContain(readFileSync(`docs/guides/receivers/${file}`, 'utf8'));
  });
});
