import type { FakeNameServer } from '@mailhook/testing';
import { eventually, freePort, startNameServer } from '@mailhook/testing';
import type { ResolveOptions } from './resolve.ts';
import { createNames } from './resolve.ts';

const TIMEOUT_MS = 600;
const away = { name: 'ResolverAwayError' };

describe('createNames', () => {
  let names: FakeNameServer;
  let other: FakeNameServer;

  beforeEach(async () => {
    [names, other] = await Promise.all([startNameServer(), startNameServer()]);
  });
  afterEach(() => Promise.all([names.close(), other.close()]));

  const create = (more: Partial<ResolveOptions> = {}) =>
    createNames({ timeoutMs: TIMEOUT_MS, nameServers: [names.address], hostsFile: '/nowhere', ...more }).resolve;

  test('an answer after the timeout replaces the cached failure', async () => {
    for (const server of [names, other]) server.setName('late.test', 'silent');
    // With two name servers, c-ares continues for twice the timeout.
    const resolve = create({ timeoutMs: 300, nameServers: [names.address, other.address] });
    await expect(resolve('late.test')).rejects.toMatchObject({ code: 'ETIMEOUT' });
    for (const server of [names, other]) server.setName('late.test', ['127.0.0.5'], 30);
    expect(await eventually(() => resolve('late.test'), { what: 'the late answer' })).toEqual(['127.0.0.5']);
  });

  describe('when a lookup gets no answer', () => {
    test('the name is at fault if the name server answers other queries', async () => {
      names.setName('silent.test', 'silent');
      await expect(create()('silent.test')).rejects.toMatchObject({ code: 'ETIMEOUT' });
    });

    test("a failure of the name's authoritative server counts as an answer", async () => {
      names.setName('broken.test', 'servfail');
      await expect(create()('broken.test')).rejects.toMatchObject({ code: 'ESERVFAIL' });
      expect(names.questions.filter((question) => question.startsWith('2 '))).toEqual([]);
    });

    test('the resolver is at fault while it answers nothing', async () => {
      names.setAway(true);
      const resolve = create();
      const lookups = Array.from({ length: 20 }, (_, i) => resolve(i === 0 ? 'a.test' : `a${i}.test`));
      for (const result of await Promise.allSettled(lookups)) expect(result).toMatchObject({ reason: away });
      // The lookups share one check per second. A busy machine may need more than one.
      expect(names.questions.filter((question) => question.startsWith('2 ')).length).toBeLessThan(lookups.length / 4);
      names.setAway(false);
      names.setName('a.test', ['127.0.0.6']);
      expect(await eventually(() => resolve('a.test'), { what: 'an answer' })).toEqual(['127.0.0.6']);
    });

    describe('because the resolver is down during a part of the lookup', () => {
      const PATIENT_MS = 4000;
      const questionsFor = (question: string): number => names.questions.filter((asked) => asked === question).length;
      const asked = (question: string, times: number) =>
        eventually(() => questionsFor(question) >= times, { withinMs: 20_000, what: `${question}, ${times} times` });

      test('and recovers before the second query, the answer counts', async () => {
        names.setName('a.test', ['127.0.0.8']);
        names.setAway(true);
        const lookup = create({ timeoutMs: PATIENT_MS })('a.test');
        await asked('A a.test', 1);
        names.setAway(false);
        expect(await lookup).toEqual(['127.0.0.8']);
      });

      test('and recovers after all queries, the resolver is at fault', async () => {
        names.setName('a.test', ['127.0.0.8']);
        names.setAway(true);
        const lookup = expect(create({ timeoutMs: PATIENT_MS })('a.test')).rejects.toMatchObject(away);
        await Promise.all([asked('A a.test', 2), asked('AAAA a.test', 2), asked('2 ', 1)]);
        names.setAway(false);
        await lookup;
      });

      test('and is up only for the first check, the resolver is at fault', async () => {
        names.setName('a.test', 'silent');
        const lookup = expect(create({ timeoutMs: PATIENT_MS })('a.test')).rejects.toMatchObject(away);
        await asked('2 ', 1);
        names.setAway(true);
        await lookup;
        expect(questionsFor('2 ')).toBe(2);
      });
    });

    test('the resolver is at fault if nothing listens at its address', async () => {
      const resolve = create({ nameServers: [`127.0.0.1:${await freePort()}`] });
      await expect(resolve('a.test')).rejects.toMatchObject(away);
    });

    test('one working name server of two is enough', async () => {
      names.setName('a.test', ['127.0.0.7']);
      names.setName('silent.test', 'silent');
      const resolve = create({ nameServers: [`127.0.0.1:${await freePort()}`, names.address] });
      expect(await resolve('a.test')).toEqual(['127.0.0.7']);
      await expect(resolve('silent.test')).rejects.toMatchObject({ code: 'ETIMEOUT' });
    });
  });
});
