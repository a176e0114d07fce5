import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FakeReceiver } from '@mailhook/testing';
import { aCampaignEvent, acknowledge, aClick, eventually, startReceiver, isFreePort } from '@mailhook/testing';
import type { Customer } from './rig/customer.ts';
import { newCustomer } from './rig/customer.ts';
import type { StartedStack } from './rig/started-stack.ts';
import { freePorts, isRunning, startProcess, startStack } from './rig/started-stack.ts';

const START_MS = 180_000;

/** Starts a good receiver that records the hashes and message ids it gets. */
async function startCountingReceiver(): Promise<{ receiver: FakeReceiver; seen: Set<string> }> {
  const seen = new Set<string>();
  const receiver = await startReceiver({
    reply: ({ json }) => {
      if (!Array.isArray(json)) {
        seen.add((json as { messageId: string }).messageId);
        return { status: 200 };
      }
      for (const { hash } of json as { hash: string }[]) seen.add(hash);
      return acknowledge(json);
    },
  });
  return { receiver, seen };
}

test('npm start without Redis and with --no-install says how to get it before anything starts', async () => {
  const bin = mkdtempSync(path.join(tmpdir(), 'mailhook-bin-'));
  const onPath = (name: string): string | undefined =>
    (process.env['PATH'] ?? '')
      .split(path.delimiter)
      .map((dir) => path.join(dir, name))
      .find((file) => existsSync(file));
  for (const name of ['node', 'npm', 'sh', 'env', 'apt-get']) {
    const file = onPath(name);
    if (file !== undefined) symlinkSync(file, path.join(bin, name));
  }
  const run = await startProcess({ args: ['--no-install'], env: { PATH: bin } });
  expect(await run.exited).toBe(1);
  expect(run.output).toMatch(/Mailhook needs Redis, and there is no redis-server on the PATH: .*, or set REDIS_URL/);
  expect(run.output).not.toMatch(/installing it|Build|\n\s+at /);
  expect(readdirSync(run.dataDir)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^(redis|stack.json)$/)]));
  await run.close();
  rmSync(bin, { recursive: true });
});

test(
  'npm start says that another program took a port during its build, and does not take it for its own',
  async () => {
    const ports = await freePorts();
    const run = await startProcess({ ports });
    await eventually(() => run.output.includes('Build'), { what: 'the end of the build', withinMs: START_MS });
    const other = await startReceiver({ port: ports.opsPort, reply: () => ({ status: 200 }) });
    expect(await run.exited).toBe(1);
    expect(run.output).toMatch(new RegExp(`Port ${ports.opsPort} is taken: stop what uses it, or set`));
    expect(run.output).not.toMatch(/Mailhook is ready|\n\s+at /);
    await run.close();
    await other.close();
  },
  START_MS,
);

describe('npm start', () => {
  const ports = freePorts();
  let stack: StartedStack;
  let receiver: FakeReceiver;
  let seen: Set<string>;
  let customer: Customer;
  beforeAll(async () => {
    const env = { RETRY_SCHEDULE: '100ms,200ms,400ms,800ms,2s,2s', BREAKER_FAILURES: '100' };
    stack = await startStack({ ports: await ports, env });
    ({ receiver, seen } = await startCountingReceiver());
    customer = await newCustomer(stack.file);
    await customer.subscribe('click', receiver.url);
    await customer.setCampaign(receiver.url);
  }, START_MS);
  afterAll(async () => {
    await stack.close();
    await receiver.close();
  }, 60_000);

  test('describes itself to other programs in a file that only its user may read', () => {
    const file = path.join(stack.dataDir, 'stack.json');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(stack.file).not.toHaveProperty('account');
    for (const pid of Object.values(stack.file.pids)) expect(isRunning(pid)).toBe(true);
  });

  test('a second start on the same ports reports this in one line, and does not disturb the first', async () => {
    const second = await startProcess({ ports: await ports });
    expect(await second.exited).not.toBe(0);
    const said = second.output.split('\n').filter((line) => line.includes(String(stack.file.baseUrl.split(':')[2])));
    expect(said).toHaveLength(1);
    expect(said[0]).toMatch(/Port \d+ is taken\. Set PORT/);
    expect(second.output).not.toMatch(/\n\s+at /);
    await second.close();
    await customer.send([aClick({ messageId: 'after the second start' })]);
    await eventually(() => seen.has('after the second start'), { what: 'a notification of the first stack' });
  }, 60_000);

  test(
    'two stacks run side by side, each with separate data',
    async () => {
      const other = await startStack();
      try {
        expect(other.file.redisUrl).not.toBe(stack.file.redisUrl);
        expect(other.file.producerToken).not.toBe(stack.file.producerToken);
        const { receiver: elsewhere, seen: seenElsewhere } = await startCountingReceiver();
        const neighbour = await newCustomer(other.file);
        await neighbour.subscribe('click', elsewhere.url);
        await Promise.all([
          neighbour.send([aClick({ messageId: 'there' })]),
          customer.send([aClick({ messageId: 'here' })]),
        ]);
        await elsewhere.waitForRequests(1);
        await eventually(() => seen.has('here'), { what: 'the notification of the first stack' });
        expect(seenElsewhere).toEqual(new Set(['there']));
        expect(seen.has('there')).toBe(false);
        await elsewhere.close();
      } finally {
        await other.close();
      }
    },
    START_MS,
  );

  test.each(['campaign-batcher', 'transactional-notifier', 'api', 'redis'] as const)(
    'starts %s again after a SIGKILL, and no accepted event is lost',
    async (name) => {
      const before = stack.file.pids[name];
      const wanted = new Set<string>();
      const send = async (): Promise<void> => {
        const events = Array.from({ length: 20 }, () => aCampaignEvent());
        const clicks = Array.from({ length: 5 }, () => aClick());
        await customer.send([...events, ...clicks]);
        for (const { hash = '' } of events) wanted.add(hash);
        for (const { messageId } of clicks) wanted.add(messageId);
      };
      for (let i = 0; i < 10; i += 1) await send();
      process.kill(before, 'SIGKILL');
      // While the api or Redis is down, requests are refused. Refused events do not count as accepted.
      for (let i = 0; i < 10; i += 1) await send().catch(() => undefined);
      await eventually(() => stack.file.pids[name] !== before && isRunning(stack.file.pids[name]), {
        withinMs: 20_000,
        what: `a new ${name}`,
      });
      await eventually(() => send().then(() => true), { withinMs: 30_000, what: 'accepted events after the restart' });
      await eventually(() => [...wanted].every((one) => seen.has(one)), {
        withinMs: 30_000,
        what: 'every accepted event at the receiver',
      });
      const others = Object.entries(stack.file.pids).filter(([one]) => one !== name);
      for (const [, pid] of others) expect(isRunning(pid)).toBe(true);
    },
    90_000,
  );

  test('Ctrl-C ends everything and leaves no process, port or temporary file', async () => {
    const { pids } = stack.file;
    const { port, opsPort } = await ports;
    await customer.send(Array.from({ length: 200 }, () => aCampaignEvent()));
    stack.interrupt();
    // The exit code of npm does not matter, because npm may end by the signal.
    await stack.exited;
    for (const pid of Object.values(pids)) expect(isRunning(pid)).toBe(false);
    expect(await Promise.all([port, opsPort, opsPort + 1, opsPort + 2].map(isFreePort))).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(existsSync(path.join(stack.dataDir, 'stack.json'))).toBe(false);
    expect(readdirSync(stack.dataDir).filter((name) => /\.(pid|tmp)$/.test(name))).toEqual([]);
    expect(stack.output).toContain('Stopped.');
  }, 60_000);
});
