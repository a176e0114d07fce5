import { EMAIL_EVENTS_QUEUE, REJECTED_EVENTS_QUEUE } from '@mailhook/core';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import { newWindow } from './rig/chromium.ts';
import { collectComplaints } from './rig/page.ts';
import { useScene } from './rig/suite.ts';

describe('Bull Board in a browser', () => {
  const scene = useScene();

  test('asks for a password, and shows queues and jobs with masked recipients', async () => {
    const { browser, services } = scene();
    const { redisUrl, prefix } = services.queues;
    const connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
    const queue = new Queue(EMAIL_EVENTS_QUEUE, { connection, prefix });
    await queue.add('fed', { events: [{ account: 'nobody', module: 'campaign', email: 'anna.smith@example.com' }] });

    const stranger = await newWindow(browser, { httpCredentials: { username: 'admin', password: 'wrong' } });
    const refused = await (await stranger.newPage()).goto(`${services.opsUrl}/admin/queues`);
    expect(refused?.status()).toBe(401);
    await stranger.close();

    const window = await newWindow(browser, {
      httpCredentials: { username: 'admin', password: services.adminToken },
    });
    const page = await window.newPage();
    page.setDefaultTimeout(20_000);
    const complaints = collectComplaints(page);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${services.opsUrl}/admin/queues/queue/${REJECTED_EVENTS_QUEUE}`);
    await page.getByText('a***@example.com').first().waitFor();
    expect(await page.content()).not.toContain('anna.smith');
    await page.getByRole('link', { name: EMAIL_EVENTS_QUEUE, exact: false }).first().waitFor();
    await page.getByText('Needs no worker').first().waitFor();
    expect(complaints).toEqual([]);
    // Pictures in style sheets are data URLs.
    const foreign = asked.filter((url) => !url.startsWith(`${services.opsUrl}/`) && !url.startsWith('data:'));
    expect([foreign, asked.length > 5]).toEqual([[], true]);
    await window.close();
    await queue.close();
    connection.disconnect();
  });
});
