import request from 'supertest';
import { localMinute } from '../../html/zoned-time.ts';
import { browserOf, PAGE, settingsPageRig, textOf } from '../../../../../services/api/src/settings-page-rig.suite.ts';

const WRONG = 'Write times as 2026-01-31 16:30, the earlier one first.';

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

  it('are the time of figures, charts and lists alike', async () => {
    const id = await rig.api.subscribe(rig.mine, 'click');
    const get = await inZone('Asia/Kolkata');
    const hour = 3_600_000;
    // Bars begin with an hour of UTC, which is half past in Kolkata.
    const endMs = Math.floor(Date.now() / hour) * hour - 24 * hour;
    const local = (ms: number) => encodeURIComponent(localMinute(ms, 'Asia/Kolkata'));
    const timesIn = (link: string | undefined) => {
      const query = new URLSearchParams(link?.replaceAll('&amp;', '&'));
      return [query.get('from'), query.get('to')];
    };
    const iso = (ms: number) => new Date(ms).toISOString();
    for (const page of ['', `/endpoints/${id}`]) {
      const asked = await get(`${page}?range=&from=${local(endMs - 90 * 60_000)}&to=${local(endMs)}`);
      const { search } = new URL(String(asked.headers['location']), 'http://page');
      expect(timesIn(search)).toEqual([iso(endMs - 1.5 * hour), iso(endMs)]);
      const { text } = await get(`${page}${search}`);
      expect(text).toContain(`<h2 id="charts-title" data-part><time datetime="${iso(endMs - 2 * hour)}"`);
      expect(text).toContain('<summary id="period-own" data-part aria-current="true">');
      expect(fieldOf(text, 'from')?.[0]).toBe(iso(endMs - 1.5 * hour));
      expect(textOf(text)).toContain('Nothing was sent in this time.');
      const [, failed] = /href="[^"]*deliveries\?(status=not_delivered[^"]*)"/.exec(text) ?? [];
      if (page === '') expect(timesIn(failed)).toEqual([iso(endMs - 2 * hour), iso(endMs)]);
      const future = `from=${iso(Date.now() + hour)}&to=${iso(Date.now() + 2 * hour)}`;
      expect(textOf((await get(`${page}?${future}`)).text)).toContain('Nothing was sent in this time.');
      for (const wrong of ['from=yesterday', `from=${iso(endMs)}&to=${iso(endMs - hour)}`]) {
        const refused = await get(`${page}?${wrong}`);
        expect(textOf(refused.text)).toContain(WRONG);
        expect(refused.text).toContain('<h2 id="charts-title" data-part>From … to</h2>');
      }
    }
    const today = await get('?range=today');
    expect(today.text).toContain('<h2 id="charts-title" data-part>Today</h2>');
    expect(today.text).toContain('<a id="range-today" aria-current="true">Today</a>');
  });

  it.each(['/deliveries', '/dead-letters'])('that are none are refused by the list of %s alone', async (page) => {
    const get = await inZone('Asia/Kolkata');
    const { status, text } = await get(`${page}?from=yesterday`);
    expect(status).toBe(200);
    expect(fieldOf(text, 'from')).toEqual(['yesterday', 'yesterday']);
    expect(textOf(text)).toContain(WRONG);
  });
});
