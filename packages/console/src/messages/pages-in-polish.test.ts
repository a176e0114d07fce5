import request from 'supertest';
import { PAGE, settingsPageRig, browserOf } from '../../../../services/api/src/settings-page-rig.suite.ts';
import { foreignWords, markMessages } from './foreign-words.suite.ts';

/** Names, and words of protocols. */
const ALLOWED = ['Mailhook', 'UTC', 'Node', 'js', 'Python', 'PHP'];

describe('texts of the pages', () => {
  const rig = settingsPageRig();
  let restore: () => void;
  beforeAll(() => (restore = markMessages()));
  afterAll(() => restore());

  const inPolish = (path: string, cookie = '') =>
    request(rig.api.baseUrl).get(path).set({ cookie, 'accept-language': 'pl' });

  it('are in the catalogs: pages without a session', async () => {
    for (const path of [PAGE, '/settings/portal', '/settings/portal?link=short']) {
      const { text } = await inPolish(path);
      expect(text).toContain('⟦');
      expect([path, foreignWords(text, ALLOWED)]).toEqual([path, []]);
    }
    const signIn = await request(rig.api.baseUrl)
      .post(`${PAGE}/sign-in`)
      .set('accept-language', 'pl')
      .type('form')
      .send({ token: 'unknown' });
    expect([signIn.status, foreignWords(signIn.text, ALLOWED)]).toEqual([401, []]);
    const used = await request(rig.api.baseUrl)
      .post('/settings/portal')
      .set('accept-language', 'pl')
      .type('form')
      .send({ link: 'x'.repeat(43) });
    expect([used.status, foreignWords(used.text, ALLOWED)]).toEqual([410, []]);
  });

  it('are in the catalogs: pages of an account', async () => {
    const { cookie, send } = await browserOf(rig.api, rig.mine.token);
    await send({ do: 'create-secret' });
    for (const path of ['/secrets', '/developers']) {
      const { status, text } = await inPolish(`${PAGE}${path}`, cookie);
      expect([path, status, foreignWords(text, ALLOWED)]).toEqual([path, 200, []]);
    }
  });

  it('would be found outside of them', () => {
    const page = '<html lang="pl"><p title="One">⟦a <b>two</b> ⟦b⟧⟧ three <code>four</code></p>';
    expect(foreignWords(page, [])).toEqual(['three', 'One']);
    expect(foreignWords(page, ['One', 'three'])).toEqual([]);
  });
});
