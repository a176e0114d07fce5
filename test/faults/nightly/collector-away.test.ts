import { eventually, freePort, startCollector } from '@mailhook/testing';
import { startCountingReceiver } from '../rig/counting-receiver.ts';
import { createLedger } from '../rig/ledger.ts';
import { createCustomers, startLoad } from '../rig/load.ts';
import { createRandom, runSeed } from '../rig/random.ts';
import { startStack } from '../rig/stack.ts';

/** The longest stop without tracing on a busy machine, plus the 1.5 s that the last spans get. */
const STOPS_WITHIN_MS = 6000;

test.each(['hangs', 'is away'])(
  'a collector that %s delays no deliveries, and the services stop in time',
  async (fault) => {
    const random = createRandom(runSeed());
    const ledger = createLedger();
    const receiver = await startCountingReceiver(ledger);
    const collector = await startCollector();
    collector.receiver.setReply(() => ({ hang: 'reply' }));
    const endpoint = fault === 'hangs' ? collector.url : `http://127.0.0.1:${await freePort()}`;
    const stack = await startStack({
      workers: { 'transactional-notifier': 1, 'campaign-batcher': 1 },
      env: { DELIVERY_TIMEOUT_MS: '1000', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_BSP_SCHEDULE_DELAY: '100' },
    });
    try {
      const customers = await createCustomers(stack, receiver.url, 3);
      const load = startLoad({
        stack,
        ledger,
        random,
        customers,
        series: 'traced',
        everyMs: 50,
        notifications: 20,
        campaignEvents: 20,
      });
      await eventually(() => ledger.delivered > 1000, { withinMs: 60_000, what: 'much mail' });
      await load.stop();
      await ledger.untilWhole(30_000);
      if (fault === 'hangs') expect(collector.receiver.requests.length).toBeGreaterThan(0);
      const stoppingMs = performance.now();
      const codes = await Promise.all([
        ...[...stack.workers].map((worker) => stack.stopWorker(worker)),
        stack.api.stop(),
      ]);
      expect(codes).toEqual([0, 0, 0]);
      expect(performance.now() - stoppingMs).toBeLessThan(STOPS_WITHIN_MS);
      expect(ledger.renamed).toEqual([]);
    } finally {
      await stack.close();
      await receiver.close();
      await collector.close();
    }
  },
  120_000,
);
