import { hostname } from 'node:os';
import { engineQueues } from '@mailhook/core';
import type { ProducerEvent } from '@mailhook/core';
import {
  aCampaignEvent,
  aClick,
  eventually,
  fillDisk,
  freeDisk,
  startReceiver,
  unlessMissing,
} from '@mailhook/testing';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import type { Browser } from 'playwright-core';
import { launchChromium } from './rig/chromium.ts';
import type { Installation } from './rig/installation.ts';
import { startInstallation } from './rig/installation.ts';
import { faultsInEveryLook } from './rig/page.ts';

/** The largest page without a script. */
const PAGE_BYTES_MAX = 100_000;

describe('the operations overview while something is wrong', () => {
  let browser: Browser;
  let installation: Installation;
  beforeAll(async () => {
    browser = await launchChromium();
  }, 60_000);
  afterAll(() => browser.close());

  const start = async (environment: Readonly<Record<string, string>> = {}, hasBatcher = true) => {
    installation = await startInstallation(browser, environment, hasBatcher);
    return installation;
  };
  const title = () => installation.page.title();
  /** The status of a producer's request, and of the api's readiness. */
  const statuses = async (event: ProducerEvent) => {
    const { services } = installation;
    const sent = await services.send([event]).then(
      () => 202,
      (error: unknown) => Number(/: (\d+) /.exec(String(error))?.[1]),
    );
    return { sent, ready: (await fetch(`${services.opsUrl}/readyz`)).status };
  };

  /** An account whose campaign webhook works. */
  const newAccount = async () => {
    const { services } = installation;
    const receiver = await startReceiver();
    const { account, token } = await services.newCustomer('Acme');
    await services.as(token)('PUT', '/v3/webhook/campaign', { address: receiver.url, active: true });
    return { account, receiver };
  };

  describe('in one installation, in this order', () => {
    beforeAll(() => start(), 60_000);
    afterAll(() => installation.close());

    test('nothing: it says so, also without JavaScript', async () => {
      const { see, page, open } = installation;
      await see('Nothing is stuck.');
      expect(await faultsInEveryLook(page)).toEqual([]);
      const plain = await open('/admin', { javaScriptEnabled: false });
      // Without the script, the page does not update itself, and a slow machine may be busy at first.
      const isFine = async () => {
        await plain.page.getByRole('link', { name: 'Refresh' }).click();
        return (await plain.page.getByText('Nothing is stuck.').count()) > 0;
      };
      await eventually(isFine, { withinMs: 20_000, everyMs: 250, what: 'the page without a script' });
      await plain.page.context().close();
    });

    test('Redis is nearly full: the intake refuses, since when and why', async () => {
      const { see, page, services } = installation;
      const { account, receiver } = await newAccount();
      const admin = new Redis(services.queues.redisUrl);
      // The memory of clients goes up and down. Beside this, it is little.
      for (let i = 0; i < 60; i += 1) await admin.set(`ballast-${i}`, 'x'.repeat(500_000));
      const used = Number(/used_memory:(\d+)/.exec(await admin.info('memory'))?.[1]);
      await admin.config('SET', 'maxmemory', String(Math.round(used * 1.03)));
      await see(/The intake has refused all events since \d.*: Redis has less than 10 % of its maxmemory left\./);
      await page.getByText('MailhookRedisFull').waitFor();
      expect(await statuses(aCampaignEvent({ account }))).toEqual({ sent: 503, ready: 200 });
      expect(await page.getByText('This api is not ready').count()).toBe(0);
      expect(await faultsInEveryLook(page)).toEqual([]);
      await page.getByRole('link', { name: 'MailhookRedisFull' }).press('Enter');
      await page.getByRole('heading', { name: 'MailhookRedisFull', exact: true }).waitFor();
      await admin.config('SET', 'maxmemory', '0');
      await see('Nothing is stuck.');
      admin.disconnect();
      await receiver.close();
    }, 60_000);

    unlessMissing(test, 'prlimit')('the disk of Redis is full: the intake refuses, since when and why', async () => {
      const { see, page, redis } = installation;
      const { account, receiver } = await newAccount();
      fillDisk(redis.pid);
      await see(/The intake has refused all events since \d.*: Redis cannot write to its disk\./);
      await page.getByText('MailhookRedisCannotWrite').waitFor();
      expect(await statuses(aCampaignEvent({ account }))).toEqual({ sent: 503, ready: 200 });
      expect(await faultsInEveryLook(page)).toEqual([]);
      freeDisk(redis.pid);
      await see('Nothing is stuck.');
      await receiver.close();
    });

    test('a job moves to the failed jobs: the headline says so until it is gone', async () => {
      const { see, page, services } = installation;
      const connection = new Redis(services.queues.redisUrl, { maxRetriesPerRequest: null });
      const queue = new Queue(engineQueues('campaign').chunks, { connection, prefix: `{${services.queues.prefix}:0}` });
      // What a worker finds after the api was upgraded first.
      await queue.add('chunk', { v: 99 });
      await see('1 job with accepted events moved to the failed jobs.');
      await page.getByRole('link', { name: 'MailhookChunksSetAside' }).waitFor();
      expect(await faultsInEveryLook(page)).toEqual([]);
      await queue.clean(0, 10, 'failed');
      await see('Nothing is stuck.');
      await queue.close();
      connection.disconnect();
    });

    test('Redis is away: the page says what the api knows, as its readiness does', async () => {
      const { redis, open, services } = installation;
      await redis.kill();
      await eventually(async () => (await fetch(`${services.opsUrl}/readyz`)).status === 503, { what: 'no readiness' });
      const { page, status } = await open();
      expect(status).toBe(503);
      await page.getByText('Redis cannot be reached at the moment.').waitFor();
      await page.getByText('This api is not ready: Redis has not answered since').first().waitFor();
      await page.getByRole('listitem').filter({ hasText: 'Intake' }).getByText('Refuses').waitFor();
      expect(await faultsInEveryLook(page)).toEqual([]);
      await page.context().close();
      await redis.restart();
    });
  });

  describe('in an installation of its own', () => {
    afterEach(() => installation.close());

    test('the only worker is killed: its host, its last heartbeat, and the events that wait for one', async () => {
      const { see, page, services, startBatcher } = await start({}, false);
      const customer = await services.newCustomer('Acme');
      await see('No campaign worker has a current heartbeat');
      const batcher = await startBatcher();
      await see('Nothing is stuck.');
      await see(`pid ${batcher.pid}`, '/admin/pages/workers');
      await batcher.kill();
      await see(`No campaign worker has a current heartbeat: the last one ran on ${hostname()} and was alive at`);
      const address = { address: 'http://127.0.0.1:9/', active: true };
      await services.as(customer.token)('PUT', '/v3/webhook/campaign', address);
      await services.send([aCampaignEvent({ account: customer.account })]);
      await see('In a chunk job');
      expect(await faultsInEveryLook(page)).toEqual([]);
    }, 60_000);

    test('one of two workers is killed: the headline warns, and the list shows that it is replaced', async () => {
      const { see, page, startBatcher } = await start();
      const batcher = await startBatcher();
      await see(`pid ${batcher.pid}`, '/admin/pages/workers');
      await batcher.kill();
      await see(new RegExp(`A campaign worker on ${hostname()} ended without a stop at `));
      expect(await title()).toContain('1 thing needs attention');
      expect(await faultsInEveryLook(page)).toEqual([]);
      await see('Replaced', '/admin/pages/workers');
      expect(await faultsInEveryLook(page)).toEqual([]);
    }, 60_000);

    test('a receiver hangs during the probe: the destination stays parked, and never is nothing stuck', async () => {
      const { see, page, services } = await start({ BREAKER_FAILURES: '1', RETRY_SCHEDULE: '1h' });
      const receiver = await startReceiver({ reply: () => ({ status: 500 }) });
      const { account, token } = await services.newCustomer('Blue Bird Travel');
      await services.as(token)('PUT', '/v3/webhook/campaign', { address: receiver.url, active: true });
      await services.send([aCampaignEvent({ account })]);
      await receiver.waitForRequests(1);
      let answer: (reply: { status: number }) => void = () => undefined;
      receiver.setReply(() => new Promise((resolve) => (answer = resolve)));
      await services.send([aCampaignEvent({ account })]);
      const row = page.getByRole('row', { name: `campaign-${account}` });
      await see('1 destination is parked with events');
      await receiver.waitForRequests(2, 15_000);
      expect(await title()).toContain('1 thing needs attention');
      expect(await faultsInEveryLook(page)).toEqual([]);
      await see('One attempt is in flight', '/admin/pages/destinations?state=attention');
      await row.getByText('Parked', { exact: true }).waitFor();
      await row.getByText('Blue Bird Travel', { exact: true }).waitFor();
      answer({ status: 500 });
      await receiver.close();
    }, 60_000);

    test('an account is over its limit: it is named, and found by name, id and address, also by keyboard', async () => {
      const { see, page, services } = await start({ WAITING_MAX_EVENTS: '10' });
      const { account, token } = await services.newCustomer('Blue Bird Travel');
      const input = { address: 'http://127.0.0.1:9/blue-hook', type: 'click', module: 'transactional_email' };
      const { id } = (await services.as(token)('POST', '/v3/webhook/subscriptions', input)) as { id: string };
      await services.admin('POST', `/destinations/${id}/pause`, { minutes: 10 });
      await services.send(Array.from({ length: 12 }, () => aClick({ account })));
      await see(`Account Blue Bird Travel (${account}) is over its limit, so its events are refused with 429.`);
      await eventually(async () => (await statuses(aClick({ account }))).sent === 429, { what: 'the refusal' });

      const find = async (text: string) => {
        // The key of the search.
        await page.keyboard.press('/');
        await page.keyboard.type(text);
        // The page before has the same heading.
        const loaded = page.waitForEvent('load');
        await page.keyboard.press('Enter');
        await loaded;
      };
      await find('blue bird');
      expect(await faultsInEveryLook(page)).toEqual([]);
      await page.getByRole('link', { name: 'Blue Bird Travel' }).press('Enter');
      await page.getByText('Over its limit').waitFor();
      await page.getByRole('link', { name: 'Limits' }).press('Enter');
      // Until the refusal, the producer sent some more.
      await page.getByText(/^[1-9]\d\d %$/).waitFor();
      expect(await faultsInEveryLook(page)).toEqual([]);
      await find('BLUE-HOOK');
      await page.getByRole('row', { name: id }).waitFor();
      // A whole id leads to its page.
      await find(account);
      await page.getByRole('heading', { name: 'Blue Bird Travel' }).waitFor();
      await find(id);
      // A button returns to the page that it is on.
      await page.getByRole('button', { name: 'Resume' }).press('Enter');
      await page.getByRole('status').getByText('Resumed').waitFor();
      await page.getByRole('heading', { name: 'Transactional: click' }).waitFor();
    });

    test('many destinations are parked: the page stays small, and leads to all of them', async () => {
      const { see, page, services } = await start({ BREAKER_FAILURES: '1', RETRY_SCHEDULE: '1h' });
      const long = 'x'.repeat(1500);
      const input = { address: `http://127.0.0.1:9/${long}`, type: 'click', module: 'transactional_email' };
      for (const name of ['One', 'Two']) {
        const { account, token } = await services.newCustomer(name);
        for (let i = 0; i < 20; i += 1) await services.as(token)('POST', '/v3/webhook/subscriptions', input);
        await services.send([aClick({ account })]);
      }
      await see('40 destinations are parked with events');
      expect((await page.content()).length).toBeLessThan(PAGE_BYTES_MAX);
      expect(await faultsInEveryLook(page)).toEqual([]);
      await page.getByRole('link', { name: 'All of them' }).press('Enter');
      await page.getByRole('heading', { name: 'Destinations' }).waitFor();
      expect(await page.locator('td').getByText('Parked', { exact: true }).count()).toBe(40);
      expect((await page.content()).length).toBeLessThan(PAGE_BYTES_MAX);
      expect(await faultsInEveryLook(page)).toEqual([]);
    }, 60_000);
  });
});
