import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { aCampaignEvent, anEvent, eventually, goodReply, uniqueName } from '@mailhook/testing';
import { accessibilityFaults } from './rig/page.ts';
import { useScene } from './rig/suite.ts';

const FOLDER = path.join(tmpdir(), uniqueName('mailhook-log'));
/** More than one request carries while the receiver hangs. */
const EVENTS = 30;

describe('the event log in a browser', () => {
  const scene = useScene({ EVENT_LOG: FOLDER, DELIVERY_TIMEOUT_MS: '30000' });
  afterAll(() => rm(FOLDER, { recursive: true, force: true }));

  /** An endpoint, and bounces that it got, each third one tagged. Resolves with its id when the log has them. */
  async function delivered(): Promise<string> {
    const { api, customer, services } = scene();
    const id = await scene().subscribe('bounce');
    const tagsOf = (n: number): string[] => (n % 3 === 0 ? ['receipt'] : []);
    await services.send(
      Array.from({ length: EVENTS }, (_, n) => anEvent('bounce', { account: customer.account, tags: tagsOf(n) })),
    );
    const search = { destination: id, outcome: 'delivered', limit: 100 };
    await eventually(
      async () =>
        ((await api('POST', '/v3/webhook/log/search', search)) as { items: unknown[] }).items.length === EVENTS,
      { what: 'all events in the log' },
    );
    return id;
  }

  test('a filter says what it would have let through, while it is typed', async () => {
    const id = await delivered();
    const { go, page } = scene();
    await go(`/endpoints/${id}?tab=settings`);
    const trial = page.locator('[id$="-trial"]');
    await page.getByText('By tag, domain').click();
    await page.getByLabel('Tags').fill('receipt');
    await page.getByLabel('Domains of recipients').focus();
    await trial.getByText(`Of the last ${EVENTS} events of its types, 10 would have passed.`).waitFor();
    await page.locator('[id$="-would-get"]').getByText('tagged receipt').waitFor();
    // Nothing else is renewed, and nothing is saved.
    expect(await page.locator('[data-outcome]').innerText()).toBe('');
    expect(await page.getByLabel('Tags').inputValue()).toBe('receipt');
    await page.getByLabel('Tags').fill('invoice');
    await page.getByLabel('Domains of recipients').focus();
    await trial.getByText('0 would have passed.').waitFor();
    await page.getByLabel('Tags').fill('');
    await page.getByLabel('Domains of recipients').focus();
    await eventually(async () => (await trial.innerText()) === '', { what: 'no number without a filter' });
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('a replay counts first, shows its progress after a reload too, and can be stopped', async () => {
    const id = await delivered();
    const { go, page, press, receiver, see, status } = scene();
    await go(`/endpoints/${id}?tab=replay`);
    await see('None in the last 7 days.');
    await press('Count first');
    await see(`${EVENTS} events from`);
    receiver.setReply(() => ({ hang: 'reply' }));
    const before = receiver.requests.length;
    await press('Send them again');
    await status('Started.');
    const replay = page.locator('#replays .notice');
    await replay.getByText(`${EVENTS} events found`).waitFor();
    await eventually(() => receiver.requests.length > before, { what: 'requests of the replay' });
    await page.reload();
    await replay.getByText(`${EVENTS} events found`).waitFor();
    expect(await replay.getByRole('progressbar').isVisible()).toBe(true);
    expect(await accessibilityFaults(page)).toEqual([]);
    await replay.getByRole('button', { name: 'Stop' }).click();
    await status('Stopped.');
    receiver.setReply(goodReply);
    await page.reload();
    await replay.getByText('Stopped', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
  });

  test('the events of a delivered request are sent again', async () => {
    const { api, customer, go, page, press, receiver, services, status } = scene();
    await api('PUT', '/v3/webhook/campaign', { address: `${receiver.url}/batches`, active: true });
    await services.send(Array.from({ length: EVENTS }, () => aCampaignEvent({ account: customer.account })));
    const search = { destination: 'campaign', outcome: 'delivered', limit: 100 };
    await eventually(
      async () =>
        ((await api('POST', '/v3/webhook/log/search', search)) as { items: unknown[] }).items.length === EVENTS,
      { what: 'all events in the log' },
    );
    const batches = () => receiver.requests.filter(({ path: at }) => at === '/batches').map(({ json }) => json);
    const sizeOf = (batch: unknown): number => (batch as unknown[]).length;
    const before = batches();
    await go('/deliveries?destination=campaign&status=delivered');
    // The newest one, which is the first of the list.
    await page.locator('#log-rows > [role=row] a').first().click();
    await page.locator('#attempt').waitFor();
    const events = sizeOf(before.at(-1));
    await press('Send again');
    await status(`Mailhook sends the ${events > 1 ? `${events} events` : 'event'} again now.`);
    await eventually(() => batches().length > before.length, { what: 'the request' });
    const namesOf = (batch: unknown) => (batch as { hash: string }[]).map(({ hash }) => hash).sort();
    expect(namesOf(batches().slice(before.length).flat())).toEqual(namesOf(before.at(-1)));
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('an event is opened beside the list, and sent again', async () => {
    const id = await delivered();
    const { api, go, page, press, receiver, status } = scene();
    await go('/events');
    expect(await page.locator('#accepted tbody tr').count()).toBe(25);
    await page.locator('#accepted tbody a').first().click();
    await page.getByRole('heading', { name: 'What happened to it' }).waitFor();
    expect(page.url()).toContain('entry=');
    const before = receiver.requests.length;
    await press('Send again');
    await status('Mailhook sends the event again now.');
    await eventually(() => receiver.requests.length > before, { what: 'the request' });
    const { items } = (await api('GET', `/v3/webhook/destinations/${id}/replays`)) as { items: unknown[] };
    expect(items).toHaveLength(1);
    expect(await accessibilityFaults(page)).toEqual([]);
  });

  test('an event that a search has found is opened beside the results, and no address has the text', async () => {
    const [email, account] = ['found@example.com', scene().customer.account];
    await scene().subscribe('bounce');
    await scene().subscribe('bounce', `${scene().receiver.url}/second`);
    const events = [email, email, 'other@example.com'].map((one) => anEvent('bounce', { account, email: one }));
    await scene().services.send(events);
    const { api, go, page, press, status } = scene();
    const delivered = async () => {
      const { items } = (await api('POST', '/v3/webhook/log/search', { outcome: 'delivered' })) as { items: unknown[] };
      return items.length === 3;
    };
    await eventually(delivered, { what: 'all events in the log' });
    await go('/events');
    await page.locator('#find-event').fill(email);
    await press('Find');
    const rows = page.locator('#accepted tbody tr');
    await rows.nth(1).getByText('Delivered 2').waitFor();
    await rows.locator('a').nth(1).click();
    await page.getByRole('heading', { name: 'What happened to it' }).waitFor();
    const expectResults = async () => {
      expect([await rows.count(), await page.locator('#find-event').inputValue()]).toEqual([2, email]);
      expect(new URL(page.url()).search).toBe('');
    };
    await expectResults();
    await press('Send again');
    await status('Mailhook sends the event again now.');
    await expectResults();
    await page.locator('#opened .close').click();
    await page.locator('#opened').waitFor({ state: 'detached' });
    await expectResults();
  });
});
