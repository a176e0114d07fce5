import { goodReply, startReceiver } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import { browserOf, PAGE, settingsPageRig, textOf } from '../../../../../services/api/src/settings-page-rig.suite.ts';

describe('the sample of a test', () => {
  const rig = settingsPageRig();
  let receiver: FakeReceiver;
  let id: string;
  beforeEach(async () => {
    receiver = await startReceiver({ reply: goodReply });
    const input = { address: receiver.url, module: 'transactional_email', types: ['bounce', 'click'] };
    const made = await rig.api.as(rig.mine.token)('post', '/v3/webhook/destinations', input);
    ({ id } = made.body as { id: string });
  });
  afterEach(() => receiver.close());
  const sampleIn = (html: string) =>
    JSON.parse(textOf(/<textarea[^>]*name="sample"[^>]*>([^<]*)</.exec(html)?.[1] ?? '{}')) as Record<string, unknown>;

  it('is shown for each type, edited and sent; a wrong field is named', async () => {
    const browser = await browserOf(rig.api, rig.mine.token);
    const test = { do: 'test-endpoint', id };
    const first = await browser.get(`${PAGE}/endpoints/${id}?tab=testing`);
    expect(sampleIn(first.text)).toMatchObject({ code: '5.1.1' });
    const shown = await browser.send({ ...test, do: 'test-sample', type: 'click' });
    const sample = sampleIn(shown.text);
    expect(Object.keys(sample)).toEqual(expect.arrayContaining(['url', 'ip', 'userAgent', 'machine']));
    const { machine: _machine, ...kept } = sample;
    const edited = { ...kept, url: 'https://example.com/mine' };
    const typed = { ...test, type: 'click', sampleOf: 'click' };
    const sent = await browser.send({ ...typed, sample: JSON.stringify(edited) });
    expect(sampleIn(sent.text)).toEqual(edited);
    const body = receiver.requests[0]?.json as Record<string, unknown>;
    expect([body['event'], body['url'], body['machine']]).toEqual(['click', 'https://example.com/mine', undefined]);
    const wrong = await browser.send({ ...typed, sample: JSON.stringify({ ...edited, url: 7 }) });
    expect([wrong.status, textOf(wrong.text)]).toEqual([422, expect.stringMatching(/click *url must be a text/)]);
    const broken = await browser.send({ ...typed, sample: '{' });
    expect([broken.status, textOf(broken.text)]).toEqual([422, expect.stringContaining('must be a JSON object')]);
    // A sample that was shown for another type is not sent.
    await browser.send({ ...test, type: 'bounce', sampleOf: 'click', sample: '{' });
    expect(receiver.requests.at(-1)?.json).toMatchObject({ event: 'bounce' });
    expect(receiver.requests).toHaveLength(2);
  });
});
