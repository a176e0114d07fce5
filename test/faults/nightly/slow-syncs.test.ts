import { cannotShiftClocks, eventually, unlessImpossible } from '@mailhook/testing';
import { readScrape } from '../../../scripts/monitoring/scrape.ts';
import { startRunUnderLoad } from '../rig/run-under-load.ts';
import type { RunUnderLoad } from '../rig/run-under-load.ts';

const SYNCS = 5;

unlessImpossible(describe, cannotShiftClocks())('each sync of Redis takes long, under load of both mechanisms', () => {
  let run: RunUnderLoad;
  afterEach(() => run.close(), 90_000);

  const delayedSyncs = async (): Promise<number> =>
    Number(/aof_delayed_fsync:(\d+)/.exec(await run.stack.client.info('persistence'))?.[1]);

  test.each([
    ['always', 2000],
    ['always', 6000],
    ['everysec', 2000],
    ['everysec', 6000],
  ] as const)(
    '%s, %i ms: nothing is missing, and nothing gets another webhook-id',
    async (appendfsync, syncMs) => {
      run = await startRunUnderLoad('sync', { appendfsync, clockAheadMs: 0 });
      await run.moreOf('delivered', 300);
      const { stack } = run;
      stack.redis.setSyncMs(syncMs);
      if (appendfsync === 'everysec') await run.moreOf('accepted', (SYNCS * syncMs) / 15);
      // Each reply needs a sync.
      for (let i = 0; appendfsync === 'always' && i < SYNCS; i += 1)
        await eventually(() => stack.client.set('probe', i).catch(() => false), {
          withinMs: 20 * syncMs,
          what: 'a write',
        });
      stack.redis.setSyncMs(0);
      const endedAtMs = performance.now();
      await run.moreOf('delivered', 300);
      // Redis waits for a sync that has begun two seconds ago.
      if (appendfsync === 'everysec' && syncMs > 2000) {
        expect(await delayedSyncs()).toBeGreaterThan(0);
        const isMeasured = async (): Promise<boolean> => {
          const scrape = readScrape(await (await fetch(`${stack.opsUrl}/metrics`)).text());
          return scrape.some(({ metric, value }) => metric === 'mailhook_redis_delayed_syncs' && value > 0);
        };
        await eventually(isMeasured, { withinMs: 30_000, what: 'the metric of late syncs' });
      }
      await run.everythingArrives();
      const repairs = [...stack.repairs].map(([what, count]) => `${what} ${count}`).join(', ');
      run.report(
        `syncs of ${syncMs} ms, ${appendfsync} (repairs ${repairs || 'none'}, all arrived after ` +
          `${Math.round(run.ledger.lastDeliveryAtMs - endedAtMs)} ms)`,
      );
      expect(run.ledger.missing()).toEqual([]);
      expect(run.ledger.renamed).toEqual([]);
      expect(run.lostWrites).toEqual([]);
    },
    240_000,
  );
});
