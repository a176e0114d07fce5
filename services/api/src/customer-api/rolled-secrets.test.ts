import { eventually, goodReply, startReceiver } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import { MODULE } from '../api-rig.suite.ts';
import { browserOf, PAGE, textOf } from '../settings-page-rig.suite.ts';
import { expectProblem, publicApiRig } from './customer-api-rig.suite.ts';

interface Created {
  readonly id: string;
  readonly secret: string;
}

describe.each(['the account', 'a destination'])('the signing secrets of %s', (of) => {
  const rig = publicApiRig();
  let receiver: FakeReceiver;
  let path: string;
  let page: string;
  beforeEach(async () => {
    receiver = await startReceiver({ reply: goodReply });
    const id = await rig.api.subscribe(rig.mine, 'open', receiver.url);
    const isOfAccount = of === 'the account';
    path = isOfAccount ? '/v3/webhook/secrets' : `/v3/webhook/destinations/${id}/secrets`;
    page = isOfAccount ? `${PAGE}/secrets` : `${PAGE}/endpoints/${id}?tab=settings`;
  });
  afterEach(() => receiver.close());
  const list = async () => (await rig.call('get', path)).body as { readonly id: string }[];
  const shown = async () => (await (await browserOf(rig.api, rig.mine.token)).get(page)).text;
  const create = async (end = '', body?: object) => {
    const reply = await rig.call('post', `${path}${end}`, body);
    expect(reply.status).toBe(201);
    return reply.body as Created;
  };
  const signatures = async (): Promise<number> => {
    await rig.call('post', '/v3/webhook/notificationTest', { address: receiver.url, type: 'open', module: MODULE });
    return receiver.requests.at(-1)?.headers['webhook-signature']?.toString().split(' ').length ?? 0;
  };

  it('are listed by their id alone, and on the page with their start and their last use', async () => {
    const { id, secret } = await create();
    expect(await list()).toEqual([{ id, createdAt: expect.any(String) as string }]);
    expect(textOf(await shown())).toContain(`${secret.slice(0, 10)}… Created`);
    expect(await signatures()).toBe(1);
    await eventually(async () => textOf(await shown()).includes(', last used'), { what: 'the last use' });
  });

  it('are replaced after some hours: both sign until then, and deleting the new one takes the end back', async () => {
    if (path.includes('destinations')) expectProblem(await rig.call('post', `${path}/roll`), 404, 'not_found');
    const first = await create();
    const second = await create('/roll', { hours: 2 });
    expect((await list()).map(({ id }) => id)).toEqual([first.id, second.id]);
    const ends = [...(await shown()).matchAll(/signs until <time datetime="([^"]+)"/g)];
    const [leftMs = 0, ...others] = ends.map(([, end = '']) => Date.parse(end) - Date.now());
    expect([leftMs > 7_100_000 && leftMs <= 7_200_000, others]).toEqual([true, []]);
    expect(await signatures()).toBe(2);
    expectProblem(await rig.call('post', `${path}/roll`), 409, 'conflict');
    expectProblem(await rig.call('post', `${path}/roll`, { hours: 0 }), 422, 'validation_failed');
    await rig.call('delete', `${path}/${second.id}`);
    expect([(await list()).map(({ id }) => id), await shown()]).toEqual([
      [first.id],
      expect.not.stringContaining('signs until'),
    ]);
    await create('/roll');
    await rig.call('delete', `${path}/${first.id}`);
    expect(await signatures()).toBe(1);
  });
});
