import { writeFile, mkdtemp, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Agent, request } from 'undici';
import type { FakeNameServer, FakeReceiver } from '@mailhook/testing';
import { eventually, startNameServer, startReceiver } from '@mailhook/testing';
import { createVettedConnector } from './vetted-connector.ts';
import type { ConnectorOptions } from './vetted-connector.ts';
import type { EgressPolicy } from './policy.ts';
import { NO_ALLOWED_ADDRESS } from './policy.ts';

const publicOnly: EgressPolicy = { allowPrivate: false, allowCidrs: ['127.0.0.2/32'], deniedPorts: [] };

/** A lookup sends a second query after a share of this timeout. Even a busy machine gets its answer sooner. */
const PATIENT_MS = 20_000;

describe('createVettedConnector', () => {
  let names: FakeNameServer;
  let receiver: FakeReceiver;
  const agents: Agent[] = [];

  beforeAll(async () => {
    names = await startNameServer();
    receiver = await startReceiver({ host: '127.0.0.2' });
  });
  afterEach(async () => {
    await Promise.all(agents.splice(0).map((agent) => agent.destroy()));
  });
  afterAll(async () => {
    await names.close();
    await receiver.close();
  });

  const agentOf = (policy: EgressPolicy, more: Partial<ConnectorOptions> = {}): Agent => {
    const { connect } = createVettedConnector(policy, {
      timeoutMs: 1000,
      nameServers: [names.address],
      hostsFile: '/nowhere',
      ...more,
    });
    const agent = new Agent({ connect });
    agents.push(agent);
    return agent;
  };
  const get = (agent: Agent, host: string) => request(`http://${host}:${receiver.port}/`, { dispatcher: agent });

  test('connects to the vetted address and keeps the Host header', async () => {
    names.setName('good.test', ['127.0.0.2']);
    const reply = await get(agentOf(publicOnly), 'good.test');
    await reply.body.dump();
    expect(reply.statusCode).toBe(200);
    expect(receiver.requests.at(-1)?.headers.host).toBe(`good.test:${receiver.port}`);
  });

  test.each([
    ['private', ['10.0.0.1']],
    ['loopback', ['127.0.0.1']],
    ['loopback', ['::ffff:7f00:1']],
    ['cloud metadata', ['169.254.169.254']],
    ['private', ['127.0.0.2', '10.0.0.1']],
    ['private', ['127.0.0.2', 'fd00::1']],
  ])('blocks a name that has a %s address among %j', async (kind, addresses) => {
    const name = `${addresses.join('-').replaceAll(/[.:]/g, 'x')}.test`;
    names.setName(name, addresses);
    const before = receiver.connections.total;
    const found: string[] = [];
    const agent = agentOf(publicOnly, { onBlockedName: (...[, , verdict]) => found.push(verdict) });
    for (let i = 0; i < 2; i += 1) {
      await expect(get(agent, name)).rejects.toThrow(String(NO_ALLOWED_ADDRESS));
    }
    expect(found).toEqual([`a ${kind} address`]);
    expect(receiver.connections.total).toBe(before);
  });

  test.each(['127.0.0.1', '0x7f.1', '2130706433', '[::ffff:127.0.0.1]', '[::1]'])(
    'blocks the literal %s',
    async (host) => {
      await expect(get(agentOf(publicOnly), host)).rejects.toMatchObject({
        name: 'BlockedAddressError',
        message: expect.stringContaining('is a loopback address') as string,
      });
    },
  );

  test('blocks localhost, unless private addresses are allowed', async () => {
    await expect(get(agentOf({ ...publicOnly, allowCidrs: [] }), 'localhost')).rejects.toThrow(
      String(NO_ALLOWED_ADDRESS),
    );
    const onLoopback = await startReceiver();
    const reply = await request(`http://localhost:${onLoopback.port}/`, {
      dispatcher: agentOf({ ...publicOnly, allowPrivate: true }),
    });
    await reply.body.dump();
    expect(reply.statusCode).toBe(200);
    await onLoopback.close();
  });

  test('blocks a denied port', async () => {
    names.setName('port.test', ['127.0.0.2']);
    await expect(get(agentOf({ ...publicOnly, deniedPorts: [receiver.port] }), 'port.test')).rejects.toThrow(
      `port ${receiver.port} is not allowed`,
    );
  });

  test('connects to the vetted first answer even if the second one is a loopback address (DNS rebinding)', async () => {
    names.setAnswersInTurn('rebind.test', [['127.0.0.2'], ['127.0.0.1']]);
    const reply = await get(agentOf(publicOnly, { timeoutMs: PATIENT_MS }), 'rebind.test');
    await reply.body.dump();
    expect(reply.statusCode).toBe(200);
    expect(receiver.requests.at(-1)?.headers.host).toBe(`rebind.test:${receiver.port}`);
    expect(names.questions.filter((question) => question === 'A rebind.test')).toHaveLength(1);
    // The next lookup gets the second answer, which is vetted again.
    await expect(get(agentOf(publicOnly, { timeoutMs: PATIENT_MS }), 'rebind.test')).rejects.toThrow(
      String(NO_ALLOWED_ADDRESS),
    );
  });

  test('concurrent connections share one lookup', async () => {
    names.setName('busy.test', ['127.0.0.2']);
    const agent = agentOf(publicOnly, { timeoutMs: PATIENT_MS });
    const replies = await Promise.all(Array.from({ length: 20 }, () => get(agent, 'busy.test')));
    await Promise.all(replies.map((reply) => reply.body.dump()));
    expect(names.questions.filter((question) => question === 'A busy.test')).toHaveLength(1);
  });

  test('reports an unknown name, and a name server that does not answer in time', async () => {
    await expect(get(agentOf(publicOnly), 'missing.test')).rejects.toMatchObject({ code: 'ENOTFOUND' });
    names.setName('silent.test', 'silent');
    await expect(get(agentOf(publicOnly, { timeoutMs: 300 }), 'silent.test')).rejects.toMatchObject({
      code: expect.stringMatching(/TIMEOUT/) as string,
    });
  });

  test('uses the hosts file and sees its changes', async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'mailhook-hosts-'));
    const hostsFile = path.join(dir, 'hosts');
    await writeFile(hostsFile, '# comment\n127.0.0.2 First.internal second.internal # more\nnonsense\n');
    const agent = agentOf(publicOnly, { hostsFile });
    await (await get(agent, 'second.internal')).body.dump();
    await writeFile(hostsFile, '10.0.0.1 second.internal\n');
    await utimes(hostsFile, new Date(), new Date(Date.now() + 5000));
    await eventually(
      async () => {
        // A new connection, because the first one is kept alive.
        const reply = await request(`http://second.internal:${receiver.port}/`, {
          dispatcher: agent,
          reset: true,
        }).catch((error: unknown) => String(error));
        if (typeof reply === 'string') return reply.includes(String(NO_ALLOWED_ADDRESS));
        await reply.body.dump();
        return false;
      },
      { what: 'the changed hosts file to be seen' },
    );
    await rm(dir, { recursive: true });
  });
});
