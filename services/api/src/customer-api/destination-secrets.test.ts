import { createHmac } from 'node:crypto';
import { goodReply, startReceiver } from '@mailhook/testing';
import type { FakeReceiver, ReceivedRequest } from '@mailhook/testing';
import { MODULE, startApi } from '../api-rig.suite.ts';
import type { ApiRig, TestAccount } from '../api-rig.suite.ts';
import { expectProblem } from './customer-api-rig.suite.ts';

interface Created {
  readonly id: string;
  readonly secret: string;
}
const secrets = (destination: string): string => `/v3/webhook/destinations/${destination}/secrets`;

/** Which of the secrets signed the request. */
function signersOf(request: ReceivedRequest, candidates: Readonly<Record<string, Created>>): string[] {
  const { headers, text } = request;
  const signed = `${headers['webhook-id']?.toString()}.${headers['webhook-timestamp']?.toString()}.${text}`;
  const given = headers['webhook-signature']?.toString().split(' ') ?? [];
  const signatureOf = ({ secret }: Created): string =>
    `v1,${createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
      .update(signed)
      .digest('base64')}`;
  return Object.entries(candidates).flatMap(([name, one]) => (given.includes(signatureOf(one)) ? [name] : []));
}

describe('signing secrets of a destination', () => {
  let api: ApiRig;
  let receiver: FakeReceiver;
  let mine: TestAccount;
  let call: ReturnType<ApiRig['as']>;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    receiver = await startReceiver({ reply: goodReply });
    mine = await api.newAccount();
    call = api.as(mine.token);
  });
  afterEach(() => receiver.close());
  const create = async (path: string): Promise<Created> => (await call('post', path)).body as Created;
  const test = async (address: string): Promise<ReceivedRequest> => {
    await call('post', '/v3/webhook/notificationTest', { address, type: 'open', module: MODULE });
    const request = receiver.requests.at(-1);
    if (request === undefined) throw new Error('no request');
    return request;
  };

  it('sign its requests instead of those of the account, until the last one is deleted', async () => {
    const [one, two] = [`${receiver.url}/one`, `${receiver.url}/two`];
    const id = await api.subscribe(mine, 'open', one);
    await api.subscribe(mine, 'open', two);
    const account = await create('/v3/webhook/secrets');
    const own = await create(secrets(id));
    const all = { account, own };
    expect(signersOf(await test(one), all)).toEqual(['own']);
    expect(signersOf(await test(two), all)).toEqual(['account']);
    const next = await create(secrets(id));
    expect(signersOf(await test(one), { ...all, next })).toEqual(['own', 'next']);
    for (const { id: secret } of [own, next]) await call('delete', `${secrets(id)}/${secret}`);
    expect(signersOf(await test(one), all)).toEqual(['account']);
  });

  it('are shown once, at most two, and stay when other settings of the destination change', async () => {
    await call('put', '/v3/webhook/campaign', { address: receiver.url });
    const first = await create(secrets('campaign'));
    expect(first.secret).toMatch(/^whsec_/);
    await call('put', '/v3/webhook/destinations/campaign/settings', { headers: { 'x-team': 'mail' } });
    await create(secrets('campaign'));
    expectProblem(await call('post', secrets('campaign')), 409, 'conflict');
    const list = await call('get', secrets('campaign'));
    expect(list.body).toEqual([
      { id: first.id, createdAt: expect.any(String) as string },
      { id: expect.any(String) as string, createdAt: expect.any(String) as string },
    ]);
    await call('put', '/v3/webhook/campaign', { address: `${receiver.url}/moved` });
    expect((await call('get', secrets('campaign'))).body).toEqual(list.body);
  });

  it('of another account are not found', async () => {
    const id = await api.subscribe(mine, 'open', receiver.url);
    const own = await create(secrets(id));
    const foreign = api.as((await api.newAccount()).token);
    expectProblem(await foreign('get', secrets(id)), 404, 'not_found');
    expectProblem(await foreign('post', secrets(id)), 404, 'not_found');
    expectProblem(await foreign('delete', `${secrets(id)}/${own.id}`), 404, 'not_found');
    expectProblem(await call('delete', `${secrets(id)}/none`), 404, 'not_found');
  });
});
