import request from 'supertest';
import { browserOf, PAGE, settingsPageRig, textOf } from '../../../../services/api/src/settings-page-rig.suite.ts';

describe('a question before an action', () => {
  const rig = settingsPageRig();

  it('is open on the page without a script, and nothing happens before its button', async () => {
    const id = await rig.api.subscribe(rig.mine, 'open', 'https://example.com/');
    const browser = await browserOf(rig.api, rig.mine.token);
    const send = (form: Record<string, string>) =>
      request(rig.api.baseUrl)
        .post(`${PAGE}/endpoints/${id}?tab=settings`)
        .set('cookie', browser.cookie)
        .type('form')
        .send(form);
    for (const [ask, title] of [
      ['ask-off', 'Switch this endpoint off?'],
      ['ask-delete', 'Delete this endpoint?'],
      ['ask-pause', 'Pause this endpoint?'],
    ] as const) {
      const { status, text } = await send({ do: ask, id, destination: id });
      expect([status, textOf(text)]).toEqual([200, expect.stringContaining(title)]);
      expect(text).toMatch(/<dialog[^>]* open>/);
      expect(textOf(text)).toContain('No events are waiting for this endpoint now.');
    }
    const found = await rig.api.as(rig.mine.token)('get', `/v3/webhook/subscriptions/${id}`);
    expect(found.body).toMatchObject({ active: true });
  });
});
