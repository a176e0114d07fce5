import { Redis } from 'ioredis';
import { createLogger } from '@mailhook/platform/logger';
import { testRedisUrl, uniqueName } from '@mailhook/testing';
import { PassThrough } from 'node:stream';
import { createAuditLog } from './audit-log.ts';

describe('the audit log', () => {
  let redis: Redis;
  const logged = new PassThrough({ encoding: 'utf8' });
  const logger = createLogger({ level: 'info', service: 'test', pretty: false, stream: logged });
  beforeAll(async () => {
    redis = new Redis(await testRedisUrl());
  });
  afterAll(() => redis.quit());

  const newLog = () => {
    const prefix = uniqueName('audit');
    return { prefix, log: createAuditLog({ redis, prefix, logger }) };
  };
  const made = (account: string, action: string) => ({ actor: 'customer', via: 'API', account, action }) as const;

  it('lists entries newest first, page by page, each once', async () => {
    const { log } = newLog();
    for (const action of ['a', 'b', 'c', 'd', 'e'])
      await log.record({ ...made('acc', action), token: 't', object: 'o' });
    const first = await log.list({ limit: 2 });
    expect(first.items[0]).toEqual({
      ...made('acc', 'e'),
      token: 't',
      object: 'o',
      id: expect.stringMatching(/^\d+-\d+$/) as string,
      time: expect.stringMatching(/^20.*Z$/) as string,
    });
    const second = await log.list({ limit: 3, cursor: first.nextCursor });
    expect([...first.items, ...second.items].map(({ action }) => action)).toEqual(['e', 'd', 'c', 'b', 'a']);
    expect(second.nextCursor).toBeUndefined();
    expect((await log.list({ limit: 9, cursor: 'nonsense' })).items).toHaveLength(5);
  });

  it('lists the entries of one account, also if they are far apart', async () => {
    const { log, prefix } = newLog();
    await log.record(made('mine', 'first'));
    const pipeline = redis.pipeline();
    const other = JSON.stringify(made('other', 'x'));
    for (let i = 0; i < 6000; i += 1) pipeline.xadd(`${prefix}:audit`, '*', 'action', other);
    await pipeline.exec();
    await log.record(made('mine', 'last'));
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await log.list({ account: 'mine', limit: 1, cursor });
      found.push(...page.items.map(({ action }) => action));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(found).toEqual(['last', 'first']);
  });

  it('keeps a number of entries of each customer, so that one customer cannot push out those of others', async () => {
    const prefix = uniqueName('audit');
    const log = createAuditLog({ redis, prefix, logger, keptOfCustomer: 3 });
    await log.record(made('victim', 'first'));
    await log.record({ ...made('flood', 'by an operator'), actor: 'operator' });
    for (let i = 0; i < 10; i += 1) await log.record(made('flood', `${i}`));
    const actions = (await log.list({ limit: 50 })).items.map(({ action }) => action);
    expect(actions).toEqual(['9', '8', '7', 'by an operator', 'first']);
    expect(await redis.xlen(`${prefix}:audit`)).toBe(5);
  });

  it('shows and keeps nothing that is older than 90 days', async () => {
    const { log, prefix } = newLog();
    const oldMs = Date.now() - 91 * 86_400_000;
    await redis.xadd(`${prefix}:audit`, `${oldMs}-0`, 'action', JSON.stringify(made('acc', 'old')));
    expect((await log.list({ limit: 5 })).items).toEqual([]);
    // Redis trims whole nodes of a stream, of up to 100 entries.
    for (let i = 1; i < 200; i += 1) await redis.xadd(`${prefix}:audit`, `${oldMs}-${i}`, 'action', '{}');
    await log.record(made('acc', 'new'));
    expect(await redis.xlen(`${prefix}:audit`)).toBeLessThanOrEqual(101);
    expect((await log.list({ limit: 5 })).items.map(({ action }) => action)).toEqual(['new']);
  });

  it('also logs each entry with its fields, so that an account that pushes out its entries is still seen', async () => {
    const log = createAuditLog({ redis, prefix: uniqueName('audit'), logger, keptOfCustomer: 1 });
    const origin = { token: 't', client: '203.0.113.7', requestId: 'r' };
    logged.read();
    const changes = ['first', 'second'].map((action) => ({ ...made('acc', action), ...origin }));
    for (const change of changes) await log.record({ ...change, object: 'x'.repeat(400) });
    const lines = String(logged.read()).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(
      changes.map((change) => ({
        ...change,
        object: 'x'.repeat(300),
        level: 'info',
        message: 'audit entry',
        service: 'test',
        time: expect.any(String) as string,
      })),
    );
  });

  it('logs an action that it cannot write', async () => {
    const { log, prefix } = newLog();
    await redis.set(`${prefix}:audit`, 'not a stream');
    logged.read();
    await log.record(made('acc', 'pause'));
    expect(String(logged.read())).toMatch(
      /could not be written to the audit log.*"action":"pause"|"action":"pause".*could not be written/s,
    );
  });
});
