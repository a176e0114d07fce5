import { campaignDestinationId, EMAIL_EVENTS_QUEUE, REJECTED_EVENTS_QUEUE } from '@mailhook/core';
import { closeRedis, connectRedis } from '@mailhook/platform/redis';
import { aCampaignEvent, anOpen, eventually } from '@mailhook/testing';
import { Queue } from 'bullmq';
import type { Browser, Page, ViewportSize } from 'playwright-core';
import { newWindow } from '../../test/browser/rig/chromium.ts';
import type { Services, TestCustomer } from '../../test/browser/rig/services.ts';
import { UserError } from '../user-error.ts';

const OVERVIEW_WINDOW = { width: 1280, height: 1060 };
const BOARD_WINDOW = { width: 1440, height: 720 };

/** Gives operators something to see: a paused destination, a parked one, and an event with a producer's mistake. */
export async function burden(services: Services, { account }: TestCustomer): Promise<void> {
  await pause(services, campaignDestinationId(account));
  await services.send(Array.from({ length: 1200 }, () => aCampaignEvent({ account })));
  const parked = await services.newCustomer('Dunder Mail');
  const api = services.as(parked.token);
  // This name does not resolve.
  await api('POST', '/v3/webhook/subscriptions', {
    address: 'https://mail.dunder.example/opens',
    type: 'open',
    module: 'transactional_email',
  });
  await services.send(Array.from({ length: 40 }, () => anOpen({ account: parked.account })));
  await feed(services);
}

async function pause({ opsUrl, adminToken }: Services, destination: string): Promise<void> {
  const answer = await fetch(`${opsUrl}/admin/destinations/${destination}/pause`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ minutes: 360 }),
  });
  if (!answer.ok) throw new UserError(`The destination could not be paused: ${await answer.text()}`);
}

/** Sends an event through Redis that lacks a required field. Mailhook rejects it and shows its recipient masked. */
async function feed({ queues: { redisUrl, prefix } }: Services): Promise<void> {
  const connection = connectRedis({ url: redisUrl, role: 'worker', name: 'screenshots', onError: () => undefined });
  const queue = new Queue(EMAIL_EVENTS_QUEUE, { connection, prefix });
  const event = { account: 'nobody', module: 'campaign', event: 'open', email: 'anna.smith@example.com' };
  await queue.add('fed', { events: [event] });
  const rejected = new Queue(REJECTED_EVENTS_QUEUE, { connection, prefix });
  await eventually(async () => (await rejected.count()) > 0, { what: 'the event to be set aside', withinMs: 20_000 });
  await Promise.all([queue.close(), rejected.close()]);
  await closeRedis(connection);
}

export async function takeOperations(browser: Browser, services: Services, file: string): Promise<void> {
  await asOperator(browser, services, OVERVIEW_WINDOW, async (page) => {
    // Accepted events reach their mailbox a little later, and the attempts take a moment to fail.
    await eventually(
      async () => {
        await page.goto(`${services.opsUrl}/admin`);
        const found = await Promise.all(
          [page.getByRole('cell', { name: '1,200' }), page.locator('#receivers tbody tr')].map((one) => one.count()),
        );
        return found.every((count) => count > 0);
      },
      { what: 'a paused and a parked destination', withinMs: 30_000 },
    );
    await page.screenshot({ path: file, animations: 'disabled' });
  });
}

/** Takes a picture of Bull Board with a rejected event. */
export async function takeQueues(browser: Browser, services: Services, file: string): Promise<void> {
  await asOperator(browser, services, BOARD_WINDOW, async (page) => {
    await page.goto(`${services.opsUrl}/admin/queues/queue/${REJECTED_EVENTS_QUEUE}`);
    await page.getByText('a***@example.com').first().waitFor();
    await page.screenshot({ path: file, animations: 'disabled' });
  });
}

async function asOperator(
  browser: Browser,
  { adminToken }: Services,
  viewport: ViewportSize,
  look: (page: Page) => Promise<void>,
): Promise<void> {
  const window = await newWindow(browser, {
    viewport,
    httpCredentials: { username: 'admin', password: adminToken },
  });
  await look(await window.newPage());
  await window.close();
}
