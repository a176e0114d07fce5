import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { FakeReceiver } from '@mailhook/testing';
import { eventually, startReceiver } from '@mailhook/testing';
import { request } from 'undici';
import { callApi, newCustomer } from './rig/customer.ts';
import type { Customer } from './rig/customer.ts';
import { copyRepository } from './rig/repository-copy.ts';
import type { RepositoryCopy } from './rig/repository-copy.ts';
import type { StartedStack } from './rig/started-stack.ts';
import { startStack } from './rig/started-stack.ts';

const TABLE = 'packages/core/src/contracts/event-types.ts';
const ROW = `
  printed: type({
    one: 'a print',
    several: 'prints',
    meaning: 'The recipient printed the message on paper.',
    modules: BOTH,
    fields: { reason, machine },
    required: ['reason'],
    lane: 'f',
    example: { reason: 'a coupon', machine: false },
    elsewhere: { SendGrid: '\`printed\`' },
  }),`;
const START = 'export const EVENT_TYPES = {';

/** A type is one row of the table. Only translations and the SDK's types are elsewhere. */
describe('a copy of Mailhook with one more row in the table of event types', () => {
  let copy: RepositoryCopy;
  let stack: StartedStack;
  let receiver: FakeReceiver;
  let customer: Customer;
  beforeAll(async () => {
    copy = copyRepository();
    const table = path.join(copy.folder, TABLE);
    const text = readFileSync(table, 'utf8');
    expect(text).toContain(START);
    writeFileSync(table, text.replace(START, START + ROW));
    stack = await startStack({ folder: copy.folder });
    receiver = await startReceiver();
    customer = await newCustomer(stack.file);
  }, 180_000);
  afterAll(async () => {
    await receiver.close();
    await stack.close();
    copy.remove();
  }, 60_000);

  const message = { module: 'transactional_email', messageId: 'm-1', time: 1767225600 };
  const campaign = { module: 'campaign', campaign: 'aBcDeFgHiJ', timestamp: 1767225600 };
  const send = (event: object) => {
    const body = { account: customer.account, email: 'anna@example.com', ...event };
    return callApi(`${stack.file.baseUrl}/v3/events`, stack.file.producerToken, 'POST', body);
  };
  const create = async (path: string, settings: object): Promise<string> => {
    const body = { address: `${receiver.url}/${path}`, ...settings };
    const answer = await customer.call('POST', '/v3/webhook/destinations', body);
    expect(answer.status).toBe(201);
    return (answer.json as { id: string }).id;
  };

  test('accepts, routes and delivers events of the type in both modules, and lists them', async () => {
    const id = await create('listed', { module: message.module, types: ['printed', 'open'] });
    await create('all', { module: message.module, types: ['*'], shape: 'array' });
    await create('campaigns', { module: campaign.module, types: ['printed'], shape: 'single' });
    await create('others', { module: message.module, types: ['open'] });
    expect(await send({ ...message, name: 'printed' })).toMatchObject({
      status: 422,
      json: { errors: [{ path: 'reason' }] },
    });
    const own = { reason: 'a coupon', machine: true };
    expect((await send({ ...message, name: 'printed', id: 'p-1', ...own })).status).toBe(202);
    expect((await send({ ...campaign, event: 'printed', id: 'p-2', ...own })).status).toBe(202);
    await receiver.waitForRequests(3);
    const common = { version: 2, event: 'printed', time: 1767225600, email: 'anna@example.com', ...own };
    const single = { ...common, id: 'p-1', module: message.module, messageId: 'm-1' };
    const got = Object.fromEntries(receiver.requests.map(({ path, json }) => [path, json]));
    expect(got).toEqual({
      '/listed': single,
      '/all': [single],
      '/campaigns': { ...common, id: 'p-2', module: campaign.module, campaign: 'aBcDeFgHiJ' },
    });
    const deliveries = `/v3/webhook/deliveries?type=printed&destination=${id}`;
    const listed = async () => (await customer.call('GET', deliveries)).json as { items: readonly object[] };
    await eventually(async () => (await listed()).items.length === 1, { what: 'the attempt in the list' });
    const tested = await customer.call('POST', `/v3/webhook/destinations/${id}/test`, { type: 'printed' });
    expect(tested.json).toMatchObject({ success: true });
  });

  test('documents it in the API, on the page of event types, and in what is generated', async () => {
    const { baseUrl } = stack.file;
    for (const file of ['openapi.json', 'schemas/event.json', 'schemas/producer-event.json'])
      expect(await (await request(`${baseUrl}/${file}`)).body.text()).toContain('"printed"');
    const signIn = await request(`${baseUrl}/settings/webhooks/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ token: customer.token }).toString(),
    });
    const [cookie = ''] = [signIn.headers['set-cookie'] ?? []].flat();
    const headers = { cookie: cookie.slice(0, cookie.indexOf(';')), 'accept-language': 'en' };
    const page = await request(`${baseUrl}/settings/webhooks/event-types`, { headers });
    expect(await page.body.text()).toContain('The recipient printed the message on paper.');
    await promisify(execFile)('scripts/mailhook.ts', ['docs'], { cwd: copy.folder });
    for (const file of ['docs/guides/events.md', 'docs/guides/vocabulary.md', 'examples/producers/types.json'])
      expect(readFileSync(path.join(copy.folder, file), 'utf8')).toContain('printed');
  }, 60_000);
});
