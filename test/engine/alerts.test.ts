import { PassThrough } from 'node:stream';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import request from 'supertest';
import { ALERTS_QUEUE } from '@mailhook/core';
import { createLogger } from '@mailhook/platform/logger';
import type { Closeable } from '@mailhook/platform/lifecycle';
import {
  aClick,
  anOpen,
  eventually,
  startReceiver,
  startSmtpServer,
  testRedisUrl,
  uniqueName,
} from '@mailhook/testing';
import type { FakeReceiver, FakeSmtpServer, ReceivedMail } from '@mailhook/testing';
import { startApi } from '../../services/api/src/api-rig.suite.ts';
import type { ApiRig, TestAccount } from '../../services/api/src/api-rig.suite.ts';
import { compose as composeNotifier } from '../../services/transactional-notifier/src/compose.ts';
import { loadConfig as loadNotifierConfig } from '../../services/transactional-notifier/src/config.ts';

/** Two replicas of the api and a worker, as their services run them, with a customer's receiver and an SMTP server. */
describe('e-mail alerts', () => {
  let environment: Record<string, string>;
  let apis: ApiRig[];
  let api: ApiRig;
  let worker: Closeable;
  let customer: FakeReceiver;
  let smtp: FakeSmtpServer;
  let redis: Redis;
  let queue: Queue;

  beforeAll(async () => {
    [customer, smtp] = await Promise.all([startReceiver(), startSmtpServer()]);
    const redisUrl = await testRedisUrl();
    redis = new Redis(redisUrl, { maxRetriesPerRequest: null });
    const prefix = uniqueName('alerts');
    environment = {
      HOST: '127.0.0.1',
      OPS_PORT: '0',
      ALLOW_PRIVATE_DESTINATIONS: 'true',
      REDIS_URL: redisUrl,
      QUEUE_PREFIX: prefix,
      BREAKER_FAILURES: '2',
      BREAKER_PARK_MAX: '200ms',
      TRANSACTIONAL_RETRY_SCHEDULE: Array.from({ length: 1000 }, () => '100ms').join(','),
      OPERATIONS_WEBHOOK_DEBOUNCE: '200ms',
      SMTP_URL: smtp.url,
      SMTP_FROM: 'Hooks <alerts@mailhook.example>',
      PUBLIC_URL: 'http://127.0.0.1:3000',
      BRAND_NAME: 'Acme Mail',
    };
    const stream = new PassThrough().resume();
    const logger = createLogger({ level: 'warn', service: 'worker', pretty: false, stream });
    worker = await composeNotifier(loadNotifierConfig(environment), logger);
    apis = [await startApi(environment), await startApi(environment)];
    api = apis[0] as ApiRig;
    queue = new Queue(ALERTS_QUEUE, { connection: redis, prefix });
  }, 60_000);
  beforeEach(() => {
    customer.setReply(() => ({ status: 500 }));
    smtp.setReply(() => undefined);
  });
  afterAll(async () => {
    await queue.close();
    await Promise.all([worker, ...apis].map((part) => part.close()));
    await Promise.all([customer.close(), smtp.close()]);
    redis.disconnect();
  });

  const mailsTo = (email: string): ReceivedMail[] => smtp.mails.filter(({ recipient }) => recipient === email);
  const subjectsTo = (email: string): (string | undefined)[] => mailsTo(email).map(({ subject }) => subject);
  const arrival = (email: string, count: number) =>
    eventually(() => mailsTo(email).length >= count && mailsTo(email)[count - 1], {
      withinMs: 15_000,
      what: `mail ${count} to ${email}`,
    });
  /** The path with query of a link in the mail. */
  const linkIn = ({ text = '' }: ReceivedMail, part: string): string => {
    const url = (text.match(/http:\S+/g) ?? []).find((one) => one.includes(part));
    return url === undefined ? '' : url.slice(new URL(url).origin.length);
  };
  const press = (path: string, form: Record<string, string>) =>
    request(api.baseUrl).post(path).type('form').send(form).redirects(0);
  const addAddress = async (account: TestAccount, language = 'en'): Promise<string> => {
    const email = `${uniqueName('ops')}@customer.example`;
    const added = await api.as(account.token)('post', '/v3/webhook/alerts', { email, language });
    expect(added).toMatchObject({ status: 201, body: { email, confirmed: false } });
    return email;
  };
  const confirm = async (email: string, mail = 1): Promise<void> => {
    const path = linkIn(await arrival(email, mail), '/settings/alerts');
    expect((await press(path, { do: 'confirm' })).text).toMatch(/Confirmed|Potwierdzono/);
  };
  const newAccount = async (name?: string) => {
    const account = await api.newAccount(name);
    const id = await api.subscribe(account, 'open', `${customer.url}/${account.id}?key=secret`);
    const email = await addAddress(account);
    await confirm(email);
    return { account, id, email };
  };
  const fail = async ({ id }: TestAccount): Promise<void> => {
    customer.setReply(({ path }) => ({ status: path.startsWith(`/${id}`) ? 500 : 200 }));
    await api.post([anOpen({ account: id }), anOpen({ account: id })]);
  };
  const jobsOf = async (account: TestAccount, state: 'delayed' | 'failed' | 'completed') =>
    (await queue.getJobs([state])).filter(({ data }) => (data as { account: string }).account === account.id);
  /** Lets the day after a mail about the destination be over. */
  const nextDay = async (account: TestAccount, id: string): Promise<void> => {
    await redis.del(`${environment['QUEUE_PREFIX'] ?? ''}:alerts:day:${id}`);
    const job = await eventually(async () => (await jobsOf(account, 'delayed'))[0], { what: 'the job of the failure' });
    await job.promote();
  };

  test('say once a day that a webhook fails, once that it works again, and link to its page', async () => {
    const { account, id, email } = await newAccount('Acme\r\nBcc: victim@example.com');
    await fail(account);
    const failing = await arrival(email, 2);
    expect(failing.subject).toBe('Your webhook fails: Subscription (open)');
    expect(failing.from).toMatchObject({ name: 'Hooks', address: 'alerts@mailhook.example' });
    expect(failing.text).toContain(`Address: ${customer.url}\n`);
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
    const asked = await request(api.baseUrl).get(page);
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

    customer.setReply(() => ({ status: 200 }));
    await arrival(email, 4);
    expect(subjectsTo(email).slice(1)).toEqual([
      'Your webhook fails: Subscription (open)',
      'Your webhook fails: Subscription (open)',
      'Your webhook works again: Subscription (open)',
    ]);
    expect(new Set(mailsTo(email).map(({ messageId }) => messageId)).size).toBe(4);

    // A failure on the same day waits for the next one, and is no news if it is over by then.
    await fail(account);
    await eventually(() => redis.exists(`${environment['QUEUE_PREFIX'] ?? ''}:alerts:since:${id}`), {
      what: 'a failure',
    });
    customer.setReply(() => ({ status: 200 }));
    await eventually(async () => (await failuresOf(account)) === 0, { what: 'the recovery' });
    await nextDay(account, id);
    await eventually(async () => (await jobsOf(account, 'delayed')).length === 0, { what: 'the end of the job' });
    expect(mailsTo(email)).toHaveLength(4);
  }, 60_000);

  const failuresOf = async (account: TestAccount): Promise<number> => {
    const found = await api.as(account.token)('get', '/v3/webhook/destinations');
    return (found.body as { items: { failures: number }[] }).items[0]?.failures ?? -1;
  };

  test('go to confirmed addresses only, in their language, until their owner unsubscribes', async () => {
    const { account, id, email } = await newAccount();
    const [stranger, polish] = [await addAddress(account), await addAddress(account, 'pl')];
    await confirm(polish);
    await fail(account);
    const failing = await arrival(email, 2);
    expect((await arrival(polish, 2)).subject).toBe('Webhook nie działa: Subskrypcja (open)');
    const header = (name: string): string => failing.headers.find(({ key }) => key === name)?.value ?? '';
    expect(header('list-unsubscribe-post')).toBe('List-Unsubscribe=One-Click');
    const oneClick = new URL(header('list-unsubscribe').slice(1, -1));
    const path = `${oneClick.pathname}${oneClick.search}`;
    // A link checker changes nothing.
    expect((await request(api.baseUrl).get(path)).text).toContain('Unsubscribe');
    for (const status of [200, 200]) {
      const reply = await press(path, { 'List-Unsubscribe': 'One-Click' }).set('origin', 'https://mail.example');
      expect(reply.status).toBe(status);
    }
    const listed = await api.as(account.token)('get', '/v3/webhook/alerts');
    expect((listed.body as { email: string; confirmed: boolean }[]).map((one) => [one.email, one.confirmed])).toEqual([
      [stranger, false],
      [polish, true],
    ]);
    await nextDay(account, id);
    await arrival(polish, 3);
    expect([mailsTo(email).length, mailsTo(stranger).length]).toEqual([2, 1]);
    const audit = (await api.admin('get', `/admin/audit?account=${account.id}`)).body as {
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
    expect(JSON.stringify(audit)).not.toContain('customer.example');
  }, 60_000);

  test('reach the others if the server refuses one address, whose job is kept without it', async () => {
    const { account, email } = await newAccount();
    const refused = await addAddress(account);
    await confirm(refused);
    smtp.setReply((recipient) =>
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
    const port = Number(new URL(smtp.url).port);
    await smtp.close();
    await fail(account);
    const failedOnce = async () =>
      (await jobsOf(account, 'delayed')).find(({ name, attemptsMade }) => name === 'mail' && attemptsMade === 1);
    await eventually(failedOnce, { withinMs: 15_000, what: 'an attempt at the mail' });
    await Promise.all(apis.map((one) => one.close()));
    apis = [await startApi(environment), await startApi(environment)];
    api = apis[0] as ApiRig;
    const before = mailsTo(email).length;
    smtp = await startSmtpServer(port);
    expect(before).toBe(1);
    await (await failedOnce())?.promote();
    expect((await arrival(email, 1)).subject).toBe('Your webhook fails: Subscription (open)');
    await eventually(async () => (await jobsOf(account, 'completed')).length >= 2, { what: 'the end of both mails' });
    expect(mailsTo(email)).toHaveLength(1);
  }, 60_000);

  const mailJobs = async (account: TestAccount, type: string, state: 'delayed' | 'completed') =>
    (await jobsOf(account, state)).filter(
      ({ name, data }) => name === 'mail' && (data as { alert?: { type: string } }).alert?.type === type,
    );

  test('are not sent if they are no longer true, and none says that a webhook works again without one before', async () => {
    const { account, id, email } = await newAccount();
    smtp.setReply((recipient) => (recipient === email ? { code: 421, text: 'try later' } : undefined));
    await fail(account);
    const failing = await eventually(
      async () => (await mailJobs(account, 'destination.failing', 'delayed')).find((job) => job.attemptsMade === 1),
      { withinMs: 15_000, what: 'an attempt at the mail' },
    );
    customer.setReply(() => ({ status: 200 }));
    // Behind the one about the failure.
    await eventually(async () => (await mailJobs(account, 'destination.recovered', 'delayed')).length === 1, {
      withinMs: 15_000,
      what: 'the mail about the recovery',
    });
    smtp.setReply(() => undefined);
    await failing.promote();
    await eventually(async () => (await mailJobs(account, 'destination.recovered', 'completed')).length === 1, {
      withinMs: 30_000,
      what: 'the end of the mail about the recovery',
    });
    expect(subjectsTo(email)).toEqual(['Confirm e-mail alerts of Acme Mail']);
    // Switched off by the receiver, and on again before the mail.
    smtp.setReply((recipient) => (recipient === email ? { code: 421, text: 'try later' } : undefined));
    customer.setReply(() => ({ status: 410 }));
    await api.post(anOpen({ account: account.id }));
    const gone = await eventually(
      async () => (await mailJobs(account, 'destination.deactivated', 'delayed')).find((job) => job.attemptsMade === 1),
      { withinMs: 15_000, what: 'an attempt at the mail' },
    );
    customer.setReply(() => ({ status: 200 }));
    await switchOn(account, id);
    smtp.setReply(() => undefined);
    await gone.promote();
    await eventually(async () => (await mailJobs(account, 'destination.deactivated', 'completed')).length === 1, {
      withinMs: 15_000,
      what: 'the end of the mail',
    });
    expect(mailsTo(email)).toHaveLength(1);
  }, 90_000);

  test('reach a reader in their order, also if the first one has to wait', async () => {
    const { account, email } = await newAccount();
    const other = await api.subscribe(account, 'click', `${customer.url}/gone-${account.id}`);
    smtp.setReply((recipient) => (recipient === email ? { code: 421, text: 'try later' } : undefined));
    await fail(account);
    const first = await eventually(
      async () => (await mailJobs(account, 'destination.failing', 'delayed')).find((job) => job.attemptsMade === 1),
      { withinMs: 15_000, what: 'an attempt at the mail' },
    );
    customer.setReply(({ path }) => ({ status: path.startsWith('/gone') ? 410 : 500 }));
    await api.post(aClick({ account: account.id }));
    smtp.setReply(() => undefined);
    const second = await eventually(async () => (await mailJobs(account, 'destination.deactivated', 'delayed'))[0], {
      withinMs: 15_000,
      what: 'the second mail, which waits',
    });
    expect((second.data as { alert: { destination: string } }).alert.destination).toBe(other);
    await first.promote();
    await arrival(email, 3);
    expect(subjectsTo(email).slice(1)).toEqual([
      'Your webhook fails: Subscription (open)',
      'Your webhook was switched off: Subscription (click)',
    ]);
  }, 90_000);

  const switchOn = async ({ token }: TestAccount, id: string): Promise<void> => {
    const path = `/v3/webhook/subscriptions/${id}`;
    const edited = await api.as(token)('put', path, { module: 'transactional_email', active: true });
    expect(edited.status).toBe(200);
  };

  test('are at most 20 per mailbox and day, from all accounts, and then one that says so', async () => {
    const name = uniqueName('ops');
    const [mine, theirs] = [await api.newAccount(), await api.newAccount()];
    const addresses = [`${name}+mine@customer.example`, `${name.toUpperCase()}@customer.example`] as const;
    for (const [account, email] of [
      [mine, addresses[0]],
      [theirs, addresses[1]],
    ] as const) {
      await api.as(account.token)('post', '/v3/webhook/alerts', { email });
      await confirm(email);
    }
    const subscribe = (account: TestAccount, count: number): Promise<string[]> =>
      Promise.all(
        Array.from({ length: count }, (_, i) => api.subscribe(account, 'open', `${customer.url}/${account.id}/${i}`)),
      );
    const ids = [...(await subscribe(mine, 10)), ...(await subscribe(theirs, 4))];
    customer.setReply(() => ({ status: 410 }));
    const doneOf = (account: TestAccount) => mailJobs(account, 'destination.deactivated', 'completed');
    const round = async (account: TestAccount, sum: number): Promise<void> => {
      await api.post(anOpen({ account: account.id }));
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

  test('say immediately that a 410 has switched a webhook off', async () => {
    const { account, email } = await newAccount();
    customer.setReply(() => ({ status: 410 }));
    await api.post(anOpen({ account: account.id }));
    const { subject, text } = await arrival(email, 2);
    expect(subject).toBe('Your webhook was switched off: Subscription (open)');
    expect(text).toContain('Reason: The receiver answered HTTP 410.\n');
  }, 60_000);

  test('ask an address for its confirmation three times a day at most, and an account has it once', async () => {
    const account = await api.newAccount();
    const call = api.as(account.token);
    const email = `${uniqueName('ops')}@customer.example`;
    const add = (address = email) => call('post', '/v3/webhook/alerts', { email: address });
    const { id } = (await add()).body as { id: string };
    expect(await add(email.toUpperCase())).toMatchObject({
      status: 409,
      body: { detail: 'the account has this e-mail address already.' },
    });
    expect((await call('delete', `/v3/webhook/alerts/${id}`)).status).toBe(200);
    expect((await call('delete', `/v3/webhook/alerts/${id}`)).status).toBe(404);
    const again = (await add()).body as { id: string };
    expect((await call('delete', `/v3/webhook/alerts/${again.id}`)).status).toBe(200);
    expect((await add()).status).toBe(201);
    const other = api.as((await api.newAccount()).token);
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
      const more = api.as((await api.newAccount()).token);
      expect((await more('post', '/v3/webhook/alerts', { email: plus })).status).toBe(201);
    }
    expect(await add('ops')).toMatchObject({ status: 422, body: { errors: [{ path: 'email' }] } });
  }, 60_000);

  test('never ask an address again whose owner has said so', async () => {
    const account = await api.newAccount();
    const email = await addAddress(account);
    const path = linkIn(await arrival(email, 1), 'never');
    // A link checker changes nothing.
    expect((await request(api.baseUrl).get(path)).text).toContain('Never ask this address again</button>');
    expect((await api.as(account.token)('get', '/v3/webhook/alerts')).body).toHaveLength(1);
    expect((await press(path, { do: 'never' })).text).toContain('Nobody can add');
    expect((await api.as(account.token)('get', '/v3/webhook/alerts')).body).toEqual([]);
    const other = api.as((await api.newAccount()).token);
    for (const again of [email, email.toUpperCase(), email.replace('@', '+again@')])
      expect(await other('post', '/v3/webhook/alerts', { email: again })).toMatchObject({
        status: 409,
        body: { detail: 'The owner of this e-mail address wants no such e-mails.' },
      });
    expect(mailsTo(email)).toHaveLength(1);
  }, 60_000);

  test('have addresses in ASCII, also of international domains', async () => {
    const account = await api.newAccount();
    const added = await api.as(account.token)('post', '/v3/webhook/alerts', { email: 'ops@Müller.example' });
    expect(added).toMatchObject({ status: 201, body: { email: 'ops@xn--mller-kva.example' } });
    // The server of the test decodes it.
    expect((await arrival('ops@müller.example', 1)).raw).toContain('To: ops@xn--mller-kva.example');
  });

  test('are not offered without an SMTP server', async () => {
    const { SMTP_URL: _url, SMTP_FROM: _from, ...others } = environment;
    const without = await startApi({ ...others, QUEUE_PREFIX: uniqueName('alerts') });
    try {
      const account = await without.newAccount();
      const refusal = await without.as(account.token)('get', '/v3/webhook/alerts');
      expect(refusal).toMatchObject({ status: 409, body: { detail: expect.stringContaining('SMTP_URL') as string } });
      expect((await request(without.baseUrl).get('/settings/alerts?account=a&token=b')).status).toBe(404);
    } finally {
      await without.close();
    }
  }, 60_000);
});
