import { PassThrough } from 'node:stream';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import request from 'supertest';
import { ALERTS_QUEUE } from '@mailhook/core';
import { createLogger } from '@mailhook/platform/logger';
import type { Closeable } from '@mailhook/platform/lifecycle';
import { anOpen, eventually, startReceiver, startSmtpServer, testRedisUrl, uniqueName } from '@mailhook/testing';
import type { FakeReceiver, FakeSmtpServer, ReceivedMail } from '@mailhook/testing';
import { startApi } from '../../services/api/src/api-rig.suite.ts';
import type { ApiRig, TestAccount } from '../../services/api/src/api-rig.suite.ts';
import { compose as composeNotifier } from '../../services/transactional-notifier/src/compose.ts';
import { loadConfig as loadNotifierConfig } from '../../services/transactional-notifier/src/config.ts';

interface Parts {
  environment: Record<string, string>;
  apis: ApiRig[];
  worker: Closeable;
  customer: FakeReceiver;
  smtp: FakeSmtpServer;
  redis: Redis;
  queue: Queue;
}

/**
 * Two replicas of the api and a worker, as their services run them, with a customer's receiver and an SMTP server, for
 * the calling `describe` block.
 */
export function alertsRig(more: Readonly<Record<string, string>> = {}) {
  const parts = {} as Parts;
  const api = (): ApiRig => parts.apis[0] as ApiRig;

  beforeAll(async () => {
    const [customer, smtp] = await Promise.all([startReceiver(), startSmtpServer()]);
    const redisUrl = await testRedisUrl();
    const redis = new Redis(redisUrl, { maxRetriesPerRequest: null });
    const prefix = uniqueName('alerts');
    const environment = {
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
      ...more,
    };
    const stream = new PassThrough().resume();
    const logger = createLogger({ level: 'warn', service: 'worker', pretty: false, stream });
    const worker = await composeNotifier(loadNotifierConfig(environment), logger);
    const apis = [await startApi(environment), await startApi(environment)];
    const queue = new Queue(ALERTS_QUEUE, { connection: redis, prefix });
    Object.assign(parts, { environment, apis, worker, customer, smtp, redis, queue } satisfies Parts);
  }, 60_000);
  beforeEach(() => {
    parts.customer.setReply(() => ({ status: 500 }));
    parts.smtp.setReply(() => undefined);
  });
  afterAll(async () => {
    await parts.queue.close();
    await Promise.all([parts.worker, ...parts.apis].map((part) => part.close()));
    await Promise.all([parts.customer.close(), parts.smtp.close()]);
    parts.redis.disconnect();
  });

  const mailsTo = (email: string): ReceivedMail[] => parts.smtp.mails.filter(({ recipient }) => recipient === email);
  const subjectsTo = (email: string): (string | undefined)[] => mailsTo(email).map(({ subject }) => subject);
  const arrival = (email: string, count: number) =>
    eventually(() => mailsTo(email).length >= count && mailsTo(email)[count - 1], {
      withinMs: 30_000,
      what: `mail ${count} to ${email}`,
    });
  /** The path with query of a link in the mail. */
  const linkIn = ({ text = '' }: ReceivedMail, part: string): string => {
    const url = (text.match(/http:\S+/g) ?? []).find((one) => one.includes(part));
    return url === undefined ? '' : url.slice(new URL(url).origin.length);
  };
  const press = (path: string, form: Record<string, string>) =>
    request(api().baseUrl).post(path).type('form').send(form).redirects(0);
  const addAddress = async (account: TestAccount, language = 'en'): Promise<string> => {
    const email = `${uniqueName('ops')}@customer.example`;
    const added = await api().as(account.token)('post', '/v3/webhook/alerts', { email, language });
    expect(added).toMatchObject({ status: 201, body: { email, confirmed: false } });
    return email;
  };
  const confirm = async (email: string, mail = 1): Promise<void> => {
    const path = linkIn(await arrival(email, mail), '/settings/alerts');
    expect((await press(path, { do: 'confirm' })).text).toMatch(/Confirmed|Potwierdzono/);
  };
  const newAccount = async (name?: string) => {
    const account = await api().newAccount(name);
    const id = await api().subscribe(account, 'open', `${parts.customer.url}/${account.id}?key=secret`);
    const email = await addAddress(account);
    await confirm(email);
    return { account, id, email };
  };
  const fail = async ({ id }: TestAccount): Promise<void> => {
    parts.customer.setReply(({ path }) => ({ status: path.startsWith(`/${id}`) ? 500 : 200 }));
    await api().post([anOpen({ account: id }), anOpen({ account: id })]);
  };
  const jobsOf = async (account: TestAccount, state: 'delayed' | 'failed' | 'completed') =>
    (await parts.queue.getJobs([state])).filter(({ data }) => (data as { account: string }).account === account.id);
  /** Lets the day after a mail about the destination be over. */
  const nextDay = async (account: TestAccount, id: string): Promise<void> => {
    await parts.redis.del(`${parts.environment['QUEUE_PREFIX'] ?? ''}:alerts:day:${id}`);
    const job = await eventually(async () => (await jobsOf(account, 'delayed'))[0], { what: 'the job of the failure' });
    await job.promote();
  };

  const mailJobs = async (account: TestAccount, type: string, state: 'delayed' | 'completed') =>
    (await jobsOf(account, state)).filter(
      ({ name, data }) => name === 'mail' && (data as { alert?: { type: string } }).alert?.type === type,
    );

  const switchOn = async ({ token }: TestAccount, id: string): Promise<void> => {
    const path = `/v3/webhook/subscriptions/${id}`;
    const edited = await api().as(token)('put', path, { module: 'transactional_email', active: true });
    expect(edited.status).toBe(200);
  };
  return {
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
  };
}
