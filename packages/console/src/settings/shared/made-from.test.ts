import request from 'supertest';
import { browserOf, PAGE, settingsPageRig, textOf } from '../../../../../services/api/src/settings-page-rig.suite.ts';

const CHANGED = 'Nothing was saved, because this was changed after you opened the page.';
const ADDRESS = 'https://example.com/hook';

const plain = (text = ''): string =>
  text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&');

/** The fields of the form with this button, as a browser would send them. */
function fieldsOf(html: string, button: string): Record<string, string> {
  const form = html.split('<form').find((one) => one.includes(` value="${button}"`)) ?? '';
  const values = (pattern: RegExp) => [...form.matchAll(pattern)].map(([, name = '', value]) => [name, plain(value)]);
  return Object.fromEntries([
    ...values(/<input type="hidden" name="(\w+)" value="([^"]*)"/g),
    ...values(/<input type="checkbox"[^>]* name="([\w.*]+)" value="([^"]*)"[^>]* checked/g),
    ...values(/<input id[^>]* name="([\w.]+)"(?:[^>]* value="([^"]*)")?/g),
    ...values(/<textarea[^>]* name="([\w.]+)"[^>]*>\n?([^<]*)</g),
    ...values(/<select[^>]* name="([\w.]+)"[^>]*>(?:(?!<\/select>).)*<option value="([^"]*)" selected/gs),
    ['do', button],
  ]) as Record<string, string>;
}

