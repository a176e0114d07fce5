import { startApi } from './api-rig.suite.ts';
import type { ApiRig } from './api-rig.suite.ts';

const FAILURES = 60;

/** Sends failed sign-ins one after the other, each with this `X-Forwarded-For`. */
async function fail(api: ApiRig, times: number, forwardedFor: (i: number) => string): Promise<number[]> {
  const statuses: number[] = [];
  for (let i = 0; i < times; i += 1) {
    const reply = await api.as('wrong')('get', '/v3/webhook/subscriptions').set('x-forwarded-for', forwardedFor(i));
    statuses.push(reply.status);
  }
  return statuses;
}

const withApi = async (environment: Record<string, string>, run: (api: ApiRig) => Promise<void>): Promise<void> => {
  const api = await startApi(environment);
  try {
    await run(api);
  } finally {
    await api.close();
  }
};

describe('the limit of failed sign-ins', () => {
  it('counts by the address of the socket, and ignores the addresses that a client sends in a header', () =>
    withApi({}, async (api) => {
      const statuses = await fail(api, FAILURES + 1, (i) => `198.51.100.${i}`);
      expect(statuses.slice(0, FAILURES)).toEqual(Array.from({ length: FAILURES }, () => 401));
      expect(statuses.at(-1)).toBe(429);
    }));

  it.each([
    ['the number of proxies', '1'],
    ['their networks', '127.0.0.0/8, ::1'],
  ])(
    'counts by client behind a proxy that is trusted by %s, and uses only the address that this proxy wrote',
    (_what, trusted) =>
      withApi({ TRUST_PROXY: trusted }, async (api) => {
        // The trusted proxy wrote the last entry. The entries before it came with the request.
        const statuses = await fail(api, FAILURES + 1, (i) => `203.0.113.${i}, 198.51.100.7`);
        expect(statuses.at(-1)).toBe(429);
        expect(await fail(api, 1, () => '198.51.100.8')).toEqual([401]);
      }),
  );
});
