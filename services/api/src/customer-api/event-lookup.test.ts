import type { EventTraces } from '@mailhook/core';
import { aShownDestination } from '@mailhook/testing';
import { createRequestLimits } from '../auth/request-limits.ts';
import { createEventLookup } from './event-lookup.ts';

/** Lookups that end when the test ends them. */
function rig() {
  const under: { account: string; end: (fault?: Error) => void }[] = [];
  const clock = { ms: 0 };
  const limits = createRequestLimits({ perSecond: 1, now: () => clock.ms });
  const nothing: EventTraces = { items: [], attempts: [], searched: '', isComplete: true };
  const lookUp = createEventLookup({
    finder: {
      find: (account) =>
        new Promise((resolve, reject) => {
          under.push({ account, end: (fault) => (fault === undefined ? resolve(nothing) : reject(fault)) });
        }),
    },
    limits,
    openLog: undefined,
    reader: { destinations: () => Promise.resolve([]) },
  });
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { clock, under, lookUp: (account: string) => lookUp(account, { hash: 'ten-chars-' }), settled };
}

describe('event lookups', () => {
  it('run one at a time per account, and do not wait for other accounts', async () => {
    const { under, lookUp, settled } = rig();
    const all = [lookUp('a'), lookUp('a'), lookUp('b')];
    await settled();
    expect(under.map(({ account }) => account)).toEqual(['a', 'b']);
    under[0]?.end();
    await settled();
    expect(under.map(({ account }) => account)).toEqual(['a', 'b', 'a']);
    for (const { end } of under) end();
    await expect(Promise.all(all)).resolves.toHaveLength(3);
  });

  it('get a 429 when lookups used up the requests of the account, and are accepted again afterwards', async () => {
    const { under, lookUp, settled, clock } = rig();
    const failed: unknown[] = [];
    const all = Array.from({ length: 5 }, () => lookUp('a').catch((error: unknown) => failed.push(error)));
    const [last, other] = [lookUp('a'), lookUp('b')];
    for (let i = 0; i < 4; i += 1) {
      await settled();
      for (const { end } of under) end();
    }
    await Promise.all([...all, other, expect(last).rejects.toMatchObject({ code: 'rate_limited', status: 429 })]);
    // 40 requests are left at first, and every lookup counts as 20.
    expect(failed).toHaveLength(3);
    expect(failed[0]).toMatchObject({ headers: { 'retry-after': '1' } });
    clock.ms += 1000;
    const next = lookUp('a');
    await settled();
    under.at(-1)?.end();
    await expect(next).resolves.toMatchObject({ items: [] });
  });

  it('continue after a failed lookup', async () => {
    const { under, lookUp, settled } = rig();
    const [first, second] = [lookUp('a'), lookUp('a')];
    await settled();
    under[0]?.end(new Error('away'));
    await expect(first).rejects.toThrow('away');
    await settled();
    under[1]?.end();
    await expect(second).resolves.toMatchObject({ items: [] });
  });
});

test.each([
  [{ email: 'anna news@example.com' }, ['anna news@example.com', 'anna+news@example.com']],
  [{ messageId: '<CA x/y=@example.com>' }, ['<CA x/y=@example.com>', '<CA+x/y=@example.com>']],
  [{ email: 'anna@example.com' }, ['anna@example.com']],
])('an event lookup tries a plus for a space when it finds nothing: %j', async (query, tried) => {
  const values: unknown[] = [];
  const lookUp = createEventLookup({
    finder: {
      find: (_account, wanted) => {
        values.push(...Object.values(wanted));
        return Promise.resolve({ items: [], attempts: [], searched: '', isComplete: true });
      },
    },
    reader: { destinations: () => Promise.resolve([]) },
    limits: { charge: () => undefined, scan: (_account, scan) => scan() },
    openLog: undefined,
  });
  await lookUp('a', query);
  expect(values).toEqual(tried);
});

test.each([
  { id: 'evt_1' },
  { hash: 'ten-chars-' },
  { messageId: 'm' },
  { webhookId: 'msg_1' },
  { email: 'a@b.example' },
])('an event is looked up at all destinations of the account: %j', async (query) => {
  const asked: unknown[] = [];
  const lookUp = createEventLookup({
    finder: {
      find: (_account, wanted, destinations) => {
        asked.push(wanted, destinations);
        return Promise.resolve({ items: [], attempts: [], searched: '', isComplete: true });
      },
    },
    reader: {
      destinations: () =>
        Promise.resolve([
          aShownDestination({ id: 'campaign', module: 'campaign' }),
          aShownDestination({ id: 'sub' }),
          aShownDestination({ id: 'own', module: 'campaign' }),
        ]),
    },
    limits: { charge: () => undefined, scan: (_account, scan) => scan() },
    openLog: undefined,
  });
  await lookUp('a', query);
  const destinations = [
    { id: 'campaign-a', kind: 'campaign' },
    { id: 'sub', kind: 'transactional' },
    { id: 'own', kind: 'campaign' },
  ];
  expect(asked).toEqual([query, destinations]);
});
