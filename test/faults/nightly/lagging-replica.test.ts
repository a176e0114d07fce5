import { eventually } from '@mailhook/testing';
import { readScrape } from '../../../scripts/monitoring/scrape.ts';
import { markReplicated } from '../rig/mark-replicated.ts';
import { startRunUnderLoad } from '../rig/run-under-load.ts';
import type { RunUnderLoad } from '../rig/run-under-load.ts';

const LAG_MS = 300;
/** How late the producer may see a 202 for events in the old master. */
const REPLY_IN_FLIGHT_MS = 1000;
const FAILOVERS = 4;

describe('Redis fails over to a replica that lags, under load of both mechanisms', () => {
  let run: RunUnderLoad;
  /** Of the failovers, in `performance.now()`: from when to when accepted events may be lost. */
  const gaps: { readonly fromMs: number; readonly killedMs: number }[] = [];

  beforeAll(async () => {
    run = await startRunUnderLoad('lag', { hasReplica: true, replicaLagMs: LAG_MS });
  }, 120_000);
  afterAll(() => run.close(), 90_000);

  const isExcused = (key: string): boolean => {
    const atMs = run.acceptedAtMs.get(key) ?? 0;
    return gaps.some(({ fromMs, killedMs }) => atMs >= fromMs && atMs <= killedMs + REPLY_IN_FLIGHT_MS);
  };

  test.each(Array.from({ length: FAILOVERS }, (_, i) => i + 1))(
    'failover %i: the workers go on',
    async () => {
      const marks = markReplicated(run.stack);
      await run.moreOf('delivered', 300);
      const fromMs = await marks.stop();
      gaps.push({ fromMs, killedMs: performance.now() });
      await run.stack.failOver();
      await run.moreOf('delivered', 300);
    },
    120_000,
  );

  test('all arrives but what the replica did not have, and no webhook-id names two contents', async () => {
    await run.everythingArrives(isExcused);
    const lags = gaps.map(({ fromMs, killedMs }) => Math.round(killedMs - fromMs));
    run.report(
      `failovers to a replica that lags ${LAG_MS} ms (the last known replication ${lags.join(', ')} ms before)`,
    );
    // A batch whose freezing was lost leaves under another id. Each such event has come twice.
    expect(run.ledger.renamed.length).toBeLessThanOrEqual(run.ledger.duplicates);
  }, 150_000);

  test('workers report that Redis has lost writes, and the api says for how long', async () => {
    // At least one mechanism after each failover. Four heartbeats per second and mechanism are sent.
    expect(run.lostWrites.length).toBeGreaterThanOrEqual(FAILOVERS);
    const isMeasured = async (): Promise<boolean> => {
      const scrape = readScrape(await (await fetch(`${run.stack.opsUrl}/metrics`)).text());
      return scrape.some(({ metric, value }) => metric === 'mailhook_redis_lost_writes_seconds' && value > 0);
    };
    await eventually(isMeasured, { withinMs: 30_000, what: 'the metric' });
  }, 60_000);
});
