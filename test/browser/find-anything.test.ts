import { aCampaignEvent, aClick, eventually, goodReply } from '@mailhook/testing';
import { useScene } from './rig/suite.ts';

describe('finding events, attempts and dead letters on the settings page', () => {
  const scene = useScene({ RETRY_SCHEDULE: '1h', RETRY_JITTER: '0', BREAKER_FAILURES: '1000' });

  test('by recipient and by webhook-id, and attempts by event type and time', async () => {
    const { api, customer, go, page, receiver, services, see } = scene();
    const { account } = customer;
    await api('PUT', '/v3/webhook/campaign', { address: receiver.url, active: true });
    await scene().subscribe('click');
    receiver.setReply(goodReply);
    const event = (hash: string) => aCampaignEvent({ account, email: 'Anna@example.com', hash });
    await services.send([event('hash-of-delivered'), aClick({ account, messageId: 'm-1' })]);
    const attempts = async () => ((await api('GET', '/v3/webhook/deliveries')) as { items: unknown[] }).items.length;
    await eventually(async () => (await attempts()) === 2, { what: 'two attempts' });
    receiver.setReply(() => ({ status: 500 }));
    await services.send([event('hash-of-waiting')]);
    await eventually(async () => (await attempts()) === 3, { what: 'three attempts' });

    await go('/events');
    const find = () => page.getByRole('button', { name: 'Find', exact: true }).click();
    await page.getByLabel(/^Hash, messageId/).fill('anna@EXAMPLE.com');
    await find();
    await see('2 events of this recipient: 1 delivered, 1 not delivered');
    await see('2 attempts carried events of this recipient');
    await page.locator('#found').getByRole('link', { name: 'hash-of-waiting' }).click();
    await see('Attempt 2 is scheduled');

    const webhookId = String(receiver.requests.at(-1)?.headers['webhook-id']);
    await page.getByLabel(/^Hash, messageId/).fill(webhookId);
    await find();
    await eventually(async () => (await page.locator('#found').textContent())?.includes('Attempt 1: failed') === true, {
      what: 'the attempt of the request',
    });

    await go('/deliveries');
    const rows = page.locator('#log-rows > [role=row]');
    await page.locator('#filter-type').selectOption('click');
    await eventually(async () => (await rows.count()) === 1, { what: 'the attempt with a click' });
    await page.locator('#filter-type').selectOption('');
    const choose = async (field: string, time: string) => {
      // Enter closes the menu.
      await page.locator('#period:not([open]) summary').click();
      await page.locator(field).fill(time);
      await page.locator(field).press('Enter');
    };
    await choose('#filter-to', '2020-01-01 00:00');
    await see('Nothing matches');
    await choose('#filter-to', '');
    await choose('#filter-from', '2020-01-01 00:00');
    await eventually(async () => (await rows.count()) === 3, { what: 'all attempts since then' });
  });

  test('by a messageId with an @: each endpoint once, with its name', async () => {
    const { api, customer, go, page, receiver, services, see } = scene();
    const { account } = customer;
    const messageId = '20261126.1234@mail.example.com';
    const paths = ['one', 'two', 'three'];
    for (const path of paths) {
      await scene().subscribe('click', `${receiver.url}/${path}`);
    }
    receiver.setReply(({ path }) => (path.endsWith('/three') ? { status: 500 } : {}));
    await services.send([aClick({ account, messageId })]);
    const attempts = async () => ((await api('GET', '/v3/webhook/deliveries')) as { items: unknown[] }).items.length;
    await eventually(async () => (await attempts()) === 3, { what: 'three attempts' });
    await go('/events');
    await page.getByLabel(/^Hash, messageId/).fill(messageId);
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    await see('Attempt 2 is scheduled');
    expect(await page.locator('#found').textContent()).not.toContain('recipient');
    const headings = await page.locator('#found h2').allTextContents();
    expect(headings.map((text) => text.split('/').at(-1)).sort()).toEqual([...paths].sort());
  });

  test('a dead letter opens to its attempts and events, the list has pages, and the CSV has every event', async () => {
    const { api, customer, go, page, receiver, services, see } = scene();
    const { account } = customer;
    await api('PUT', '/v3/webhook/campaign', { address: receiver.url, active: true });
    receiver.setReply(() => ({ status: 500 }));
    const count = 23;
    // Each becomes a batch, because the next one is accepted after the batch before was sent.
    for (let i = 0; i < count; i += 1) {
      const email = i === 0 ? '=cmd@example.com' : `r${i}@example.com`;
      await services.send([aCampaignEvent({ account, email, hash: `hash-number-${i}` })]);
      await receiver.waitForRequests(i + 1);
    }
    await api('PUT', '/v3/webhook/campaign', { address: receiver.url, active: false });
    const letters = async (query = '?limit=200') =>
      ((await api('GET', `/v3/webhook/dead-letters${query}`)) as { items: { id: string; events: number }[] }).items;
    const events = async () => (await letters()).reduce((sum, letter) => sum + letter.events, 0);
    await eventually(async () => (await events()) === count, { what: 'all dead letters', withinMs: 15_000 });
    const tried = (await letters()).at(-1)!;
    expect(await api('GET', `/v3/webhook/dead-letters/${tried.id}`)).toMatchObject({
      id: tried.id,
      destination: 'campaign',
      webhookId: expect.stringMatching(/^msg_/) as string,
      history: expect.arrayContaining([expect.objectContaining({ httpStatus: 500 })]) as unknown[],
    });

    await go('/dead-letters');
    await page.locator('#one-by-one > summary').click();
    const listed = page.locator('#dead-letter-list').getByRole('link', { name: /^Events and attempts/ });
    expect(await listed.count()).toBe(20);
    await page.locator('#dead-letter-list').getByRole('link', { name: 'Older' }).click();
    await page.locator('#dead-letter-list').getByRole('link', { name: 'Newest' }).waitFor();
    expect(await listed.count()).toBe(3);
    await listed.last().click();
    await page.locator('#dead-letter').getByRole('heading', { name: 'Dead letter', exact: true }).waitFor();
    await page
      .locator('#dead-letter')
      .getByText(/"hash-number-/)
      .first()
      .waitFor();
    await page.locator('#again').click();
    await see(/stays, because the endpoint is off or deleted/);

    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download as CSV' }).click(),
    ]);
    const stream = await download.createReadStream();
    const lines = (await stream.toArray()).join('').trimEnd().split('\n');
    expect(lines[0]).toMatch(
      /^\uFEFFdeadLetter,givenUpAt,kind,destination,address,attempts,error,webhookId,event,hash,/,
    );
    expect(lines[0]).toMatch(/,url,module,shape,id\r?$/);
    expect(lines.slice(1).filter((line) => !/,campaign,batch,\r?$/.test(line))).toEqual([]);
    // A reason is a text like the others, without quotation marks of JSON.
    expect(lines.slice(1).filter((line) => line.includes('""'))).toEqual([]);
    expect(lines).toHaveLength(count + 1);
    expect(lines.filter((line) => line.includes("'=cmd@example.com"))).toHaveLength(1);
    // Times are in the reader's zone, Berlin.
    expect(lines.slice(1).filter((line) => !/^[^,]+,[-\d]+T[\d:.]+\+0[12]:00,/.test(line))).toEqual([]);
    const headers = { authorization: `Bearer ${customer.token}` };
    const ofApi = await fetch(new URL('/v3/webhook/dead-letters.csv', services.pageUrl), { headers });
    const bytes = Buffer.from(await ofApi.arrayBuffer());
    expect(bytes.subarray(0, 3).toString('hex')).toBe('efbbbf');
    expect(bytes.toString().split('\n')[1]).toMatch(/^[^,]+,[-\d]+T[\d:.]+Z,/);
  });
});