describe('a form that replaces a record', () => {
  const rig = settingsPageRig();
  const call = () => rig.api.as(rig.mine.token);
  const read = async (path: string) => (await call()('get', `/v3/webhook/${path}`)).body as unknown;
  const put = (path: string, body: object) => call()('put', `/v3/webhook/${path}`, body);

  /** Opens the settings of an endpoint in a tab. `save` sends the form of a button as this tab shows it. */
  async function openTab(endpoint: string) {
    const { cookie } = await browserOf(rig.api, rig.mine.token);
    const path = `${PAGE}/endpoints/${endpoint}?tab=settings`;
    let html = (await request(rig.api.baseUrl).get(path).set('cookie', cookie)).text;
    return {
      fields: (button: string) => fieldsOf(html, button),
      async save(button: string, typed: Record<string, string>) {
        const form = { ...fieldsOf(html, button), ...typed };
        const answer = await request(rig.api.baseUrl).post(path).set('cookie', cookie).type('form').send(form);
        html = answer.text;
        return { status: answer.status, text: textOf(answer.text) };
      },
    };
  }

  it('keeps a login that another tab has saved, and saves both when it is sent again', async () => {
    await put('campaign', { address: ADDRESS });
    const [one, two] = [await openTab('campaign'), await openTab('campaign')];
    const login = { login: 'bearer', password: 's3cr3t', headers: 'x-team: mail' };
    expect(await two.save('save-settings', login)).toMatchObject({ status: 200 });
    const saved = { headers: { authorization: true, 'x-team': true } };

    const refused = await one.save('save-settings', { user: 'typed', headers: 'x-own: 1' });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining(CHANGED)]);
    expect(refused.text).toContain('Other headers is now “x-team”');
    expect(await read('destinations/campaign/settings')).toMatchObject(saved);
    expect(one.fields('save-settings')).toMatchObject({
      login: 'keep',
      headers: 'x-own: 1',
      user: 'typed',
    });

    expect(await one.save('save-settings', {})).toMatchObject({ status: 200 });
    expect(await read('destinations/campaign/settings')).toMatchObject({
      headers: { authorization: true, 'x-own': true },
    });
  });

  it('keeps another value of a login, which no page shows', async () => {
    await put('campaign', { address: ADDRESS });
    await put('destinations/campaign/settings', { headers: { authorization: 'Bearer a' } });
    const tab = await openTab('campaign');
    await put('destinations/campaign/settings', { headers: { authorization: 'Bearer b' } });
    const refused = await tab.save('save-settings', { login: 'bearer', password: 'c' });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining(CHANGED)]);
    expect(refused.text).toContain('Token or password must be entered again');
    expect(tab.fields('save-settings')).toMatchObject({ login: 'bearer', password: '' });
    expect(await tab.save('save-settings', { password: 'c' })).toMatchObject({ status: 200 });
  });

  it.each(['save-campaign', 'save-campaign-on'])('shows the address that is saved meanwhile at %s', async (button) => {
    await put('campaign', { address: ADDRESS, active: false });
    const tab = await openTab('campaign');
    await put('campaign', { address: `${ADDRESS}/two`, active: false });
    const refused = await tab.save(button, { address: `${ADDRESS}/three` });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining(CHANGED)]);
    expect(refused.text).toContain(`Webhook URL is now “${ADDRESS}/two”`);
    expect(await read('campaign')).toEqual({ address: `${ADDRESS}/two`, active: false });
    expect(tab.fields(button)).toMatchObject({ address: `${ADDRESS}/three` });
    expect(await tab.save(button, {})).toMatchObject({ status: 200 });
    expect(await read('campaign')).toEqual({ address: `${ADDRESS}/three`, active: button.endsWith('-on') });
  });

  it('stays made from what it showed, when its address is tested or refused in between', async () => {
    await put('campaign', { address: ADDRESS });
    const tab = await openTab('campaign');
    await put('campaign', { address: `${ADDRESS}/two` });
    await tab.save('test-campaign', { address: 'http://127.0.0.1:9/three' });
    expect(await tab.save('save-campaign', { address: 'nonsense' })).toMatchObject({ status: 422 });
    expect(await tab.save('save-campaign', { address: `${ADDRESS}/three` })).toMatchObject({ status: 409 });
    expect(await read('campaign')).toMatchObject({ address: `${ADDRESS}/two` });
  });

  it('keeps typed types and addresses, and takes unchanged fields from the saved endpoint', async () => {
    const id = await rig.api.subscribe(rig.mine, 'open', ADDRESS);
    const tab = await openTab(id);
    await put(`subscriptions/${id}`, { module: 'transactional_email', type: 'click' });
    const refused = await tab.save('save-endpoint', { address: `${ADDRESS}/two`, 'filter.tags': 'receipt' });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining(CHANGED)]);
    expect(await read(`subscriptions/${id}`)).toMatchObject({ type: 'click', address: ADDRESS });
    expect(tab.fields('save-endpoint')).toMatchObject({ 'types.click': '1', 'filter.tags': 'receipt' });
    expect(tab.fields('save-endpoint')).not.toHaveProperty(['types.open']);
    expect(await tab.save('save-endpoint', {})).toMatchObject({ status: 200 });
    expect(await read(`subscriptions/${id}`)).toMatchObject({ type: 'click', address: `${ADDRESS}/two` });
  });

  it('is not held up by secrets, by a form beside it, or by what it is made from being unreadable', async () => {
    const id = await rig.api.subscribe(rig.mine, 'open', ADDRESS);
    const [tab, beside] = [await openTab(id), await openTab(id)];
    await call()('post', `/v3/webhook/destinations/${id}/secrets`);
    expect(await beside.save('save-endpoint', { address: `${ADDRESS}/two` })).toMatchObject({ status: 200 });
    expect(await tab.save('save-settings', { headers: 'x-team: 7' })).toMatchObject({ status: 200 });
    expect(await beside.save('save-endpoint', { maxRequestsPerSecond: '7' })).toMatchObject({ status: 200 });
    for (const madeFrom of ['', 'x', '[]', 'null', '{"version":7}'])
      for (const button of ['save-settings', 'save-endpoint'])
        expect(await tab.save(button, { madeFrom, maxRequestsPerSecond: '8' })).toMatchObject({ status: 409 });
    expect(await read(`destinations/${id}/settings`)).toMatchObject({ maxRequestsPerSecond: 7 });
  });
});
