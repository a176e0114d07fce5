import { setImmediate } from 'node:timers/promises';
import { mapWithConcurrency } from './map-with-concurrency.ts';

describe('mapWithConcurrency', () => {
  it('runs at most the given number at a time and keeps the order', async () => {
    let running = 0;
    let most = 0;
    const items = Array.from({ length: 20 }, (_, i) => i);
    const results = await mapWithConcurrency(items, 4, async (item) => {
      running += 1;
      most = Math.max(most, running);
      for (let i = 0; i < 20 - item; i += 1) await setImmediate();
      running -= 1;
      return item * 2;
    });
    expect(results).toEqual(items.map((item) => item * 2));
    expect(most).toBe(4);
  });

  it('rejects with a failure, and resolves at once without items', async () => {
    const fault = new Error('away');
    await expect(mapWithConcurrency([1, 2, 3], 2, () => Promise.reject(fault))).rejects.toBe(fault);
    await expect(mapWithConcurrency([], 2, () => Promise.reject(fault))).resolves.toEqual([]);
  });
});
