import type { EventTraces } from '@mailhook/core';
import { createEventLookup } from './event-lookup.ts';

/** Look-ups that end when they are told to. */
function rig() {
  const under: { account: string; end: (fault?: Error) => void }[] = [];
  const nothing: EventTraces = { items: [], attempts: [], searched: '' };
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

describe('look-ups of events', () => {
  it('run one at a time for an account, and do not wait for other accounts', async () => {
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

  it('are refused with a 429 when too many of the account wait, and taken again afterwards', async () => {
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

  it('go on after one that failed', async () => {
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
