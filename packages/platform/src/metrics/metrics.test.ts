import { createMetrics } from './metrics.ts';

describe('createMetrics', () => {
  test("exposes Mailhook's metrics and the default metrics of the process", async () => {
    const metrics = createMetrics();
    const deliveries = metrics.counter({
      name: 'mailhook_deliveries_total',
      help: 'Deliveries',
      labels: ['kind', 'outcome'],
    });
    deliveries.inc({ kind: 'campaign', outcome: 'delivered' }, 3);
    metrics.histogram({ name: 'mailhook_wait_seconds', help: 'Waits', buckets: [1, 10] }).observe(5);
    let depth = 7;
    metrics.gauge({
      name: 'mailhook_depth',
      help: 'Depth',
      labels: ['queue'],
      collect: (gauge) => gauge.set({ queue: 'a' }, depth),
    });
    depth = 8;
    const text = await metrics.registry.metrics();
    expect(text).toContain('mailhook_deliveries_total{kind="campaign",outcome="delivered"} 3');
    expect(text).toContain('mailhook_wait_seconds_bucket{le="10"} 1');
    expect(text).toContain('mailhook_depth{queue="a"} 8');
    expect(text).toMatch(/nodejs_eventloop_lag_p99_seconds \S+/);
    expect(text).toMatch(/process_resident_memory_bytes \d+/);
  });

  test('two registries are independent', async () => {
    const [one, other] = [createMetrics(), createMetrics()];
    one.counter({ name: 'mailhook_x_total', help: 'x' }).inc();
    other.counter({ name: 'mailhook_x_total', help: 'x' });
    expect(await one.registry.getSingleMetricAsString('mailhook_x_total')).toContain('mailhook_x_total 1');
    expect(await other.registry.getSingleMetricAsString('mailhook_x_total')).toContain('mailhook_x_total 0');
  });
});
