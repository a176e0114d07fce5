import { unlessMissing, testMongoUrl, testRedisUrl, uniqueName } from '@mailhook/testing';
import { MODULE, startApi } from '../api-rig.suite.ts';
import type { ApiRig, TestAccount } from '../api-rig.suite.ts';
import { expectProblem } from './customer-api-rig.suite.ts';

const ADDRESS = 'https://example.com/hook';

for (const store of ['Redis', 'MongoDB'] as const) {
  const describeIn = unlessMissing(describe, store === 'MongoDB' ? 'mongod' : undefined);
  describeIn(`If-Match of settings in ${store}`, () => {
    let replicas: readonly [ApiRig, ApiRig];
    let mine: TestAccount;
    let subscription: string;

    beforeAll(async () => {
      const shared = { QUEUE_PREFIX: uniqueName('if-match'), REDIS_URL: await testRedisUrl() };
      const database = new URL(await testMongoUrl());
      database.pathname = `/${uniqueName('if-match')}`;
      const env = store === 'Redis' ? shared : { ...shared, MONGO_URL: database.href };
      replicas = [await startApi(env), await startApi(env)];
    });
    afterAll(async () => {
      for (const replica of replicas) await replica.close();
    });
    beforeEach(async () => {
      mine = await replicas[0].newAccount();
      await call(0)('put', '/v3/webhook/campaign', { address: ADDRESS });
      subscription = await replicas[0].subscribe(mine, 'open', ADDRESS);
    });

    const call = (replica: 0 | 1) => replicas[replica].as(mine.token);
    /** What a PUT replaces, and bodies that each change it. */
    const RECORDS: Readonly<Record<string, { path: () => string; body: (name: string) => object }>> = {
      campaign: { path: () => '/v3/webhook/campaign', body: (name) => ({ address: `${ADDRESS}/${name}` }) },
      subscription: {
        path: () => `/v3/webhook/subscriptions/${subscription}`,
        body: (name) => ({ module: MODULE, address: `${ADDRESS}/${name}` }),
      },
      'destination settings': {
        path: () => `/v3/webhook/destinations/${subscription}/settings`,
        // No answer shows that the value has changed.
        body: (name) => ({ headers: { authorization: `Bearer ${name}` } }),
      },
    };
    const names = Object.keys(RECORDS);
    const recordOf = (name: string) => {
      const { path = () => '', body = () => ({}) } = RECORDS[name] ?? {};
      const read = async (replica: 0 | 1 = 0) => {
        const answer = await call(replica)('get', path());
        return { tag: String(answer.headers['etag']), body: answer.body as unknown };
      };
      const put = (replica: 0 | 1, value: string, tag?: string) => {
        const sent = call(replica)('put', path(), body(value));
        return tag === undefined ? sent : sent.set('if-match', tag);
      };
      return { path: path(), read, put };
    };

    it.each(names)('lets a PUT change a %s of this ETag only', async (name) => {
      const { read, put, path } = recordOf(name);
      await put(0, 'zero');
      const { tag } = await read();
      expect(tag).toMatch(/^"[\w-]{22}"$/);
      expect((await read(1)).tag).toBe(tag);
      expect((await put(0, 'one', tag)).status).toBe(200);
      const now = await read();
      expect(now.tag).not.toBe(tag);
      for (const older of [tag, '"x"', 'x', '', '"a", "b"', `W/${tag}`]) {
        const refused = await put(1, 'two', older);
        expectProblem(refused, 412, 'precondition_failed');
        expect([older, await read()]).toEqual([older, now]);
      }
      expect((await call(0)('get', path).set('if-none-match', now.tag)).status).toBe(304);
      for (const [i, current] of [now.tag, `"x", ${now.tag}`, `W/${now.tag}`, '*', undefined].entries()) {
        if (i > 0) now.tag = (await read()).tag;
        const tagNow = current?.replace(/"[\w-]{22}"/, now.tag);
        expect([current, (await put(1, `three${i}`, tagNow)).status]).toEqual([current, 200]);
      }
    });

    it.each(names)('lets exactly one of two replicas change a %s of the same ETag', async (name) => {
      const { read, put } = recordOf(name);
      for (let round = 0; round < 5; round += 1) {
        const { tag } = await read();
        const answers = await Promise.all(
          ['a', 'b', 'c', 'd'].map((one, i) => put(i % 2 === 0 ? 0 : 1, `${one}${round}`, tag)),
        );
        expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
      }
    });

    it('changes with a login that goes with its address, and not with secrets', async () => {
      const settings = recordOf('destination settings');
      await settings.put(0, 'login');
      const { tag } = await settings.read();
      await call(0)('post', `/v3/webhook/destinations/${subscription}/secrets`);
      expect((await settings.read()).tag).toBe(tag);
      const moved = { module: MODULE, address: 'https://other.example.com/' };
      await call(0)('put', `/v3/webhook/subscriptions/${subscription}`, moved);
      expectProblem(await settings.put(1, 'again', tag), 412, 'precondition_failed');
    });

    it('lets a DELETE remove the subscription that was read only', async () => {
      const { read, put, path } = recordOf('subscription');
      const { tag } = await read();
      await put(0, 'moved');
      expectProblem(await call(1)('delete', path).set('if-match', tag), 412, 'precondition_failed');
      expect((await call(1)('delete', path).set('if-match', (await read()).tag)).status).toBe(200);
      expectProblem(await call(1)('delete', path).set('if-match', '*'), 404, 'not_found');
    });
  });
}
