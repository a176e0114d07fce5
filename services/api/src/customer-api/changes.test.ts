import type { FieldChange } from '@mailhook/core';
import { eventually } from '@mailhook/testing';
import { browserOf } from '../settings-page-rig.suite.ts';
import { publicApiRig } from './customer-api-rig.suite.ts';

interface Change {
  readonly action: string;
  readonly actor: string;
  readonly via: string;
  readonly token?: string;
  readonly client?: string;
  readonly changes?: readonly FieldChange[];
}

describe("the account's own list of changes", () => {
  const rig = publicApiRig();
  const page = async (query = '', token = rig.mine.token) =>
    (await rig.api.as(token)('get', `/v3/webhook/changes${query}`)).body as {
      items: Change[];
      nextCursor?: string;
    };
  const newest = async (action: string): Promise<Change> => {
    let found: Change | undefined;
    await eventually(async () => (found = (await page()).items[0])?.action === action, { what: action });
    return found as Change;
  };

  it('names who changed which field, with the text before and after, by API and by page', async () => {
    const id = await rig.api.subscribe(rig.mine);
    const settings = `/v3/webhook/destinations/${id}/settings`;
    const headers = { authorization: 'Bearer very-secret' };
    await rig.call('put', settings, { address: 'http://127.0.0.1:9/new', maxRequestsPerSecond: 7, headers });
    const changed = await newest('change destination');
    expect(changed).toMatchObject({ actor: 'customer', via: 'API', token: rig.mine.tokenId, client: '127.0.0.1' });
    expect(changed.changes).toEqual(
      expect.arrayContaining([
        { object: id, field: 'address', before: 'http://127.0.0.1:9/hook', after: 'http://127.0.0.1:9/new' },
        { object: id, field: 'maxRequestsPerSecond', before: null, after: '7' },
        { object: id, field: 'headers', before: null, after: 'authorization' },
      ]),
    );
    await rig.call('put', settings, { headers: { authorization: 'Bearer another' } });
    await eventually(async () => (await page()).items[0]?.changes?.[0]?.before === 'authorization', { what: 'it' });
    const browser = await browserOf(rig.api, rig.mine.token);
    await browser.send({ do: 'switch-off', id });
    const off = await newest('switch off destination');
    expect(off).toMatchObject({ via: 'settings page' });
    expect(off.changes).toContainEqual({ object: id, field: 'active', before: 'true', after: 'false' });
    expect(JSON.stringify(await page())).not.toMatch(/very-secret|another/);
  });

  it('shows what operators did, without their address, and nothing of other accounts', async () => {
    const other = await rig.api.newAccount();
    await rig.api.admin('post', `/admin/accounts/${rig.mine.id}/tokens`, { label: 'by-operator' });
    const made = await newest('create access token');
    expect(made).toMatchObject({ actor: 'operator', via: 'admin API' });
    expect(made.client).toBeUndefined();
    expect(made.changes).toContainEqual(expect.objectContaining({ field: 'label', after: 'by-operator' }));
    expect(JSON.stringify(await page('', other.token))).not.toContain('by-operator');
  });

  it('is filtered and read page by page', async () => {
    for (let i = 0; i < 3; i += 1) {
      const { id } = (await rig.call('post', '/v3/webhook/secrets')).body as { id: string };
      await rig.call('delete', `/v3/webhook/secrets/${id}`);
    }
    const wanted = '?action=secret&actor=customer&limit=4';
    await eventually(async () => (await page('?action=secret')).items.length === 6, { what: 'six changes' });
    const first = await page(wanted);
    const second = await page(`${wanted}&cursor=${encodeURIComponent(first.nextCursor ?? '')}`);
    expect([...first.items, ...second.items].map(({ action }) => action)).toEqual(
      [0, 1, 2].flatMap(() => ['delete signing secret', 'create signing secret']),
    );
    expect(second.nextCursor).toBeUndefined();
    expect((await page('?actor=operator&action=secret')).items).toEqual([]);
    expect((await rig.call('get', '/v3/webhook/changes?limit=0')).status).toBe(422);
  });
});
