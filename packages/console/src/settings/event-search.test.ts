import request from 'supertest';
import { browserOf, PAGE, settingsPageRig, textOf } from '../../../../services/api/src/settings-page-rig.suite.ts';

const SEARCH = '/v3/webhook/events/search';

describe('the search for an event', () => {
  const rig = settingsPageRig();

  it('is a form with a body: an address of a recipient gets into no URL, a hash or an id does', async () => {
    const browser = await browserOf(rig.api, rig.mine.token);
    expect((await browser.get(`${PAGE}/events`)).text).toContain(
      `<form method="post" action="${PAGE}/events" class="find"`,
    );
    const found = await browser.send({ do: 'find-event', event: ' anna@example.com ' });
    expect([found.status, found.headers['location']]).toEqual([200, undefined]);
    expect(textOf(found.text)).toContain('Event not found');
    expect(found.text).toContain('value="anna@example.com"');
    expect([...found.text.matchAll(/(?:href|action)="([^"]*)"/g)].filter(([, url = '']) => /anna/.test(url))).toEqual(
      [],
    );
    for (const event of ['a-hash-of-mine', '<x@sender.example>']) {
      const moved = await browser.send({ do: 'find-event', event });
      const query = new URLSearchParams({ event }).toString();
      expect([moved.status, moved.headers['location']]).toEqual([303, `${PAGE}/events?${query}`]);
    }
  });

  it('of the API takes the same fields in a body, also with a token for reading', async () => {
    const path = `/admin/accounts/${rig.mine.id}/tokens`;
    const { token } = (await rig.api.admin('post', path, { access: 'read' })).body as { token: string };
    for (const call of [rig.api.as(rig.mine.token), rig.api.as(token)]) {
      const found = await call('post', SEARCH, { email: 'anna@example.com' });
      const listed = await call('get', '/v3/webhook/events?email=anna@example.com');
      expect([found.status, found.body]).toEqual([200, listed.body]);
      expect((await call('post', SEARCH, {})).status).toBe(422);
      expect((await call('post', SEARCH, { hash: 'a-hash-of-mine', email: 'a@b.c' })).status).toBe(422);
    }
    expect((await request(rig.api.baseUrl).post(SEARCH).send({ email: 'anna@example.com' })).status).toBe(401);
  });
});
