import type { DestinationStatus, EventTraces } from '@mailhook/core';
import { acknowledge, aCampaignEvent, aClick, eventually, goodReply } from '@mailhook/testing';
import type { ReceivedRequest } from '@mailhook/testing';
import { useScene } from './rig/suite.ts';

/** Acknowledges every second event of a batch. */
const halfOf = ({ json }: ReceivedRequest) => acknowledge(json, (_event, index) => index % 2 === 0);

const events = (account: string, count: number) =>
  Array.from({ length: count }, (_, i) =>
    aCampaignEvent({ account, email: `half-${i}@example.com`, hash: `hash-of-half-${i}` }),
  );

describe('a receiver that confirms half of its events', () => {
  const scene = useScene({ RETRY_SCHEDULE: '1h', RETRY_JITTER: '0' });

  test('is degraded on the page, in the API and for operators, with the share that it confirms', async () => {
    const { api, customer, go, page, receiver, services, see } = scene();
    const { account } = customer;
    const find = () => page.getByRole('button', { name: 'Find', exact: true }).click();
    await api('PUT', '/v3/webhook/campaign', { address: receiver.url, active: true });
    receiver.setReply(halfOf);
    await go('');
    await services.send(events(account, 4));
    const status = async () =>
      ((await api('GET', '/v3/webhook/destinations')) as { items: DestinationStatus[] }).items[0];
    await eventually(async () => (await status())?.state === 'degraded', {
      what: 'the state of the API',
      withinMs: 15_000,
    });
    expect(await status()).toMatchObject({ lastHour: { confirmed: 2, unconfirmed: 2 }, failures: 0 });
    await page.locator('#attention').getByText('Your server confirms 50 % of events.').waitFor();
    await page.locator('#state-campaign').getByText('Degraded', { exact: true }).waitFor();
    await page.locator('#attention').getByRole('link', { name: 'Campaign webhook' }).click();
    await page
      .locator('#why-campaign .notice.warn')
      .getByText('Your server confirms 50 % of events: in the last hour, it confirmed 2 and left out 2.')
      .waitFor();
    const view = (await services.admin('GET', `/destinations/campaign-${account}`)) as DestinationStatus;
    expect(view).toMatchObject({ health: 'degraded', lastHour: { confirmed: 2, unconfirmed: 2 } });
    const operator = await page
      .context()
      .browser()
      ?.newContext({
        httpCredentials: { username: 'admin', password: services.adminToken },
      });
    const overview = await operator?.newPage();
    await overview?.goto(`${services.opsUrl}/admin/pages/accounts/${account}?tab=destinations`);
    await overview?.locator('.badge.warn').getByText('Degraded').waitFor();
    await overview?.locator('.why').getByText('Confirms 50 % of events').waitFor();
    await operator?.close();

    // An event that was confirmed in such a batch is delivered.
    // The attempt is logged in another step than the counts of the hour.
    const found = await eventually(
      async () => {
        const traces = (await api('GET', '/v3/webhook/events?hash=hash-of-half-0')) as EventTraces;
        return traces.attempts.length === 1 && traces;
      },
      { what: 'the attempt in the log' },
    );
    expect(found.items).toMatchObject([{ state: 'delivered', attempts: 1 }]);
    expect(found.attempts).toMatchObject([{ status: 'delivered', unconfirmed: 2 }]);
    const ofRecipient = (await api('GET', '/v3/webhook/events?email=half-0@example.com')) as EventTraces;
    expect(ofRecipient.items).toMatchObject([{ state: 'delivered', attempts: 1, hash: 'hash-of-half-0' }]);
    expect(ofRecipient.attempts).toMatchObject([{ status: 'delivered', unconfirmed: 2 }]);
    const ofOther = (await api('GET', '/v3/webhook/events?email=half-1@example.com')) as EventTraces;
    expect(ofOther.items).toMatchObject([{ state: 'resend', hash: 'hash-of-half-1' }]);
    expect(ofOther.attempts).toMatchObject([{ status: 'failed' }]);
    await go('/events');
    await page.getByLabel(/^Hash, messageId/).fill('half-0@example.com');
    await find();
    await see('1 event of this recipient: 1 delivered, 0 not delivered');
    await page
      .locator('#found li.good')
      .getByText(/was delivered in attempt 1/)
      .waitFor();
    await page
      .locator('#found li.good')
      .getByText(
        /Attempt 1 in a batch of 4 events: confirmed with HTTP 200 .*\(2 other events of this batch were not\)/,
      )
      .waitFor();
    expect(await page.locator('#found li.bad').count()).toBe(0);
    await page.getByLabel(/^Hash, messageId/).fill('hash-of-half-0');
    await find();
    await page
      .locator('#found li.good')
      .getByText(
        /Attempt 1 in a batch of 4 events: confirmed with HTTP 200 .*\(2 other events of this batch were not\)/,
      )
      .waitFor();
  });
});

