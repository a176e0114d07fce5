import type { ApiRig } from '../api-rig.suite.ts';
import { startApi } from '../api-rig.suite.ts';

describe('the root of a port', () => {
  let api: ApiRig;
  beforeAll(async () => {
    api = await startApi();
  });
  afterAll(() => api.close());

  test.each([
    ['public', 'baseUrl', '/settings/webhooks'],
    ['operations', 'opsUrl', '/admin'],
  ] as const)('leads from the %s port to its page', async (_name, url, page) => {
    const reply = await fetch(`${api[url]}/`, { redirect: 'manual' });
    expect([reply.status, reply.headers.get('location')]).toEqual([302, page]);
  });

  test.each([
    ['/settings/webhooks/deliverys', 'baseUrl', '/settings/webhooks'],
    ['/docs/guides/nothing', 'baseUrl', '/docs/guides'],
    ['/guides', 'baseUrl', '/docs'],
    ['/%', 'baseUrl', '/settings/webhooks'],
    ['/admin/pages/nothing', 'opsUrl', '/admin'],
  ] as const)('is linked where a browser finds nothing: %s', async (path, url, link) => {
    const get = async (accept: string) => {
      const reply = await fetch(`${api[url]}${path}`, { headers: { accept, 'accept-language': 'de' } });
      return { status: reply.status, type: reply.headers.get('content-type'), text: await reply.text() };
    };
    const page = await get('text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8');
    expect([page.status, page.type]).toEqual([404, 'text/html; charset=utf-8']);
    expect(page.text).toContain(url === 'baseUrl' ? 'Diese Seite gibt es nicht' : 'There is no such page');
    expect(page.text).toContain(`href="${link}"`);
    for (const accept of ['*/*', 'application/json, text/html'])
      expect(await get(accept)).toMatchObject({ status: 404, type: expect.stringContaining('json') as string });
  });
});
