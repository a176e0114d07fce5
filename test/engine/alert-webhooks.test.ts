import { anOpen, eventually, startReceiver } from '@mailhook/testing';
import type { FakeReceiver } from '@mailhook/testing';
import { alertsRig } from './alerts-rig.suite.ts';

describe('webhooks for alerts', () => {
  const { parts, api, newAccount, fail, mailsTo } = alertsRig();
  let chat: FakeReceiver;
  beforeAll(async () => {
    chat = await startReceiver();
  });
  beforeEach(() => chat.setReply(() => ({ status: 200 })));
  afterAll(() => chat.close());

  const PATH = '/v3/webhook/alert-webhooks';
  const textsOf = (path: string): string[] =>
    chat.requests.filter((one) => one.path === path).map(({ json }) => (json as { text: string }).text);
  const add = async (token: string, path: string, language = 'en') => {
    const added = await api().as(token)('post', PATH, { address: `${chat.url}${path}`, language });
    expect(added.status).toBe(201);
    return (added.body as { id: string }).id;
  };
  const listed = async (token: string) =>
    ((await api().as(token)('get', PATH)).body as { address: string; lastFailure: { reason: string } | null }[])[0];

  test('get what e-mails say, in the form of Slack, and their address is shown without its secret', async () => {
    const { account, id } = await newAccount('Acme <& Co>');
    await add(account.token, '/services/T0/B0/secret1');
    expect((await listed(account.token))?.address).toBe(`${chat.url}/…ret1`);
    await fail(account);
    const [text = ''] = await eventually(
      () => textsOf('/services/T0/B0/secret1').length > 0 && textsOf('/services/T0/B0/secret1'),
      {
        withinMs: 30_000,
        what: 'the message',
      },
    );
    expect(text.split('\n')[0]).toBe('*Your webhook fails: Endpoint for open*');
    expect(text).toContain('Account: Acme &lt;&amp; Co&gt;\n');
    expect(text).toContain('Reason: The receiver answered HTTP 500.');
    expect(text).toContain(`/settings/webhooks/endpoints/${id}|Open the webhook settings>`);
    expect(text).not.toContain('key=secret');
  });

  test('are tested with a button, and say why an alert did not arrive', async () => {
    const { account, email } = await newAccount();
    const id = await add(account.token, '/services/broken', 'de');
    const tested = async () => (await api().as(account.token)('post', `${PATH}/${id}/test`)).body as object;
    expect(await tested()).toEqual({ success: true });
    expect(textsOf('/services/broken')[0]).toMatch(/^\*Test der Warnungen von Acme Mail\*\n/);
    chat.setReply(() => ({ status: 404 }));
    expect(await tested()).toEqual({ success: false, reason: 'the receiver answered HTTP 404 Not Found' });
    await fail(account);
    await eventually(async () => (await listed(account.token))?.lastFailure !== null, {
      withinMs: 30_000,
      what: 'the failure',
    });
    expect((await listed(account.token))?.lastFailure?.reason).toBe('the receiver answered HTTP 404 Not Found');
    // The mail does not wait for the webhook.
    await eventually(() => mailsTo(email).length === 2, { withinMs: 30_000, what: 'the mail' });
    chat.setReply(() => ({ status: 200 }));
    await tested();
    expect((await listed(account.token))?.lastFailure).toBeNull();
  });

  test('and addresses get only the kinds and destinations that they want', async () => {
    const { account, id } = await newAccount();
    const [all, none, other] = [
      await add(account.token, '/all'),
      await add(account.token, '/none'),
      await add(account.token, '/other'),
    ];
    const choose = (reader: string, choice: object) =>
      api().as(account.token)('put', `/v3/webhook/alerts/${reader}`, choice);
    expect((await choose(none, { kinds: ['recovered'], muted: [] })).status).toBe(200);
    expect((await choose(other, { kinds: ['failing'], muted: [id] })).status).toBe(200);
    expect((await choose('nobody', { kinds: [], muted: [] })).status).toBe(404);
    await fail(account);
    await eventually(() => textsOf('/all').length === 1, { withinMs: 30_000, what: 'the alert' });
    parts.customer.setReply(() => ({ status: 200 }));
    await api().post(anOpen({ account: account.id }));
    await eventually(() => textsOf('/all').length === 2, { withinMs: 30_000, what: 'the recovery' });
    // Nobody hears of the end of a failure that they did not get.
    expect([textsOf('/none'), textsOf('/other')]).toEqual([[], []]);
    expect((await api().as(account.token)('delete', `${PATH}/${all}`)).status).toBe(200);
  });

  test('must not lead to what Mailhook must not call', async () => {
    const { account } = await newAccount();
    const refused = await api().as(account.token)('post', PATH, { address: 'http://localhost:0/x' });
    expect(refused).toMatchObject({ status: 422 });
    await add(account.token, '/once');
    const again = await api().as(account.token)('post', PATH, { address: `${chat.url}/once` });
    expect(again.status).toBe(409);
  });
});

describe('without a mail server', () => {
  const { api, parts, fail } = alertsRig({ SMTP_URL: '', SMTP_FROM: '', PUBLIC_URL: '' });

  test('webhooks get alerts, with no link, and no address can be added', async () => {
    const account = await api().newAccount();
    await api().subscribe(account, 'open', `${parts.customer.url}/${account.id}`);
    const call = api().as(account.token);
    expect(await call('post', '/v3/webhook/alerts', { email: 'ops@customer.example' })).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('has not set SMTP_URL') as string },
    });
    expect((await call('get', '/v3/webhook/alerts')).body).toEqual([]);
    const address = `${parts.customer.url}/chat`;
    expect((await call('post', '/v3/webhook/alert-webhooks', { address })).status).toBe(201);
    await fail(account);
    const sent = await eventually(() => parts.customer.requests.find(({ path }) => path === '/chat'), {
      withinMs: 30_000,
      what: 'the message',
    });
    const { text } = sent.json as { text: string };
    expect(text).toContain('*Your webhook fails: Endpoint for open*\n');
    expect(text).not.toContain('Open the webhook settings');
  });
});
