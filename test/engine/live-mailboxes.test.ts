import { uniqueName } from '@mailhook/testing';
import {
  entry,
  HOUR_MS,
  LIMITS,
  newRecord,
  scriptsRig,
} from '../../packages/delivery/src/mailbox/mailbox-rig.suite.ts';
import { Installation } from '@mailhook/delivery';
import { oldestWaitingMs } from '../../packages/insight/src/gauges.ts';
import { createDestinationLists, createOverview } from '@mailhook/insight';

const ROOM = { proven: 1, others: 1 };

describe('mailboxes with events, whatever list they are in', () => {
  const rig = scriptsRig('campaign');
  const installation = () => new Installation(rig.redis, rig.keys.prefix, 1);
  const save = (id: string) => rig.commands.saveDestination(id, newRecord());
  const append = (id: string, text: string, room = 0) =>
    rig.commands.append({
      worker: 'w',
      firstClaim: 1,
      room: { proven: room, others: room },
      jobKey: '',
      progress: uniqueName('c'),
      slice: 1,
      limits: LIMITS,
      groups: [{ destination: id, account: 'account', lane: 'f', events: 1, entries: [text] }],
    });

  /** Three in the backlog, one on the ready list, one in flight, and one without events. */
  async function fill(): Promise<void> {
    for (const id of ['c', 'a', 'b', 'ready', 'owned', 'empty']) await save(id);
    for (const id of ['c', 'a', 'b', 'empty']) await rig.commands.pause(id, Date.now() + HOUR_MS);
    await rig.commands.take('w', 1, { proven: 10, others: 10 }, LIMITS);
    for (const id of ['c', 'a', 'b']) await append(id, entry(id, { atMs: Date.now() - HOUR_MS }));
    await append('owned', entry('owned'), 1);
    await append('ready', entry('ready', { atMs: Date.now() - 2 * HOUR_MS }));
  }

  test('are listed as waiting, each once, with pages of any size', async () => {
    await fill();
    const backlog = await rig.redis.zrange(rig.keys.backlog, '0', '-1');
    expect([...backlog].sort()).toEqual(['a', 'b', 'c']);
    const lists = createDestinationLists(installation());
    for (const limit of [1, 2, 3, 10]) {
      const found: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await lists.list('waiting', { limit, cursor });
        expect(page.items.length).toBeLessThanOrEqual(limit);
        found.push(...page.items.map(({ id }) => id));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      expect(found.slice(0, 3)).toEqual(backlog);
      expect(found.slice(3).sort()).toEqual(['owned', 'ready']);
    }
    expect((await lists.list('waiting', { limit: 10, cursor: '1~live0~' })).items).toEqual([]);
  });

  test('count for the age of the oldest event, also before they are in the backlog', async () => {
    await fill();
    const ageMs = Date.now() - (await oldestWaitingMs(rig.redis, rig.keys));
    expect(Math.round(ageMs / HOUR_MS)).toBe(2);
  });

  test('are counted per worker, and by the overview', async () => {
    await fill();
    await rig.commands.heartbeat('w', HOUR_MS, 500);
    await rig.commands.heartbeat('idle', HOUR_MS, 500);
    const overview = await createOverview(installation())();
    expect(overview.workers.map(({ id, destinations }) => [id, destinations]).sort()).toEqual([
      ['idle', 0],
      ['w', 1],
    ]);
    expect(overview.destinations).toContainEqual({ kind: 'campaign', busy: 6, parked: 0 });
    expect(overview.totals).toMatchObject({ waiting: 5, paused: 4, late: 1, isComplete: true });
    expect(overview.oldestReady).toContainEqual({ kind: 'campaign', acceptedAt: expect.any(String) as string });
    expect((await rig.commands.take('w', 9, ROOM, LIMITS)).replies).toHaveLength(1);
    expect((await createOverview(installation())()).workers.find(({ id }) => id === 'w')?.destinations).toBe(2);
  });
});
