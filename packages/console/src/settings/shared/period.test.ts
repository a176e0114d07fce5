import request from 'supertest';
import { browserOf, PAGE, settingsPageRig, textOf } from '../../../../../services/api/src/settings-page-rig.suite.ts';

describe('times of filters', () => {
  const rig = settingsPageRig();

  async function inZone(zone: string) {
    const { cookie } = await browserOf(rig.api, rig.mine.token);
    const cookies = `${cookie}; mailhook_time_zone=${encodeURIComponent(zone)}`;
    return (path: string) => request(rig.api.baseUrl).get(`${PAGE}${path}`).set('cookie', cookies);
  }
  /** The name that a page has for a zone with several. */
  const nameOf = (timeZone: string) => new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  const fieldOf = (html: string, name: string) =>
    new RegExp(`id="filter-${name}" name="${name}" data-time="([^"]*)" value="([^"]*)"`).exec(html)?.slice(1);

  it.each([
    ['America/New_York', '2026-01-05T12:27:00.000Z', '2026-01-05T13:27:00.000Z'],
    ['Asia/Kolkata', '2026-01-05T01:57:00.000Z', '2026-01-05T02:57:00.000Z'],
  ])('are read in %s, and the address means the same in every zone', async (zone, from, to) => {
    const get = await inZone(zone);
    const asked = await get('/deliveries?status=failed&from=2026-01-05T07%3A27&to=2026-01-05T08%3A27');
    expect(asked.status).toBe(303);
    const target = new URL(String(asked.headers['location']), 'http://page');
    expect(Object.fromEntries(target.searchParams)).toEqual({ status: 'failed', from, to });
    const path = `/deliveries${target.search}`;
    const own = await get(path);
    expect(own.status).toBe(200);
    expect(fieldOf(own.text, 'from')).toEqual([from, '2026-01-05 07:27']);
    expect(fieldOf(own.text, 'to')).toEqual([to, '2026-01-05 08:27']);
    expect(textOf(own.text)).toMatch(new RegExp(`From \\( ?${nameOf(zone)} ?\\).*To \\( ?${nameOf(zone)} ?\\)`));
    const berlin = await (await inZone('Europe/Berlin'))(path);
    expect(fieldOf(berlin.text, 'from')?.[0]).toBe(from);
    const letters = await get('/dead-letters?from=2026-01-05T07%3A27');
    expect(letters.headers['location']).toBe(`${PAGE}/dead-letters?from=${encodeURIComponent(from)}`);
    expect(textOf((await get(`/dead-letters?from=${encodeURIComponent(from)}`)).text)).toMatch(
      new RegExp(`Given up since \\( ?${nameOf(zone)} ?\\)`),
    );
  });

  it('leave nothing out in the hour that a change of the clock repeats', async () => {
    const get = await inZone('America/New_York');
    const asked = await get('/deliveries?from=2026-11-01T01%3A30&to=2026-11-01T01%3A30');
    const { searchParams } = new URL(String(asked.headers['location']), 'http://page');
    expect([searchParams.get('from'), searchParams.get('to')]).toEqual([
      '2026-11-01T05:30:00.000Z',
      '2026-11-01T06:30:00.000Z',
    ]);
  });

  it('that are none are refused by the list alone', async () => {
    const get = await inZone('Asia/Kolkata');
    const { status, text } = await get('/deliveries?from=yesterday');
    expect(status).toBe(200);
    expect(fieldOf(text, 'from')).toEqual(['yesterday', 'yesterday']);
    expect(textOf(text)).toContain('must be a time such as');
  });
});
