import { eventually, freePort, startReceiver } from '@mailhook/testing';
import type { ReceiverClient } from './receiver-client.ts';
import { SLACK_MS, receiverClientRig } from './receiver-client-rig.suite.ts';

/** Long enough that a lookup fails before the deadline even on a busy machine. */
const TIMEOUT_MS = 1500;

describe('local faults of the receiver client', () => {
  const rig = receiverClientRig();
  const { create, post } = rig;
  let client: ReceiverClient;

  beforeEach(() => {
    client = create({ timeoutMs: TIMEOUT_MS, connectionsMax: 2 });
  });
  afterEach(() => {
    rig.names.setAway(false);
    return client.close();
  });

  test('a resolver that is away is not a failure of the receiver, and lookups work when it is back', async () => {
    const address = `http://receiver.test:${rig.receiver.port}/`;
    rig.names.setAway(true);
    const exchanges = await Promise.all([true, false].map((needsBody) => post(address, needsBody, client)));
    for (const exchange of exchanges) {
      expect(exchange).toMatchObject({
        type: 'local-fault',
        cause: 'resolver',
        detail: `no answer from ${rig.names.address}`,
      });
      expect(exchange.durationMs).toBeLessThan(TIMEOUT_MS + SLACK_MS);
    }
    rig.names.setAway(false);
    await eventually(async () => (await post(address, true, client)).type === 'reply', { what: 'a reply' });
  });

  test('without a resolver at the address, a lookup fails at once', async () => {
    const lost = create({ nameServers: [`127.0.0.1:${await freePort()}`] });
    expect(await post('http://receiver.test/', true, lost)).toMatchObject({ type: 'local-fault', cause: 'resolver' });
    await lost.close();
  });

  test.each([
    ['silent', 'the name server did not answer'],
    ['servfail', 'the name server failed'],
  ] as const)('a dead name server of one name (%s) is a failure of the receiver', async (how, detail) => {
    rig.names.setName('dead.test', how);
    expect(await post('http://dead.test/', true, client)).toMatchObject({ type: 'unreachable', detail });
  });

  test('at the limit of connections it closes idle ones first, then sends nothing', async () => {
    const other = await startReceiver();
    await Promise.all([post(rig.receiver.url, true, client), post(rig.receiver.url, false, client)]);
    await rig.receiver.waitForOpenConnections(2);
    other.setReply(() => ({ hang: 'reply' }));
    const hanging = [post(other.url, true, client), post(other.url, false, client)];
    await other.waitForRequests(2);
    await rig.receiver.waitForOpenConnections(0);
    for (const needsBody of [true, false]) {
      expect(await post(rig.receiver.url, needsBody, client)).toMatchObject({
        type: 'local-fault',
        cause: 'file-descriptors',
      });
    }
    expect(rig.receiver.requests).toHaveLength(2);
    expect((await Promise.all(hanging)).map(({ type }) => type)).toEqual(['timeout', 'timeout']);
    expect(await post(rig.receiver.url, true, client)).toMatchObject({ type: 'reply' });
    await other.close();
  });
});
