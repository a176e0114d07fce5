import type { SigningSecret } from '@mailhook/core';
import { eventually, goodReply, startReceiver } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import { MODULE } from '../api-rig.suite.ts';
import { expectProblem, publicApiRig } from './customer-api-rig.suite.ts';

type Listed = SigningSecret & { readonly lastUsedAt: string | null };
interface Created {
  readonly id: string;
  readonly secret: string;
}

describe.each(['the account', 'a destination'])('the signing secrets of %s', (of) => {
  const rig = publicApiRig();
  let receiver: FakeReceiver;
  let path: string;
  beforeEach(async () => {
    receiver = await startReceiver({ reply: goodReply });
    const id = await rig.api.subscribe(rig.mine, 'open', receiver.url);
    path = of === 'the account' ? '/v3/webhook/secrets' : `/v3/webhook/destinations/${id}/secrets`;
  });
  afterEach(() => receiver.close());
  const list = async () => (await rig.call('get', path)).body as Listed[];
  const create = async (end = '', body?: object) => {
    const reply = await rig.call('post', `${path}${end}`, body);
    expect(reply.status).toBe(201);
    return reply.body as Created;
  };
  const signatures = async (): Promise<number> => {
    await rig.call('post', '/v3/webhook/notificationTest', { address: receiver.url, type: 'open', module: MODULE });
    return receiver.requests.at(-1)?.headers['webhook-signature']?.toString().split(' ').length ?? 0;
  };

  it('are listed with their start, and with their last use by a test or an attempt', async () => {
    const { id, secret } = await create();
    expect(await list()).toEqual([
      {
        id,
        start: secret.slice(0, 10),
        createdAt: expect.any(String) as string,
        endsAt: null,
        lastUsedAt: null,
      },
    ]);
    expect(await signatures()).toBe(1);
    await eventually(async () => (await list())[0]?.lastUsedAt !== null, { what: 'the last use' });
  });

  it('are replaced after some hours: both sign until then, and deleting the new one takes the end back', async () => {
    const first = await create();
    const second = await create('/roll', { hours: 2 });
    const both = await list();
    expect(both.map(({ id }) => id)).toEqual([first.id, second.id]);
    const leftMs = Date.parse(both[0]?.endsAt ?? '') - Date.now();
    expect(leftMs > 7_100_000 && leftMs <= 7_200_000).toBe(true);
    expect(both[1]?.endsAt).toBeNull();
    expect(await signatures()).toBe(2);
    expectProblem(await rig.call('post', `${path}/roll`), 409, 'conflict');
    expectProblem(await rig.call('post', `${path}/roll`, { hours: 0 }), 422, 'validation_failed');
    await rig.call('delete', `${path}/${second.id}`);
    expect(await list()).toMatchObject([{ id: first.id, endsAt: null }]);
    await create('/roll');
    await rig.call('delete', `${path}/${first.id}`);
    expect(await signatures()).toBe(1);
  });
});
