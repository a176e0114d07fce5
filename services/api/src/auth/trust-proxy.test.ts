import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { eventually } from '@mailhook/testing';
import { startApi } from '../api-rig.suite.ts';
import type { ApiRig } from '../api-rig.suite.ts';

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

  it.each([
    ['ports that change', (i: number) => `203.0.113.8:${40_000 + i}`, '203.0.113.8'],
    ['brackets and ports', (i: number) => `[2001:db8:1:2::1]:${40_000 + i}`, '2001:db8:1:2::1'],
    ['brackets and quotes', () => '"[2001:db8:2:2::1]"', '[2001:db8:2:2::1]:5'],
    ['IPv4 as IPv6', (i: number) => `::ffff:203.0.113.9${i % 2 === 0 ? '' : '%eth0'}`, '203.0.113.9:5'],
    ['zones', (i: number) => `fe80::1%eth${i}`, 'fe80::1'],
    ['IPv4 as IPv6 in digits', () => '::ffff:cb00:710a', '203.0.113.10'],
    ['texts instead of addresses, which count for the proxy', (i: number) => `client-${i}`, 'unknown'],
  ])('counts an address that a proxy writes with %s', (_what, forwardedFor, same) =>
    withApi({ TRUST_PROXY: '1' }, async (api) => {
      const statuses = await fail(api, FAILURES + 1, forwardedFor);
      expect([statuses.at(-2), statuses.at(-1)]).toEqual([401, 429]);
      expect(await fail(api, 1, () => same)).toEqual([429]);
      expect(await fail(api, 1, () => '203.0.113.77')).toEqual([401]);
    }),
  );

  it('finds the client behind several proxies that write ports', () =>
    withApi({ TRUST_PROXY: '127.0.0.0/8, 10.0.0.0/8, fd00::/8' }, async (api) => {
      const statuses = await fail(api, FAILURES + 1, (i) => `203.0.113.5:${i}, [fd00::1]:${i}, 10.0.0.1:${i}`);
      expect([statuses.at(-2), statuses.at(-1)]).toEqual([401, 429]);
      expect(await fail(api, 1, () => '203.0.113.6:1, [fd00::1]:1, 10.0.0.1:1')).toEqual([401]);
    }));
});

describe('the memory for bodies of clients that are not signed in', () => {
  /** Sends all of a form but its end. Resolves with the open connection. */
  async function sendUnfinishedForm(api: ApiRig, forwardedFor: string, bytes: number): Promise<Socket> {
    const socket = connect(Number(new URL(api.baseUrl).port), '127.0.0.1');
    const head = [
      'POST /settings/webhooks/sign-in HTTP/1.1',
      'host: localhost',
      `x-forwarded-for: ${forwardedFor}`,
      'content-type: application/x-www-form-urlencoded',
      `content-length: ${bytes + 1}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${'x'.repeat(bytes)}`);
    await once(socket, 'connect');
    return socket;
  }

  it('is shared by an IPv6 network that one client may own, and leaves room for other clients', () =>
    withApi({ TRUST_PROXY: '1', BODY_BYTES_IN_FLIGHT_MAX: String(4 * 1024 * 1024) }, async (api) => {
      const inFlight = async () =>
        Number(/^mailhook_body_bytes_in_flight (\d+)$/m.exec(await (await fetch(`${api.opsUrl}/metrics`)).text())?.[1]);
      const slow = await Promise.all(
        // A client has 64 KiB.
        Array.from({ length: 8 }, (_, i) => sendUnfinishedForm(api, `2001:db8::${i + 1}`, 8000)),
      );
      await eventually(async () => (await inFlight()) === 8 * 8000, { what: 'the arrival of all forms' });
      const signIn = (address: string) =>
        fetch(`${api.baseUrl}/settings/webhooks/sign-in`, {
          method: 'POST',
          headers: { 'x-forwarded-for': address },
          body: new URLSearchParams({ token: 'x'.repeat(2000) }),
        });
      expect((await signIn('2001:db8::99')).status).toBe(503);
      expect((await signIn('2001:db8:0:ff00::1')).status).toBe(401);
      for (const socket of slow) socket.destroy();
    }));
});