describe('a destination without further attempts', () => {
  const scene = useScene({ RETRY_SCHEDULE: '50ms', RETRY_JITTER: '0' });

  test('keeps its last error and links its dead letters, until a request succeeds', async () => {
    const { api, customer, go, page, receiver, services } = scene();
    const { account } = customer;
    const id = await scene().subscribe('click');
    receiver.setReply(() => ({ status: 503 }));
    await services.send([aClick({ account })]);
    const letters = async () => ((await api('GET', '/v3/webhook/dead-letters')) as { items: unknown[] }).items;
    await eventually(async () => (await letters()).length === 1, { what: 'the dead letter', withinMs: 15_000 });
    expect(await letters()).toMatchObject([{ destination: id }]);
    const status = async () =>
      ((await api('GET', '/v3/webhook/destinations')) as { items: DestinationStatus[] }).items[0];
    const lastError = 'the receiver answered HTTP 503 Service Unavailable';
    expect(await status()).toMatchObject({ state: 'failing', failures: 2, resends: 0, lastError });
    expect(await services.admin('GET', `/destinations/${id}`)).toMatchObject({ lastError });
    await go(`/endpoints/${id}`);
    const why = page.locator(`#why-${id}`);
    await why.getByText(/The receiver answered HTTP 503.*The last 2 attempts failed\./s).waitFor();
    await why.getByText('1 event is a dead letter').waitFor();
    expect(await why.getByRole('link', { name: 'deliver it again' }).getAttribute('href')).toBe(
      '/settings/webhooks/dead-letters',
    );

    receiver.setReply(goodReply);
    await services.send([aClick({ account })]);
    await eventually(async () => (await status())?.failures === 0, { what: 'a success' });
    expect(await status()).not.toHaveProperty('lastError');
  });
});

describe('dead letters that are delivered again', () => {
  const scene = useScene({ RETRY_SCHEDULE: '50ms', RETRY_JITTER: '0', POISON_SPLIT: 'off' });

  test('are asked about, and their progress stays through updates and reloads', async () => {
    const { api, customer, go, page, receiver, services } = scene();
    const { account } = customer;
    const id = await scene().subscribe('click');
    receiver.setReply(() => ({ status: 500 }));
    await go('/dead-letters');
    await services.send(Array.from({ length: 4 }, (_, i) => aClick({ account, messageId: `m-${i}` })));
    const letters = page.locator('#dead-letter-list form');
    await eventually(async () => (await letters.count()) === 4, { what: 'the dead letters', withinMs: 15_000 });
    await api('POST', `/v3/webhook/destinations/${id}/pause`, { minutes: 10 });

    await page.locator('#redrive-all-ask').click();
    await page
      .locator('dialog')
      .getByText(`4 events in 4 dead letters will be sent again to ${receiver.url}`)
      .waitFor();
    await page.locator('dialog').getByText('You have paused it.').waitFor();
    expect(receiver.requests.length).toBe(8);
    await page.locator('#confirm-redrive').click();
    const progress = page.locator('#redriven');
    await progress.getByText('0 of 4 events delivered, 0 failed again, 4 on the way').waitFor();
    await page.locator('#dead-letter-list').getByText('No dead letters now').waitFor();
    const shown = page.locator('main > [data-outcome]');
    const said = await shown.textContent();
    expect(said).toContain('4 dead letters are on the way again');
    // Updates keep the outcome and the progress.
    await page.waitForResponse((answer) => answer.url().includes('/news'));
    await page.waitForResponse((answer) => answer.url().includes('/news'));
    expect(await shown.textContent()).toBe(said);
    await page.reload();
    await progress.getByText('0 of 4 events delivered, 0 failed again, 4 on the way').waitFor();

    receiver.setReply(({ json }) => ((json as { messageId: string }).messageId === 'm-3' ? { status: 500 } : {}));
    await api('POST', `/v3/webhook/destinations/${id}/resume`);
    await progress.getByText('3 of 4 events delivered, 1 failed again, 0 on the way').waitFor();
    await eventually(async () => (await letters.count()) === 1, { what: 'the dead letter that failed again' });
    expect(await api('GET', '/v3/webhook/dead-letters')).toMatchObject({
      total: 1,
      redriven: { waiting: 0, delivered: 3, failed: 1, returned: 0 },
    });
  });
});

