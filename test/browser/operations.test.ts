import { aClick, anEvent, eventually } from '@mailhook/testing';
import { Installation } from '@mailhook/delivery';
import { Redis } from 'ioredis';
import { createDeadLetterCommands } from '../../packages/delivery/src/mailbox/commands/manage.ts';
import { newWindow } from './rig/chromium.ts';
import { accessibilityFaults, collectComplaints } from './rig/page.ts';
import { useScene } from './rig/suite.ts';

/** Longer than the rest of a test. */
const LONG_MS = 60_000;

interface Shown {
  readonly state: string;
  readonly parkedUntil?: string;
}

describe('operations overview in a browser', () => {
  const scene = useScene({ BREAKER_FAILURES: '1', RETRY_SCHEDULE: '1h' });

  /** Each failed probe doubles the parking time. Resolves when the destination is parked for longer than a test. */
  const parkedForLong = (id: string) =>
    eventually(
      async () => {
        const { services } = scene();
        const { state, parkedUntil } = (await services.admin('GET', `/destinations/${id}`)) as Shown;
        if (state === 'parked' && Date.parse(parkedUntil ?? '') > Date.now() + LONG_MS) return true;
        // The api refuses a probe when the parking has just ended. The next event then parks the destination again.
        await services.admin('POST', `/destinations/${id}/probe`).catch(() => undefined);
        return false;
      },
      { withinMs: 60_000, what: 'a long parking' },
    );

  test('shows stuck destinations, and its buttons probe, pause and resume them, by keyboard too', async () => {
    const { browser, services, receiver, customer } = scene();
    receiver.setReply(() => ({ status: 503, body: 'down for anna.smith@example.com' }));
    const id = await scene().subscribe('click');
    // Many events, because each probe needs one.
    await services.send(Array.from({ length: 20 }, () => aClick({ account: customer.account })));
    await receiver.waitForRequests(1);

    for (const colorScheme of ['light', 'dark'] as const) {
      const window = await newWindow(browser, {
        httpCredentials: { username: 'admin', password: services.adminToken },
        colorScheme,
      });
      const page = await window.newPage();
      page.setDefaultTimeout(20_000);
      const complaints = collectComplaints(page);
      await parkedForLong(id);
      const row = page.getByRole('row', { name: id });
      await eventually(
        async () => {
          await page.goto(`${services.opsUrl}/admin/pages/destinations?state=parked`);
          return (await row.getByText('Parked').count()) > 0;
        },
        { what: 'the parked destination' },
      );
      expect(await accessibilityFaults(page)).toEqual([]);
      await row.getByRole('link').press('Enter');
      await page.getByRole('heading', { name: 'Transactional: click' }).waitFor();
      expect(await accessibilityFaults(page)).toEqual([]);
      expect(await page.content()).not.toContain('anna.smith');
      if (colorScheme === 'dark') {
        const tries = receiver.requests.length;
        await page.getByRole('button', { name: 'Try one event now' }).click();
        await receiver.waitForRequests(tries + 1);
        await page.getByRole('status').getByText('One event was tried, and failed: the receiver answered').waitFor();
        await page.locator('#trouble-of').getByRole('link', { name: 'Runbook' }).waitFor();
      } else {
        await page.getByLabel('Pause for').selectOption('6 hours');
        await page.locator('#act').getByRole('button', { name: 'Pause' }).press('Enter');
        await page.getByText('Paused until').waitFor();
        await page.getByRole('button', { name: 'Resume' }).press('Enter');
        await page.getByRole('status').getByText('Resumed').waitFor();
      }
      expect(complaints).toEqual([]);
      await window.close();
    }
  });

  test('tries all destinations of a failing receiver with one button, and records it', async () => {
    const { browser, services, receiver, customer } = scene();
    receiver.setReply(() => ({ status: 500 }));
    const subscribe = (path: string) => scene().subscribe('bounce', `${receiver.url}/${path}`);
    const ids = [await subscribe('one'), await subscribe('two')];
    const event = () => anEvent('bounce', { account: customer.account });
    await services.send(Array.from({ length: 20 }, event));
    for (const id of ids) await parkedForLong(id);
    const httpCredentials = { username: 'admin', password: services.adminToken };
    const window = await newWindow(browser, { httpCredentials });
    const page = await window.newPage();
    const host = new URL(receiver.url).host;
    const row = page.locator('#receivers tbody tr').filter({ hasText: 'HTTP 500' });
    await eventually(
      async () => {
        await page.goto(`${services.opsUrl}/admin`);
        return (await row.getByRole('button', { name: 'Try all now' }).count()) > 0;
      },
      { what: 'the group of both destinations' },
    );
    expect(await row.getByRole('rowheader').textContent()).toContain(host);
    expect(await accessibilityFaults(page)).toEqual([]);
    receiver.setReply(() => ({ status: 200 }));
    await row.getByRole('button', { name: 'Try all now' }).press('Enter');
    await page.getByRole('status').getByText('One event is tried now at 2 destinations').waitFor();
    await eventually(() => receiver.requests.length >= 40, { what: 'the events of both' });
    const { items } = (await services.admin('GET', '/audit?limit=1')) as { items: object[] };
    expect(items[0]).toMatchObject({ action: 'probe failing receivers', object: host });
    await window.close();
  });

  test('gives up events only after the destination id is typed, and discards only after it too', async () => {
    const { browser, services, receiver, customer, api } = scene();
    receiver.setReply(() => ({ status: 503 }));
    const id = await scene().subscribe('click');
    // Many events, because the parking may end during the test. The next event then fails and parks the destination
    // again.
    await services.send(Array.from({ length: 20 }, () => aClick({ account: customer.account })));
    await receiver.waitForRequests(1);
    const window = await newWindow(browser, {
      httpCredentials: { username: 'admin', password: services.adminToken },
    });
    const page = await window.newPage();
    page.setDefaultTimeout(20_000);
    const at = `${services.opsUrl}/admin/pages/destinations/${id}`;
    await eventually(
      async () => {
        await page.goto(at);
        return (await page.locator('#state').getByText('Parked').count()) > 0;
      },
      { what: 'the parked destination' },
    );
    await page.getByText('Give up…').press('Enter');
    const confirmation = page.getByLabel(`Type ${id} to confirm`);
    await page.getByRole('button', { name: 'Copy' }).press('Enter');
    await page.getByText(/^(Copied|Press Ctrl\+C)$/).waitFor();
    await confirmation.fill('yes');
    await page.getByRole('button', { name: 'Give up waiting events' }).click();
    // The browser does not submit the form.
    expect(page.url()).toBe(at);
    await confirmation.fill(id);
    await confirmation.press('Enter');
    await page.getByRole('status').getByText('become dead letters').waitFor();
    await page.getByRole('button', { name: 'Give up waiting events' }).waitFor({ state: 'hidden' });
    const deadEvents = async () =>
      ((await api('GET', '/v3/webhook/dead-letters')) as { items: { events: number }[] }).items.reduce(
        (sum, { events }) => sum + events,
        0,
      );
    await eventually(async () => (await deadEvents()) === 20, { what: 'all of it to be dead letters' });
    const { items } = (await services.admin('GET', '/audit?limit=1')) as { items: object[] };
    const changes = [{ object: id, field: 'undelivered', before: '20', after: '0' }];
    expect(items[0]).toMatchObject({ action: 'give up waiting events', object: id, changes });
    await page.goto(`${services.opsUrl}/admin/pages/dead-letters`);
    await page.getByText('given up by an operator').first().waitFor();

    // Stops what another process of the api redrives.
    const letters = page.locator('#dead-letters > li').filter({ hasText: 'given up by an operator' });
    const redis = new Redis(services.queues.redisUrl);
    const keys = new Installation(redis, services.queues.prefix, 1).keysOf(customer.account, 'campaign');
    await createDeadLetterCommands(redis, keys).beginRedrive(customer.account, 'of another process', 20);
    redis.disconnect();
    await letters.getByText('have 20 events left').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await letters.getByRole('button', { name: 'Stop' }).press('Enter');
    await page.getByRole('status').getByText('All redrives of 1 account have stopped.').waitFor();
    await letters.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' });
    expect(await api('GET', '/v3/webhook/dead-letters')).toMatchObject({ redriven: { state: 'stopped', left: 20 } });

    // Redrives all of the group after a question with numbers, to a receiver that takes no more either.
    await letters.getByRole('button', { name: 'Redrive all' }).click();
    const dialog = page.locator('dialog:modal');
    await dialog.getByText(/with 20 events are sent again/).waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    // A question that is cancelled leaves its button as it was.
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await letters.getByRole('button', { name: /^Redrive all…[^<]*$/ }).click();
    await dialog.getByRole('button', { name: 'Redrive all' }).click();
    await page.getByRole('status').getByText('being delivered again').waitFor();
    await services.admin('POST', `/destinations/${id}/drop`, { confirm: id });
    await eventually(async () => (await deadEvents()) === 20, { what: 'dead letters again' });

    // Discards the dead letters permanently, after the destination's id is typed.
    await letters.getByText('Discard…').press('Enter');
    await dialog.getByText(/Nothing brings (it|them) back/).waitFor();
    const sure = dialog.getByLabel(`Type ${id} to confirm`);
    await sure.fill('yes');
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await dialog.getByText('Nothing is deleted').waitFor();
    expect(await accessibilityFaults(page)).toEqual([]);
    await sure.fill(id);
    await sure.press('Enter');
    await page
      .getByRole('status')
      .getByText(/\d+ dead letters? with 20 events (is|are) deleted/)
      .waitFor();
    expect(await deadEvents()).toBe(0);
    await window.close();
  });
});
