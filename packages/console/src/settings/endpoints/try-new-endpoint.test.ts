import { eventually, goodReply, startReceiver } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import { browserOf, settingsPageRig, textOf } from '../../../../../services/api/src/settings-page-rig.suite.ts';

describe('trying a new endpoint before it is saved', () => {
  const rig = settingsPageRig();
  let receiver: FakeReceiver;
  beforeEach(async () => {
    receiver = await startReceiver({ reply: goodReply });
  });
  afterEach(() => receiver.close());

  const trial = async (form: Record<string, string>) => {
    const browser = await browserOf(rig.api, rig.mine.token);
    return browser.send({ do: 'test-new-endpoint', address: receiver.url, boxes: '1', ...form });
  };
  const saved = async () => (await rig.api.as(rig.mine.token)('get', '/v3/webhook/destinations')).body as object;

  it.each([
    ['single', 'transactional_email', { 'types.complaint': '1' }, '', { event: 'complaint', version: 2 }],
    ['array', 'transactional_email', { 'types.*': '1' }, 'custom', [{ event: 'custom', version: 2 }]],
    ['batch', 'campaign', { 'types.open': '1', 'types.bounce': '1' }, 'bounce', [{ event: 'bounce', attempt: 1 }]],
  ])(
    'sends one event in the shape %s, of the chosen type, and saves nothing',
    async (shape, module, boxes, testType, body) => {
      const { status, text } = await trial({ module, shape, version: '2', testType, ...boxes });
      expect([status, receiver.requests.map(({ json }) => json)]).toEqual([
        200,
        [
          Array.isArray(body)
            ? body.map((one) => expect.objectContaining(one) as object)
            : expect.objectContaining(body),
        ],
      ]);
      expect(await saved()).toEqual({ items: [] });
      // What was typed stays, and the next button saves it.
      expect(text).toContain(`value="${receiver.url}"`);
      expect(text).toContain('value="create-subscription"');
    },
  );

  it('sends version 1 as the specification has it, and lists the attempt as a test', async () => {
    await trial({ module: 'transactional_email', 'types.open': '1', version: '1' });
    expect(receiver.requests[0]?.json).toMatchObject({ name: 'open', version: 1 });
    const list = async () =>
      (await rig.api.as(rig.mine.token)('get', '/v3/webhook/deliveries')).body as { items: readonly object[] };
    await eventually(async () => (await list()).items.length === 1, { what: 'the attempt' });
    expect((await list()).items).toMatchObject([{ kind: 'test', module: 'transactional_email', shape: 'single' }]);
  });

  it.each([
    ['a type that it does not list', { 'types.bounce': '1', testType: 'open' }],
    ['contradicting settings', { 'types.*': '1', version: '1' }],
    ['an address that is none', { 'types.bounce': '1', address: 'nowhere' }],
  ])('refuses %s, and sends nothing', async (_what, form) => {
    const { status } = await trial({ module: 'transactional_email', ...form });
    expect([status, receiver.requests]).toEqual([422, []]);
  });

  it('says what the receiver did wrong', async () => {
    receiver.setReply(() => ({ status: 404 }));
    const { text } = await trial({ module: 'transactional_email', 'types.bounce': '1' });
    expect(textOf(text)).toContain('404');
  });
});
