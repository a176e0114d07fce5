import type { EventTraces } from '@mailhook/core';
import { createEventLookup } from './event-lookup.ts';

/** Lookups that end when the test ends them. */
function rig() {
  const under: { account: string; end: (fault?: Error) => void }[] = [];
  const nothing: EventTraces = { items: [], attempts: [], searched: '', isComplete: true };
  const lookUp = createEventLookup({
    finder: {
      find: (account) =>
        new Promise((resolve, reject) => {
          under.push({ account, end: (fault) => (fault === undefined ? resolve(nothing) : reject(fault)) });
        }),
    },
    reader: { subscriptions: () => Promise.resolve([]) },
  });
  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { under, lookUp: (account: string) => lookUp(account, { hash: 'ten-chars-' }), settled };
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

  it('get a 429 while too many lookups of the account wait, and are accepted again afterwards', async () => {
    const { under, lookUp, settled } = rig();
    const waiting = Array.from({ length: 6 }, () => lookUp('a'));
    await expect(lookUp('a')).rejects.toMatchObject({
      code: 'rate_limited',
      status: 429,
      headers: { 'retry-after': '5' },
    });
    for (let i = 0; i < 6; i += 1) {
      await settled();
      under[i]?.end();
    }
    await Promise.all(waiting);
    const next = lookUp('a');
    await settled();
    under[6]?.end();
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
