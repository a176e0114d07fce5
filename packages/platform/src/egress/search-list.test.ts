import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FakeNameServer } from '@mailhook/testing';
import { startConnectProxy, startNameServer, startReceiver } from '@mailhook/testing';
import { Agent, request } from 'undici';
import { readSearchList } from './search-list.ts';
import { createVettedConnector } from './vetted-connector.ts';

const policy = { allowPrivate: true, allowCidrs: [], deniedPorts: [] };

describe('the search list', () => {
  let names: FakeNameServer;
  beforeAll(async () => {
    names = await startNameServer();
    names.setName('proxy.prod.svc.test', ['127.0.0.1']);
    names.setName('receiver.test', ['127.0.0.1']);
    names.setName('receiver.svc.test', ['127.0.0.1']);
  });
  afterAll(() => names.close());

  const statusBy = async (proxyHost: string, host = 'receiver.test', ndots = 5): Promise<unknown> => {
    const proxy = await startConnectProxy();
    const receiver = await startReceiver();
    const { connect } = createVettedConnector(policy, {
      timeoutMs: 10_000,
      nameServers: [names.address],
      hostsFile: '/nowhere',
      proxyUrl: `http://${proxyHost}:${new URL(proxy.url).port}`,
      searchList: { domains: ['svc.test', 'prod.svc.test'], ndots },
    });
    const agent = new Agent({ connect });
    try {
      const reply = await request(`http://${host}:${receiver.port}/`, { dispatcher: agent });
      await reply.body.dump();
      return reply.statusCode;
    } catch (error) {
      return Reflect.get(Object(error), 'name');
    } finally {
      await agent.destroy();
      await Promise.all([proxy.close(), receiver.close()]);
    }
  };

  test.each([
    ['proxy', 5],
    ['proxy.prod', 5],
    ['proxy.prod', 1],
    ['proxy.prod.svc.test', 5],
    ['proxy.prod.svc.test.', 5],
  ])('leads to the proxy %s with ndots:%d', async (host, ndots) => {
    expect(await statusBy(host, 'receiver.test', ndots)).toBe(200);
  });

  test('does not change a name with a dot at its end', async () => {
    expect(await statusBy('proxy.')).toBe('ProxyAwayError');
  });

  test('does not change names of receivers', async () => {
    expect(await statusBy('proxy', 'receiver')).not.toBe(200);
  });

  test('is read from resolv.conf', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'mailhook-resolv-'));
    const file = path.join(folder, 'resolv.conf');
    await writeFile(
      file,
      'domain old.test\nsearch svc.test  prod.svc.test # comment\nnameserver 10.0.0.1\noptions rotate ndots:5\n',
    );
    expect(readSearchList(file)).toEqual({ domains: ['svc.test', 'prod.svc.test'], ndots: 5 });
    await writeFile(file, 'nameserver 10.0.0.1\n');
    expect(readSearchList(file)).toEqual({ domains: [], ndots: 1 });
    expect(readSearchList('/nowhere')).toEqual({ domains: [], ndots: 1 });
    await rm(folder, { recursive: true });
  });
});
