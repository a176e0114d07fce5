import request from 'supertest';
import { startApi } from '../../../../services/api/src/api-rig.suite.ts';
import type { ApiRig } from '../../../../services/api/src/api-rig.suite.ts';
import { browserOf, PAGE, settingsPageRig } from '../../../../services/api/src/settings-page-rig.suite.ts';

const languageOf = (answer: { text: string }): unknown => /<html lang="(\w+)">/.exec(answer.text)?.[1];
const cookiesOf = (answer: { headers: Record<string, unknown> }): string[] =>
  [answer.headers['set-cookie'] ?? []].flat() as string[];

/** The address of a sign-in page or another one, asked for with these headers. */
const get = (api: Pick<ApiRig, 'baseUrl'>, headers: Record<string, string>, path = PAGE) =>
  request(api.baseUrl).get(path).set(headers);

const choose = (api: Pick<ApiRig, 'baseUrl'>, language: string, headers: Record<string, string> = {}) =>
  request(api.baseUrl).post(`${PAGE}/language`).set(headers).type('form').send({ language });

describe('language of the pages', () => {
  const rig = settingsPageRig();

  it.each([
    ['pl', 'pl'],
    ['de-AT,de;q=0.9,en;q=0.5', 'de'],
    ['fr,pl;q=0.4,en;q=0.3', 'pl'],
    ['en-US,pl;q=0.9', 'en'],
    ['pl;q=0,de;q=0.1', 'de'],
    ['fr', 'en'],
    ['*', 'en'],
    ['not a language;;', 'en'],
  ])('is the one that the browser asks for with %s: %s', async (asked, language) => {
    const page = await get(rig.api, { 'accept-language': asked });
    expect([languageOf(page), page.headers['content-language']]).toEqual([language, language]);
    expect(page.headers['vary']).toContain('Cookie, Accept-Language');
    expect(page.headers['cache-control']).toBe('no-store');
  });

  it('is the chosen one on all pages, and the choice leads back to its page', async () => {
    const { cookie } = await browserOf(rig.api, rig.mine.token);
    const from = `${PAGE}/secrets?x=1`;
    const chosen = await choose(rig.api, 'de', { referer: `${rig.api.baseUrl}${from}`, cookie });
    expect([chosen.status, chosen.headers['location']]).toEqual([303, from]);
    expect(cookiesOf(chosen)).toEqual([
      expect.stringMatching(/^__Host-mailhook_language=de; Max-Age=31536000; .*HttpOnly; Secure; SameSite=Strict$/),
    ]);
    const both = { cookie: `${cookie}; __Host-mailhook_language=de`, 'accept-language': 'pl' };
    const page = await get(rig.api, both, from);
    expect([languageOf(page), page.text.includes('Signaturschlüssel')]).toEqual(['de', true]);
    expect(page.text).toContain('<option value="de" lang="de" selected>Deutsch</option>');
    const news = await get(rig.api, both, `${PAGE}/news`);
    expect([news.headers['content-language'], news.text.includes('Zustellungen')]).toEqual(['de', true]);
    // Open pages of one account in several languages get updates of their own.
    const polish = await get(rig.api, { cookie, 'accept-language': 'pl' }, `${PAGE}/news`);
    expect(polish.text).toContain('Dostarczenia');
    expect(polish.headers['etag']).not.toBe(news.headers['etag']);
  });

  it('changes nothing for an unknown one, and leads to no other site', async () => {
    const chosen = await choose(rig.api, 'fr', { referer: 'https://evil.example/settings/elsewhere' });
    expect([chosen.status, chosen.headers['location'], cookiesOf(chosen)]).toEqual([303, PAGE, []]);
    const doubtful = await get(rig.api, { cookie: '__Host-mailhook_language=xx', 'accept-language': 'pl' });
    expect(languageOf(doubtful)).toBe('pl');
  });

  it('is that of the portal link, until another one is chosen', async () => {
    const created = await rig.api.admin('post', `/admin/accounts/${rig.mine.id}/portal`, { language: 'pl' });
    const link = (created.body as { url: string }).url.split('?link=')[1];
    const opened = await request(rig.api.baseUrl).post('/settings/portal').type('form').send({ link });
    const cookie = cookiesOf(opened).map((one) => one.split(';')[0]);
    expect(cookie).toEqual([expect.stringContaining('session'), '__Host-mailhook_language=pl']);
    expect(languageOf(await get(rig.api, { cookie: cookie.join('; '), 'accept-language': 'de' }))).toBe('pl');
    const refused = await rig.api.admin('post', `/admin/accounts/${rig.mine.id}/portal`, { language: 'fr' });
    expect(refused.status).toBe(422);
  });

  it('changes no answer of the API', async () => {
    const answer = await request(rig.api.baseUrl)
      .get('/v3/webhook/campaign')
      .set({ authorization: 'Bearer wrong', 'accept-language': 'pl' });
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([401, expect.stringMatching(/token/)]);
  });

  it('writes times in the zone of the reader', async () => {
    const { cookie, send } = await browserOf(rig.api, rig.mine.token);
    await send({ do: 'create-secret' });
    const timeIn = async (zone: string): Promise<string> => {
      const { text } = await get(rig.api, { cookie: `${cookie}; mailhook_time_zone=${zone}` }, `${PAGE}/secrets`);
      return /<time [^>]*>([^<]*)<\/time>/.exec(text)?.[1] ?? '';
    };
    const [utc, kathmandu] = [await timeIn('UTC'), await timeIn('Asia%2FKathmandu')];
    const minutes = (text: string): number => Number(/(\d\d):(\d\d):\d\d/.exec(text)?.[2]);
    expect([utc.endsWith(' UTC'), kathmandu.endsWith(' UTC')]).toEqual([true, false]);
    expect((minutes(kathmandu) - minutes(utc) + 60) % 60).toBe(45);
    for (const wrong of ['Nowhere', '%', 'x'.repeat(5000)]) expect(await timeIn(wrong)).toBe(utc);
  });
});

describe('PORTAL_LANGUAGE', () => {
  it('is for browsers that ask for no language of the pages', async () => {
    const api = await startApi({ PORTAL_LANGUAGE: 'de' });
    try {
      expect(languageOf(await get(api, {}))).toBe('de');
      expect(languageOf(await get(api, { 'accept-language': 'fr, *;q=0.1' }))).toBe('de');
      expect(languageOf(await get(api, { 'accept-language': 'fr, pl;q=0.1' }))).toBe('pl');
    } finally {
      await api.close();
    }
  });

  it('names the languages if it is another', async () => {
    await expect(startApi({ PORTAL_LANGUAGE: 'fr' })).rejects.toThrow(/PORTAL_LANGUAGE.*en, pl, de/s);
  });
});
