import { EMPTY } from './arbitrary-log.suite.ts';
import { createEventLog } from './event-log.ts';
import { createMemoryStore } from './memory-store.suite.ts';

const HOUR_MS = 3_600_000;
const reason = 'redis';

describe('spans of lost writes', () => {
  let nowMs: number;
  let store: ReturnType<typeof createMemoryStore>;
  beforeEach(() => {
    nowMs = 100 * HOUR_MS;
    store = createMemoryStore(() => nowMs);
  });
  const open = () => {
    const shardOf = (account: string): string => (account === 'far' ? '1' : '0');
    return createEventLog({ store, key: 'key', retentionMs: HOUR_MS, nowMs: () => nowMs, shardOf });
  };
  const gapsOf = async (account: string, more = {}) => {
    const { gaps } = await open().search({ account, ...more }, EMPTY, { limit: 10 });
    return gaps.map(({ fromMs, toMs, reason, events }) => [fromMs - nowMs, toMs - nowMs, reason, events]);
  };

  it('are gaps of all accounts of the shard, one if they meet for one reason, until the retention ends', async () => {
    await open().addLost('0', { fromMs: nowMs - 9000, toMs: nowMs - 5000, reason });
    await open().addLost('0', { fromMs: nowMs - 6000, toMs: nowMs - 4000, reason });
    await open().addLost('0', { fromMs: nowMs - 2000, toMs: nowMs - 1000, reason });
    await open().addLost('0', { fromMs: nowMs - 7000, toMs: nowMs - 4500, reason: 'store' });
    await open().addLost('1', { fromMs: nowMs - 20, toMs: nowMs - 10, reason });
    const both = [
      [-2000, -1000, 'redis', 0],
      [-9000, -4000, 'redis', 0],
      [-7000, -4500, 'store', 0],
    ];
    expect([await gapsOf('near'), await gapsOf('other')]).toEqual([both, both]);
    expect(await gapsOf('far')).toEqual([[-20, -10, 'redis', 0]]);
    expect(await gapsOf('near', { toMs: nowMs - 3000 })).toEqual(both.slice(1));
    nowMs += HOUR_MS;
    await open().maintain('0');
    expect([await gapsOf('near'), (await gapsOf('far')).length]).toEqual([[], 1]);
    await open().maintain('1');
    expect([...store.objects.keys()]).toEqual([]);
  });

  it('begin with the retention if Redis has lost all, and are stored once', async () => {
    const log = open();
    for (let i = 0; i < 3; i += 1) await log.addLost('0', { fromMs: 0, toMs: nowMs, reason });
    expect(await gapsOf('near')).toEqual([[-HOUR_MS, 0, 'redis', 0]]);
    expect(store.objects.size).toBe(1);
  });
});
