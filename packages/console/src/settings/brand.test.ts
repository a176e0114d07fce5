import request from 'supertest';
import { startApi } from '../../../../services/api/src/api-rig.suite.ts';
import type { ApiRig } from '../../../../services/api/src/api-rig.suite.ts';
import { browserOf, PAGE, textOf } from '../../../../services/api/src/settings-page-rig.suite.ts';

const FRAME = { 'sec-fetch-dest': 'iframe', 'sec-fetch-site': 'same-origin' };
const ancestorsIn = (answer: { headers: Record<string, unknown> }): unknown =>
  /frame-ancestors ([^;]*)/.exec(String(answer.headers['content-security-policy']))?.[1];

describe('settings page with the brand of the platform, in its frame', () => {
  let api: ApiRig;
  beforeAll(async () => {
    api = await startApi({
      PORTAL_FRAME_ANCESTORS: 'https://app.example.com, https://admin.example.com:8443/',
      BRAND_NAME: 'Acme <Mail>',
      BRAND_LOGO_URL: 'https://cdn.example.com/logo.svg?v=1',
      BRAND_COLOR: '#FFCC00',
      BRAND_URL: 'https://app.example.com/',
    });
  });
  afterAll(() => api.close());

  it('has the name, the logo, the color and the link back', async () => {
    const signIn = await request(api.baseUrl).get(PAGE);
    const browser = await browserOf(api, (await api.newAccount('Customer')).token);
    for (const page of [signIn, await browser.get()]) {
      expect(page.text).toContain('· Acme &lt;Mail&gt;</title>');
      expect(page.text).toContain(
        '<img class="logo" src="https://cdn.example.com/logo.svg?v=1" alt="Acme &lt;Mail&gt;" />',
      );
      expect(page.text).toContain('<a class="back" href="https://app.example.com/" target="_top">');
      expect(String(page.headers['content-security-policy'])).toContain("img-src 'self' https://cdn.example.com;");
    }
    expect(signIn.text).toContain('Ask your Acme &lt;Mail&gt; administrator');
    const styles = /href="([^"]+settings\.css)"/.exec(signIn.text)?.[1] ?? '';
    const { text } = await request(api.baseUrl).get(styles);
    expect(text).toContain('--button: #ffcc00; --button-hover: #ffcc00; --on-button: #000000;');
  });

  it('may be shown in frames of the named sites only', async () => {
    for (const path of [PAGE, '/settings/portal']) {
      const answer = await request(api.baseUrl)
        .get(path)
        .ok(() => true);
      expect(ancestorsIn(answer)).toBe('https://app.example.com https://admin.example.com:8443');
      expect(answer.headers['x-frame-options']).toBeUndefined();
    }
    const guides = await request(api.baseUrl).get('/docs/guides');
    expect([ancestorsIn(guides), guides.headers['x-frame-options']]).toEqual(["'none'", 'SAMEORIGIN']);
  });

  it('keeps a partitioned cookie in a frame, and one of this site only outside', async () => {
    const account = await api.newAccount();
    const cookies = async (headers: Record<string, string>): Promise<string[]> => {
      const created = await api.admin('post', `/admin/accounts/${account.id}/portal`);
      const link = (created.body as { url: string }).url.split('?link=')[1];
      const answer = await request(api.baseUrl).post('/settings/portal').set(headers).type('form').send({ link });
      expect(answer.status).toBe(303);
      return [answer.headers['set-cookie'] ?? []].flat();
    };
    const [framed, cleared] = await cookies(FRAME);
    expect(framed).toMatch(/=[\w-]{43}; .*Path=\/; .*HttpOnly; Secure; Partitioned; SameSite=None/);
    expect(cleared).toMatch(/^__Host-mailhook_session=; .*SameSite=Strict/);
    const [top, other] = await cookies({ 'sec-fetch-dest': 'document', 'sec-fetch-site': 'same-origin' });
    expect(top).toMatch(/=[\w-]{43}; .*SameSite=Strict/);
    expect(top).not.toContain('Partitioned');
    expect(other).toMatch(/^__Host-mailhook_session=; .*Partitioned; SameSite=None/);
  });

  it('asks for no token in a frame', async () => {
    const ended = { ...FRAME, cookie: `__Host-mailhook_session=${'A'.repeat(43)}` };
    for (const [headers, text] of [
      [FRAME, 'You are signed out.'],
      [ended, 'Your session has ended.'],
    ] as const) {
      const page = await request(api.baseUrl).get(PAGE).set(headers);
      expect(textOf(page.text)).toContain(text);
      expect(page.text).not.toContain('Access token');
    }
  });
});

describe('settings page without PORTAL_FRAME_ANCESTORS', () => {
  it('cannot be framed, and keeps no partitioned cookie', async () => {
    const api = await startApi();
    const { token } = await api.newAccount();
    const page = await request(api.baseUrl).get(PAGE);
    expect([ancestorsIn(page), page.headers['x-frame-options']]).toEqual(["'none'", 'SAMEORIGIN']);
    const signedIn = await request(api.baseUrl).post(`${PAGE}/sign-in`).set(FRAME).type('form').send({ token });
    expect(signedIn.headers['set-cookie']).toEqual([expect.stringContaining('SameSite=Strict')]);
    await api.close();
  });
});
