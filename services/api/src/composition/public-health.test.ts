import { startApi } from '../api-rig.suite.ts';

test('the public port answers load balancers without a token, and shows nothing else', async () => {
  const api = await startApi();
  const reply = await fetch(`${api.baseUrl}/healthz`);
  expect([reply.status, reply.headers.get('cache-control'), await reply.json()]).toEqual([
    200,
    'no-store',
    { status: 'ok' },
  ]);
  expect((await fetch(`${api.baseUrl}/healthz`, { method: 'POST' })).status).toBe(405);
  expect((await fetch(`${api.baseUrl}/readyz`)).status).toBe(404);
  await api.close();
});
