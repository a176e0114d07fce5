import request from 'supertest';
import { startReceiver } from '@mailhook/testing';
import { PAGE, settingsPageRig, browserOf } from '../../../../services/api/src/settings-page-rig.suite.ts';
import { foreignWords, markMessages } from './foreign-words.suite.ts';

/** Names, and words of protocols. */
const ALLOWED = ['Mailhook', 'UTC', 'Node', 'js', 'Python', 'PHP', 'HTTP', 'https', 'authorization', 'ms'];
const TYPES = ['open', 'click', 'bounce', 'unsubscribe'];

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

  it('are in the catalogs: the first run, and pages and dialogs of endpoints', async () => {
    const { cookie, send } = await browserOf(rig.api, rig.mine.token);
    const words = [...ALLOWED, ...TYPES];
    const expectPolish = async (path: string): Promise<void> => {
      const { status, text } = await inPolish(`${PAGE}${path}`, cookie);
      expect([path, status, foreignWords(text, words)]).toEqual([path, 200, []]);
    };
    const press = async (form: Record<string, string>, expected = 200): Promise<void> => {
      const { status, text } = await send(form, { 'accept-language': 'pl' });
      const outcome =
        /<div class="outcome".*?<dialog.*?<\/dialog>|<div class="outcome".*?<\/div>/s.exec(text)?.[0] ?? '';
      const said = expected < 400 ? outcome : text;
      expect([form['do'], status, foreignWords(said, words)]).toEqual([form['do'], expected, []]);
      expect(outcome).toContain('⟦');
    };
    for (const path of ['', '/endpoints', '/endpoints/campaign?tab=settings']) await expectPolish(path);
    for (const wrong of ['', 'x', 'http://a b', 'http://[', 'http://a:b@c', 'http://x:0/', 'http://169.254.169.254/']) {
      for (const button of ['save-campaign', 'create-subscription']) {
        await press({ do: button, address: wrong, type: 'open' }, 422);
      }
    }
    await press({ do: 'test-campaign', address: '' }, 422);
    const receiver = await startReceiver();
    const address = receiver.url;
    await press({ do: 'test-batch', address });
    await press({ do: 'test-campaign', address });
    await press({ do: 'save-campaign', address });
    await press({ do: 'test-new-subscription', address, type: 'open' });
    await press({ do: 'create-subscription', address, type: 'open' });
    await press({ do: 'create-subscription', address, type: 'open' }, 409);
    const [{ id = '' } = {}] = (await rig.api.as(rig.mine.token)('get', '/v3/webhook/subscriptions')).body as {
      id: string;
    }[];
    for (const path of ['', '/endpoints']) await expectPolish(path);
    for (const endpoint of ['campaign', id]) {
      for (const tab of ['testing', 'settings']) await expectPolish(`/endpoints/${endpoint}?tab=${tab}`);
    }
    await press({ do: 'edit-subscription', id, address, type: 'click' });
    await press({
      do: 'save-settings',
      destination: id,
      headers: '',
      login: 'bearer',
      password: 'x',
      maxRequestsPerSecond: '5',
    });
    await press({ do: 'save-settings', destination: id, login: 'basic' }, 422);
    await press({ do: 'save-settings', destination: id, login: 'bearer' }, 422);
    for (const limit of ['0', '2000', 'x', '1.5']) {
      await press({ do: 'save-settings', destination: id, maxRequestsPerSecond: limit }, 422);
    }
    await press({ do: 'edit-subscription', id, address: 'http://127.0.0.1:9/other', type: 'click' });
    for (const destination of ['campaign', id]) {
      await press({ do: 'ask-pause', destination, id: destination });
      await press({ do: 'ask-off', destination, id: destination });
    }
    await press({ do: 'ask-remove', destination: 'campaign' });
    await press({ do: 'ask-delete', id });
    await press({ do: 'save-campaign', address: '' }, 422);
    await press({ do: 'pause', destination: id, minutes: '60' });
    await press({ do: 'resume', destination: id });
    await press({ do: 'send-now', destination: id, deadLetters: 'true' });
    await press({ do: 'switch-off', id });
    await press({ do: 'switch-on', id });
    await press({ do: 'create-secret', destination: id });
    await press({ do: 'delete-subscription', id });
    await press({ do: 'remove-campaign' });
    await receiver.close();
  });

  it('would be found outside of them', () => {
    const page = '<html lang="pl"><p title="One">⟦a <b>two</b> ⟦b⟧⟧ three <code>four</code></p>';
    expect(foreignWords(page, [])).toEqual(['three', 'One']);
    expect(foreignWords(page, ['One', 'three'])).toEqual([]);
  });
});
