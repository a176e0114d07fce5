import request from 'supertest';
import { aClick, anOpen, eventually, startSmtpServer } from '@mailhook/testing';
import { startApi } from '../../services/api/src/api-rig.suite.ts';
import type { TestAccount } from '../../services/api/src/api-rig.suite.ts';
import { alertsRig } from './alerts-rig.suite.ts';

describe('e-mail alerts', () => {
  const {
    parts,
    api,
    mailsTo,
    subjectsTo,
    arrival,
    linkIn,
    press,
    addAddress,
    confirm,
    newAccount,
    fail,
    jobsOf,
    nextDay,
    mailJobs,
    switchOn,
  } = alertsRig();

  test('say once a day that a webhook fails, once that it works again, and link to its page', async () => {
    const { account, id, email } = await newAccount('Acme\r\nBcc: victim@example.com');
    await fail(account);
    const failing = await arrival(email, 2);
    expect(failing.subject).toBe('Your webhook fails: Endpoint for open');
    expect(failing.from).toMatchObject({ name: 'Hooks', address: 'alerts@mailhook.example' });
    expect(failing.text).toContain(`Address: ${new URL(parts.customer.url).origin}/…`);
    expect(failing.text).toContain('Reason: The receiver answered HTTP 500.\n');
    expect(failing.text).toContain('What to do: Your server failed.');
    expect(failing.text).toContain('Waiting events: 2');
    expect(failing.html).toContain('Open the webhook settings</a>');
    expect(failing.raw).not.toMatch(/^Bcc:/im);
    expect(failing.text).toContain('Account: Acme Bcc: victim@example.com\n');
    // The link is that of the page itself, where the reader signs in as usual.
    const page = `/settings/webhooks/endpoints/${id}`;
    expect(linkIn(failing, '/settings/webhooks')).toBe(page);
    expect(failing.raw).not.toMatch(/portal|link=/);
    const asked = await request(api().baseUrl).get(page);
    expect([asked.headers['set-cookie'], asked.text.includes(`name="next" value="${page}"`)]).toEqual([
      undefined,
      true,
    ]);
    const signedIn = await press('/settings/webhooks/sign-in', { token: account.token, next: page });
    expect([signedIn.status, signedIn.headers['location']]).toEqual([303, page]);

    const [waiting] = await eventually(
      async () => {
        const jobs = await jobsOf(account, 'delayed');
        return jobs.length === 1 && jobs;
      },
      { what: 'the wait for the next day' },
    );
    expect(waiting?.delay).toBeGreaterThan(80_000_000);
    // As after a crash between the mails and the note about them.
    await waiting?.updateData({ ...(waiting.data as object), round: 0 });
    await waiting?.promote();
    const roundOf = async () => ((await jobsOf(account, 'delayed'))[0]?.data as { round: number } | undefined)?.round;
    await eventually(async () => (await roundOf()) === 1, { what: 'the second run' });
    expect(mailsTo(email)).toHaveLength(2);
    await nextDay(account, id);
    await arrival(email, 3);

    parts.customer.setReply(() => ({ status: 200 }));
    await arrival(email, 4);
    expect(subjectsTo(email).slice(1)).toEqual([
      'Your webhook fails: Endpoint for open',
      'Your webhook fails: Endpoint for open',
      'Your webhook works again: Endpoint for open',
    ]);
    expect(new Set(mailsTo(email).map(({ messageId }) => messageId)).size).toBe(4);

    // A failure on the same day waits for the next one, and is no news if it is over by then.
    await fail(account);
    await eventually(() => parts.redis.exists(`${parts.environment['QUEUE_PREFIX'] ?? ''}:alerts:since:${id}`), {
      what: 'a failure',
    });
    parts.customer.setReply(() => ({ status: 200 }));
    await eventually(async () => (await failuresOf(account)) === 0, { what: 'the recovery' });
    await nextDay(account, id);
    await eventually(async () => (await jobsOf(account, 'delayed')).length === 0, { what: 'the end of the job' });
    expect(mailsTo(email)).toHaveLength(4);
  }, 60_000);

  const failuresOf = async (account: TestAccount): Promise<number> => {
    const found = await api().as(account.token)('get', '/v3/webhook/destinations');
    return (found.body as { items: { failures: number }[] }).items[0]?.failures ?? -1;
  };

  test('go to confirmed addresses only, in their language, until their owner unsubscribes', async () => {
    const { account, id, email } = await newAccount();
    const [stranger, polish] = [await addAddress(account), await addAddress(account, 'pl')];
    await confirm(polish);
    await fail(account);
    const failing = await arrival(email, 2);
    expect((await arrival(polish, 2)).subject).toBe('Webhook nie działa: Endpoint dla open');
    const header = (name: string): string => failing.headers.find(({ key }) => key === name)?.value ?? '';
    expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    const oneClick = new URL(header('list-unsubscribe').slice(1, -1));
    const path = `${oneClick.pathname}${oneClick.search}`;
    // A link checker changes nothing.
    expect((await request(api().baseUrl).get(path)).text).toContain('Unsubscribe');
    for (const status of [200, 200]) {
      const reply = await press(path, { 'List-Unsubscribe': 'One-Click' }).set('origin', 'https://mail.example');
      expect(reply.status).toBe(status);
    }
    const listed = await api().as(account.token)('get', '/v3/webhook/alerts');
    expect((listed.body as { email: string; confirmed: boolean }[]).map((one) => [one.email, one.confirmed])).toEqual([
      [stranger, false],
      [polish, true],
    ]);
    await nextDay(account, id);
    await arrival(polish, 3);
    expect([mailsTo(email).length, mailsTo(stranger).length]).toEqual([2, 1]);
    const audit = (await api().admin('get', `/admin/audit?account=${account.id}`)).body as {
      items: { action: string; via: string }[];
    };
    const changes = audit.items.map(({ action, via }) => `${action} (${via})`);
    expect(changes.filter((one) => one.includes('alert'))).toEqual([
      'remove alert address (e-mail link)',
      'confirm alert address (e-mail link)',
      'add alert address (API)',
      'add alert address (API)',
      'confirm alert address (e-mail link)',
      'add alert address (API)',
    ]);
    expect(JSON.stringify(audit)).not.toMatch(/[^*]@/);
  }, 60_000);

  test('reach the others if the server refuses one address, whose job is kept without it', async () => {
    const { account, email } = await newAccount();
    const refused = await addAddress(account);
    await confirm(refused);
    parts.smtp.setReply((recipient) =>
      recipient === refused ? { code: 550, text: `5.1.1 <${recipient}> does not exist` } : undefined,
    );
    await fail(account);
    await arrival(email, 2);
    const failed = await eventually(async () => (await jobsOf(account, 'failed'))[0], { what: 'the failed job' });
    expect(failed).toMatchObject({ attemptsMade: 1, failedReason: expect.stringContaining('550') as string });
    expect(JSON.stringify(failed.toJSON())).not.toContain(refused);
    expect(mailsTo(refused)).toHaveLength(1);
  }, 60_000);

  test('wait for a server that is away, also while the api is replaced, and are sent once', async () => {
    const { account, email } = await newAccount();
    const port = Number(new URL(parts.smtp.url).port);
    await parts.smtp.close();
    await fail(account);
    const failedOnce = async () =>
      (await jobsOf(account, 'delayed')).find(({ name, attemptsMade }) => name === 'mail' && attemptsMade === 1);
    await eventually(failedOnce, { withinMs: 15_000, what: 'an attempt at the mail' });
    await Promise.all(parts.apis.map((one) => one.close()));
    parts.apis = [await startApi(parts.environment), await startApi(parts.environment)];
    const before = mailsTo(email).length;
    parts.smtp = await startSmtpServer(port);
    expect(before).toBe(1);
    await (await failedOnce())?.promote();
    expect((await arrival(email, 1)).subject).toBe('Your webhook fails: Endpoint for open');
    await eventually(async () => (await jobsOf(account, 'completed')).length >= 2, { what: 'the end of both mails' });
    expect(mailsTo(email)).toHaveLength(1);
  }, 60_000);

  test('are not sent if no longer true, and none says that a webhook works again without one before', async () => {
    const { account, id, email } = await newAccount();
    parts.smtp.setReply((recipient) => (recipient === email ? { code: 421, text: 'try later' } : undefined));
    await fail(account);
    const failing = await eventually(
      async () => (await mailJobs(account, 'destination.failing', 'delayed')).find((job) => job.attemptsMade === 1),
      { withinMs: 15_000, what: 'an attempt at the mail' },
    );
    parts.customer.setReply(() => ({ status: 200 }));
    // Behind the one about the failure.
    await eventually(async () => (await mailJobs(account, 'destination.recovered', 'delayed')).length === 1, {
      withinMs: 15_000,
      what: 'the mail about the recovery',
    });
    parts.smtp.setReply(() => undefined);
    await failing.promote();
    await eventually(async () => (await mailJobs(account, 'destination.recovered', 'completed')).length === 1, {
      withinMs: 30_000,
      what: 'the end of the mail about the recovery',
    });
    expect(subjectsTo(email)).toEqual(['Confirm e-mail alerts of Acme Mail']);
    // Switched off by the receiver, and on again before the mail.
    parts.smtp.setReply((recipient) => (recipient === email ? { code: 421, text: 'try later' } : undefined));
    parts.customer.setReply(() => ({ status: 410 }));
    await api().post(anOpen({ account: account.id }));
    const gone = await eventually(
      async () => (await mailJobs(account, 'destination.deactivated', 'delayed')).find((job) => job.attemptsMade === 1),
      { withinMs: 15_000, what: 'an attempt at the mail' },
    );
    parts.customer.setReply(() => ({ status: 200 }));
    await switchOn(account, id);
    parts.smtp.setReply(() => undefined);
    await gone.promote();
    await eventually(async () => (await mailJobs(account, 'destination.deactivated', 'completed')).length === 1, {
      withinMs: 15_000,
      what: 'the end of the mail',
    });
    expect(mailsTo(email)).toHaveLength(1);
  }, 90_000);

  test('reach a reader in their order, also if the first one has to wait', async () => {
    const { account, email } = await newAccount();
    const other = await api().subscribe(account, 'click', `${parts.customer.url}/gone-${account.id}`);
    parts.smtp.setReply((recipient) => (recipient === email ? { code: 421, text: 'try later' } : undefined));
    await fail(account);
    const first = await eventually(
      async () => (await mailJobs(account, 'destination.failing', 'delayed')).find((job) => job.attemptsMade === 1),
      { withinMs: 15_000, what: 'an attempt at the mail' },
    );
    parts.customer.setReply(({ path }) => ({ status: path.startsWith('/gone') ? 410 : 500 }));
    await api().post(aClick({ account: account.id }));
    parts.smtp.setReply(() => undefined);
    const second = await eventually(async () => (await mailJobs(account, 'destination.deactivated', 'delayed'))[0], {
      withinMs: 15_000,
      what: 'the second mail, which waits',
    });
    expect((second.data as { alert: { destination: string } }).alert.destination).toBe(other);
    await first.promote();
    await arrival(email, 3);
    expect(subjectsTo(email).slice(1)).toEqual([
      'Your webhook fails: Endpoint for open',
      'Your webhook was switched off: Endpoint for click',
    ]);
  }, 90_000);

  test('say immediately that a 410 has switched a webhook off', async () => {
    const { account, email } = await newAccount();
    parts.customer.setReply(() => ({ status: 410 }));
    await api().post(anOpen({ account: account.id }));
    const { subject, text } = await arrival(email, 2);
    expect(subject).toBe('Your webhook was switched off: Endpoint for open');
    expect(text).toContain('Reason: The receiver answered HTTP 410.\n');
  }, 60_000);
});
