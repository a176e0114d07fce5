import { eventually } from '@mailhook/testing';
import { accessibilityFaults, openSignedIn } from './rig/page.ts';
import { useScene } from './rig/suite.ts';

interface Settings {
  readonly id: string;
  readonly name: string | null;
  readonly types: readonly string[];
  readonly version: number;
  readonly shape: string;
  readonly maxEvents: number;
  readonly filter: object | null;
}

describe('the form for a new endpoint', () => {
  const scene = useScene();
  const listed = async () =>
    ((await scene().api('GET', '/v3/webhook/destinations')) as { items: readonly Settings[] }).items;

  test('has an address and types at first sight, and says what its server will get as they are chosen', async () => {
    const { go, page, press, receiver, status } = scene();
    await go('/new-endpoint');
    const form = page.locator('#new-endpoint');
    await form.getByText('Choose types of events').waitFor();
    await form.getByRole('checkbox', { name: /^bounce/ }).check();
    await form.getByText('Gets bounces of transactional messages, one per request').waitFor();
    await form.getByRole('checkbox', { name: /^suppression/ }).check();
    await form.getByLabel('Events of').selectOption('campaign');
    await form.getByText('Some choices do not go together.').waitFor();
    const suppression = form.getByRole('checkbox', { name: /^suppression.*Transactional messages only/ });
    await suppression.uncheck();
    await suppression.waitFor({ state: 'hidden' });
    await form.getByText('Gets bounces of campaigns, in batches of up to 1,000').waitFor();
    await form.locator('#new-scope-body').getByText('"attempt": 1').waitFor();
    await form.getByLabel('Events of').selectOption('transactional_email');
    await form.getByText('Further choices').click();
    await form.getByRole('checkbox', { name: /^complaint/ }).check();
    await form.getByLabel('Name').fill('Warehouse');
    await form.getByLabel('Requests', { exact: true }).selectOption('array');
    await form.getByLabel('Most events per request').fill('100');
    await form.getByLabel('Tags').fill('receipt');
    await form.getByLabel('Webhook URL').fill(`${receiver.url}/arrays`);
    const scope = 'Gets bounces and complaints of transactional messages tagged receipt, as arrays of up to 100';
    await form.getByText(`${scope}; includes the recipient’s address.`).waitFor();
    // With a script nobody has to ask for it.
    expect(await page.getByRole('button', { name: 'Show what it gets' }).isVisible()).toBe(false);
    expect(await accessibilityFaults(page)).toEqual([]);

    await form.getByLabel('Event of “Try it first”').selectOption('complaint');
    await press('Try it first');
    await status('Success. Your server took the sample complaint event.');
    expect(receiver.requests.at(-1)?.json).toMatchObject([{ version: 2, event: 'complaint' }]);
    expect(await listed()).toEqual([]);
    // The choices stay open, and so does what was chosen.
    expect(await form.getByRole('checkbox', { name: /^complaint/ }).isChecked()).toBe(true);
    // One button creates it, and the outcome stands at the form instead of above it.
    expect(await page.getByRole('button', { name: /^(?:Add|Create|Save)/ }).allInnerTexts()).toEqual([
      'Create this endpoint',
    ]);
    expect(await form.locator('.results > .outcome').innerText()).toContain('It is not created yet.');
    expect(await page.locator('[data-outcome]').boundingBox()).toMatchObject({ width: 1, height: 1 });
    await press('Create this endpoint');
    await status(`Created. ${scope}; includes the recipient’s address.`);
    expect(await listed()).toMatchObject([
      {
        name: 'Warehouse',
        types: ['bounce', 'complaint'],
        version: 2,
        shape: 'array',
        maxEvents: 100,
        filter: { tags: ['receipt'] },
      },
    ]);

    // The new endpoint's page follows, and nothing is left unsaved.
    await page.getByRole('heading', { name: 'Warehouse' }).waitFor();
    expect(await page.getByRole('region', { name: 'Unsaved changes' }).isVisible()).toBe(false);
    await page.getByText(`${scope}; includes the recipient’s address`).first().waitFor();
    await page.getByRole('link', { name: 'Testing' }).click();
    await page.getByLabel('Type of the test').selectOption('bounce');
    await press('Send test event');
    await status('Success. Your server took the sample bounce event.');
    expect(receiver.requests.at(-1)?.json).toMatchObject([{ version: 2, event: 'bounce', type: 'hard' }]);
  });

  test('warns of frequent single requests and of filtered unsubscribes, as they are chosen', async () => {
    const { go, page } = scene();
    await go('/new-endpoint');
    const form = page.locator('#new-endpoint-form');
    await form.getByText('Further choices').click();
    const [frequent, untagged] = [form.locator('.if-frequent'), form.locator('.if-untagged')];
    expect([await frequent.isVisible(), await untagged.isVisible()]).toEqual([false, false]);
    await form.getByRole('checkbox', { name: /^delivered/ }).check();
    await frequent.waitFor();
    await form.getByLabel('Requests', { exact: true }).selectOption('array');
    await frequent.waitFor({ state: 'hidden' });
    await form.getByRole('checkbox', { name: /^unsubscribe/ }).check();
    expect(await untagged.isVisible()).toBe(false);
    await form.getByLabel('Domains of recipients').fill('example.net');
    await untagged.waitFor();
  });

  test('shows a fault at its field, and asks before an endpoint leaves the list of subscriptions', async () => {
    const { api, focused, go, page, press, see, status } = scene();
    const id = await scene().subscribe('click');
    const subscriptions = async () => ((await api('GET', '/v3/webhook/subscriptions')) as unknown[]).length;
    await go('/new-endpoint');
    await page.getByLabel('Webhook URL').fill('http://127.0.0.1:9/none');
    await press('Create this endpoint');
    await eventually(async () => (await focused()) === 'new-types-sent', { what: 'the types to be focused' });
    await go(`/endpoints/${id}?tab=settings`);
    await page.getByText('By tag, domain').click();
    await page.getByLabel('Domains of recipients').fill('not a domain');
    await press('Save changes');
    await see('Domains of recipients (not a domain) must be a domain such as example.com');
    await eventually(async () => (await focused()) === `edit-${id}-filter-domains`, {
      what: 'the field to be focused',
    });
    await page.getByLabel('Domains of recipients').fill('');
    await page.getByLabel('Body', { exact: true }).selectOption('2');
    await page.getByLabel('Requests', { exact: true }).selectOption('array');
    await press('Save changes');
    await status('it will no longer be in /v3/webhook/subscriptions');
    expect(await subscriptions()).toBe(1);
    await press('Save anyway');
    await status('Saved.');
    expect(await subscriptions()).toBe(0);
    await page.getByLabel('Requests', { exact: true }).selectOption('single');
    await press('Save changes');
    // The page still shows that the last change was saved.
    await eventually(async () => (await subscriptions()) === 1, { what: 'the endpoint in the list again' });
  });

  test('works without a script, and in a window of 360 px', async () => {
    const { browser, customer, receiver, services } = scene();
    const { page, close } = await openSignedIn(browser, services, customer, {
      javaScriptEnabled: false,
      viewport: { width: 360, height: 740 },
    });
    await page.goto(`${services.pageUrl}/new-endpoint`);
    await page.getByLabel('Events of').selectOption('campaign');
    await page.getByRole('checkbox', { name: /^All of them/ }).check();
    await page.getByLabel('Webhook URL').fill(`${receiver.url}/all`);
    await page.getByText('As of the last “Show what it gets”.').waitFor();
    await page.getByRole('button', { name: 'Show what it gets' }).click();
    await page.getByText('Not saved yet. Gets all events').waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await page.getByRole('button', { name: 'Create this endpoint' }).click();
    await page
      .getByText('Created. Gets all events, also of types to come, of campaigns, in batches of up to 1,000')
      .waitFor();
    expect(await listed()).toMatchObject([{ types: ['*'], version: 2, shape: 'batch' }]);
    await page.goto(`${services.pageUrl}/event-types`);
    await page.locator('#type-complaint').getByRole('link', { name: 'Campaign endpoint for all types' }).waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
    await close();
  });
});
