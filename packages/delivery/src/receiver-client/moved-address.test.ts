import type { ConnectProxy, FakeReceiver } from '@mailhook/testing';
import { eventually, startConnectProxy, startReceiver } from '@mailhook/testing';
import type { ReceiverClient } from './receiver-client.ts';
import { open, receiverClientRig } from './receiver-client-rig.suite.ts';

const OLD = '127.0.0.3';
const NEW = '127.0.0.4';
/** Not allowed, unlike the other two. */
const BLOCKED = '127.0.0.5';

describe.each(['directly', 'through a proxy'])('a kept connection, %s, when its name', (way) => {
  const rig = receiverClientRig();
  let before: FakeReceiver;
  let after: FakeReceiver;
  let proxy: ConnectProxy;
  let client: ReceiverClient;

  beforeEach(async () => {
    before = await startReceiver({ host: OLD });
    after = await startReceiver({ host: NEW, port: before.port });
    proxy = await startConnectProxy();
    client = rig.create({
      egress: { ...open, denyCidrs: [`${BLOCKED}/32`] },
      ...(way === 'directly' ? {} : { proxyUrl: proxy.url }),
    });
    rig.names.setAway(false);
    rig.names.setName('moving.test', [OLD]);
    expect(await post()).toMatchObject({ type: 'reply' });
  });
  afterEach(async () => {
    await client.close();
    await Promise.all([before.close(), after.close(), proxy.close()]);
  });

  const post = () => rig.post(`http://moving.test:${before.port}/`, true, client);
  const lookups = (): number => rig.names.questions.filter((question) => question === 'A moving.test').length;
  /** Posts until the name has been looked up again, because the TTL of its answer has ended. */
  const afterNextLookup = async () => {
    const made = lookups();
    return eventually(
      async () => {
        const exchange = await post();
        return lookups() > made && exchange;
      },
      { what: 'another lookup' },
    );
  };

  test('has the same address, serves all requests', async () => {
    for (let i = 0; i < 2; i += 1) expect(await afterNextLookup()).toMatchObject({ isConnectionReused: true });
    expect(before.connections.total).toBe(1);
  });

  test('leads elsewhere, is not used once the TTL has ended', async () => {
    rig.names.setName('moving.test', [NEW]);
    await eventually(async () => (await post()).type === 'reply' && after.requests.length > 0, { what: 'the move' });
    await before.waitForOpenConnections(0);
    expect(await post()).toMatchObject({ type: 'reply', isConnectionReused: true });
    expect([before.connections.total, after.connections.total]).toEqual([1, 1]);
  });

  test('leads to one more address, is still used', async () => {
    rig.names.setName('moving.test', [NEW, OLD]);
    expect(await afterNextLookup()).toMatchObject({ type: 'reply' });
    expect(await post()).toMatchObject({ isConnectionReused: true });
    expect(after.connections.total).toBe(0);
  });

  test.each([
    ['has a blocked address too', [OLD, BLOCKED], { type: 'blocked' }],
    ['has no address', [], { type: 'unreachable' }],
  ])('%s, is not used', async (_what, addresses, expected) => {
    rig.names.setName('moving.test', addresses);
    const failed = await eventually(
      async () => {
        const exchange = await post();
        return exchange.type !== 'reply' && exchange;
      },
      { what: 'another result' },
    );
    expect(failed).toMatchObject({
      ...expected,
      detail: 'the name does not resolve to an address that Mailhook may call',
      wasSent: false,
    });
    await before.waitForOpenConnections(0);
  });

  test.each(['away', 'servfail'] as const)('cannot be looked up (%s), is still used', async (fault) => {
    if (fault === 'away') rig.names.setAway(true);
    else rig.names.setName('moving.test', 'servfail');
    for (let i = 0; i < 2; i += 1) expect(await afterNextLookup()).toMatchObject({ isConnectionReused: true });
    expect(before.connections.total).toBe(1);
  });
});
