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
});