describe('actions that lose events or repeat them', () => {
  const scene = useScene({ RETRY_SCHEDULE: '1h', RETRY_JITTER: '0' });
  const campaignOf = () => scene().api('GET', '/v3/webhook/campaign');
  const letters = async () => (await scene().api('GET', '/v3/webhook/dead-letters')) as { total: number };

  /** Lets the campaign webhook hold one event that waits for its next attempt. */
  async function withWaitingEvent() {
    const { api, customer, go, page, receiver, services } = scene();
    await api('PUT', '/v3/webhook/campaign', { address: receiver.url, active: true });
    receiver.setReply(() => ({ status: 500 }));
    await services.send([aCampaignEvent({ account: customer.account })]);
    await go('/endpoints/campaign');
    await page.locator('#why-campaign').getByText('1 event is waiting').waitFor();
    await go('/endpoints/campaign?tab=settings');
  }

  test('an empty address asks, and removing it is an action of its own', async () => {
    const { page, press, receiver } = scene();
    await withWaitingEvent();
    await page.getByLabel('Webhook URL').fill('');
    await press('Save');
    await page.locator('#campaign-address-error').getByText('is empty').waitFor();
    const question = page.locator('dialog:modal');
    await question.getByText('1 waiting event will become a dead letter').waitFor();
    expect(await campaignOf()).toEqual({ address: receiver.url, active: true });
    expect((await letters()).total).toBe(0);
    await question.getByRole('button', { name: 'Remove address' }).click();
    await page.getByRole('status').getByText('Removed.').waitFor();
    await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'hidden' });
    expect(await campaignOf()).toEqual({ address: null, active: false });
    await eventually(async () => (await letters()).total === 1, { what: 'the dead letter', withinMs: 15_000 });
  });

  test('switching off asks, and offers a pause instead', async () => {
    const { api, go, page } = scene();
    await withWaitingEvent();
    const question = page.locator('dialog:modal');
    await page.locator('#ask-off-campaign').click();
    await question.getByText('1 waiting event will become a dead letter').waitFor();
    await question.getByRole('button', { name: 'Pause for 1 day instead' }).click();
    await page.locator('#state-campaign').getByText('Paused', { exact: true }).waitFor();
    expect(await campaignOf()).toMatchObject({ active: true });
    await page.reload();
    await page.locator('#ask-off-campaign').click();
    await question.getByRole('button', { name: 'Switch off' }).click();
    await page.locator('#state-campaign').getByText('Off', { exact: true }).waitFor();
    expect(await campaignOf()).toMatchObject({ active: false });

    const id = await scene().subscribe('click', 'http://127.0.0.1:9/');
    const active = async () => ((await api('GET', `/v3/webhook/subscriptions/${id}`)) as { active: boolean }).active;
    await go(`/endpoints/${id}?tab=settings`);
    await page.locator(`#ask-off-${id}`).click();
    await question.getByText('New events will not be kept').waitFor();
    expect(await active()).toBe(true);
    await question.getByRole('button', { name: 'Switch off' }).click();
    await page.locator(`#state-${id}`).getByText('Off', { exact: true }).waitFor();
    expect(await active()).toBe(false);
  });

  test('a new address after a 410 is saved and switched on by one button; the reason stays until then', async () => {
    const { api, customer, go, page, press, receiver, services } = scene();
    receiver.setReply(() => ({ status: 410 }));
    await api('PUT', '/v3/webhook/campaign', { address: `${receiver.url}/old`, active: true });
    const id = await scene().subscribe('click', `${receiver.url}/old`);
    const { account } = customer;
    await services.send([aCampaignEvent({ account }), aClick({ account })]);
    const isOff = async () => {
      const { items } = (await api('GET', '/v3/webhook/destinations')) as { items: DestinationStatus[] };
      return items.every(({ state }) => state === 'switched_off');
    };
    await eventually(isOff, { what: 'both switched off', withinMs: 15_000 });
    await go('/endpoints/campaign?tab=settings');
    const reason = page.getByText('Mailhook switched this off.');
    await page.getByLabel('Webhook URL').fill(`${receiver.url}/new`);
    await page.getByRole('button', { name: 'Save this address' }).click();
    await page.getByRole('status').getByText('Saved. The webhook is still off').waitFor();
    await reason.waitFor();
    await page.reload();
    await reason.waitFor();
    expect(await page.locator('#campaign-form .button.primary').textContent()).toBe('Save and switch on');
    await press('Save and switch on');
    await page.getByRole('status').getByText('Saved. Campaign events are delivered to this address').waitFor();
    expect(await campaignOf()).toEqual({ address: `${receiver.url}/new`, active: true });
    expect(await reason.count()).toBe(0);

    await go(`/endpoints/${id}?tab=settings`);
    await page.locator(`#why-${id}`).getByText('answered HTTP 410 Gone').waitFor();
    await page.getByLabel('Webhook URL').fill(`${receiver.url}/new`);
    await press('Save and switch on');
    await page.getByRole('status').getByText('Saved and switched on.').waitFor();
    expect(await api('GET', `/v3/webhook/subscriptions/${id}`)).toMatchObject({ active: true });
  });

  test('a second subscription of the same type and address asks first', async () => {
    const { api, go, page, press, receiver, see } = scene();
    await scene().subscribe('open');
    const all = async () => (await api('GET', '/v3/webhook/subscriptions')) as unknown[];
    await go('/new-endpoint');
    await page.getByRole('checkbox', { name: /^open/ }).check();
    await page.locator('#new-address').fill(`${receiver.url}/`);
    await press('Create this endpoint');
    await see('Your server would get every open twice');
    expect(await all()).toHaveLength(1);
    await press('Create anyway');
    await see('Created. Gets opens of transactional messages, one per request.');
    expect(await all()).toHaveLength(2);
    await go('/new-endpoint');
    await page.getByRole('checkbox', { name: /^open/ }).check();
    await page.locator('#new-address').fill(`${receiver.url}/other`);
    await press('Try it first');
    await see('It is not created yet.');
  });

  test('a tested address says that it is not saved', async () => {
    const { page, press, receiver, status } = scene();
    await page.getByLabel('Webhook URL').fill(receiver.url);
    await press('Test connection');
    await status('Success.');
    await status('Not saved yet.');
    await press('Save this address');
    await status('Saved.');
    await page.getByRole('region', { name: 'Unsaved changes' }).waitFor({ state: 'hidden' });
    expect(await scene().api('GET', '/v3/webhook/campaign')).toEqual({ address: receiver.url, active: true });
    await press('Test connection');
    await status('Success.');
    expect(await page.getByText('Not saved yet').count()).toBe(0);
  });
});
