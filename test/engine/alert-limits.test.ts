import request from 'supertest';
import { anOpen, eventually, uniqueName } from '@mailhook/testing';
import type { TestAccount } from '../../services/api/src/api-rig.suite.ts';
import { alertsRig } from './alerts-rig.suite.ts';

describe('e-mails to an address', () => {
  const { parts, api, mailsTo, subjectsTo, arrival, linkIn, press, addAddress, confirm, mailJobs, switchOn } =
    alertsRig();

  test('are at most 20 per mailbox and day, from all accounts, and then one that says so', async () => {
    const name = uniqueName('ops');
    const [mine, theirs] = [await api().newAccount(), await api().newAccount()];
    const addresses = [`${name}+mine@customer.example`, `${name.toUpperCase()}@customer.example`] as const;
    for (const [account, email] of [
      [mine, addresses[0]],
      [theirs, addresses[1]],
    ] as const) {
      await api().as(account.token)('post', '/v3/webhook/alerts', { email });
      await confirm(email);
    }
    const subscribe = (account: TestAccount, count: number): Promise<string[]> =>
      Promise.all(
        Array.from({ length: count }, (_, i) =>
          api().subscribe(account, 'open', `${parts.customer.url}/${account.id}/${i}`),
        ),
      );
    const ids = [...(await subscribe(mine, 10)), ...(await subscribe(theirs, 4))];
    parts.customer.setReply(() => ({ status: 410 }));
    const doneOf = (account: TestAccount) => mailJobs(account, 'destination.deactivated', 'completed');
    const round = async (account: TestAccount, sum: number): Promise<void> => {
      await api().post(anOpen({ account: account.id }));
      await eventually(async () => (await doneOf(account)).length === sum, { withinMs: 30_000, what: 'the mails' });
    };
    await round(mine, 10);
    for (const id of ids.slice(0, 10)) await switchOn(mine, id);
    await round(mine, 20);
    await round(theirs, 4);
    expect(mailsTo(addresses[0])).toHaveLength(21);
    expect(subjectsTo(addresses[1])).toEqual([
      'Confirm e-mail alerts of Acme Mail',
      'No more alerts of Acme Mail today',
    ]);
    const summary = mailsTo(addresses[1])[1]?.text;
    expect(summary).toContain('This address got 20 alerts within a day.');
    expect(summary).toContain('http://127.0.0.1:3000/settings/webhooks\n');
  }, 90_000);

  test('ask an address for its confirmation three times a day at most, and an account has it once', async () => {
    const account = await api().newAccount();
    const call = api().as(account.token);
    const email = `${uniqueName('ops')}@customer.example`;
    const add = (address = email) => call('post', '/v3/webhook/alerts', { email: address });
    const { id } = (await add()).body as { id: string };
    expect(await add(email.toUpperCase())).toMatchObject({
      status: 409,
      body: { detail: 'This account has this e-mail address already.' },
    });
    // A mail that waits for its turn is not sent to an address that was removed.
    await arrival(email, 1);
    expect((await call('delete', `/v3/webhook/alerts/${id}`)).status).toBe(200);
    expect((await call('delete', `/v3/webhook/alerts/${id}`)).status).toBe(404);
    const again = (await add()).body as { id: string };
    await arrival(email, 2);
    expect((await call('delete', `/v3/webhook/alerts/${again.id}`)).status).toBe(200);
    expect((await add()).status).toBe(201);
    const other = api().as((await api().newAccount()).token);
    expect(await other('post', '/v3/webhook/alerts', { email })).toMatchObject({
      status: 429,
      body: { detail: 'This e-mail address was asked to confirm 3 times within a day. Try again tomorrow.' },
    });
    // A plus-address is the same mailbox. What was refused is not counted.
    const plus = email.replace('@', '+more@');
    expect((await other('post', '/v3/webhook/alerts', { email: plus })).status).toBe(429);
    // Who has confirmed is no stranger.
    await confirm(email, 3);
    for (let i = 0; i < 5; i += 1) {
      const more = api().as((await api().newAccount()).token);
      expect((await more('post', '/v3/webhook/alerts', { email: plus })).status).toBe(201);
    }
    expect(await add('ops')).toMatchObject({ status: 422, body: { errors: [{ path: 'email' }] } });
  }, 60_000);

  test('never ask an address again whose owner has said so', async () => {
    const account = await api().newAccount();
    const email = await addAddress(account);
    const path = linkIn(await arrival(email, 1), 'never');
    // A link checker changes nothing.
    expect((await request(api().baseUrl).get(path)).text).toContain('Never ask this address again</button>');
    expect((await api().as(account.token)('get', '/v3/webhook/alerts')).body).toHaveLength(1);
    expect((await press(path, { do: 'never' })).text).toContain('Nobody can add');
    expect((await api().as(account.token)('get', '/v3/webhook/alerts')).body).toEqual([]);
    const other = api().as((await api().newAccount()).token);
    for (const again of [email, email.toUpperCase(), email.replace('@', '+again@')])
      expect(await other('post', '/v3/webhook/alerts', { email: again })).toMatchObject({
        status: 409,
        body: { detail: 'The owner of this e-mail address wants no such e-mails.' },
      });
    expect(mailsTo(email)).toHaveLength(1);
  }, 60_000);

  test('have addresses in ASCII, also of international domains', async () => {
    const account = await api().newAccount();
    const added = await api().as(account.token)('post', '/v3/webhook/alerts', { email: 'ops@Müller.example' });
    expect(added).toMatchObject({ status: 201, body: { email: 'ops@xn--mller-kva.example' } });
    // The server of the test decodes it.
    expect((await arrival('ops@müller.example', 1)).raw).toContain('To: ops@xn--mller-kva.example');
  });
});
