import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The name of a metric of Mailhook. */
type MetricName = `mailhook_${string}`;

interface MetricOptions<Label extends string> {
  readonly name: MetricName;
  readonly help: string;
  /** Only labels with few values, such as kind, outcome or state. Never an account or an address. */
  readonly labels?: readonly Label[];
}

export interface Metrics {
  readonly registry: Registry;
  counter<Label extends string = never>(options: MetricOptions<Label>): Counter<Label>;
  /** `collect` is called at every scrape to set the value. */
  gauge<Label extends string = never>(
    options: MetricOptions<Label> & { readonly collect?: (gauge: Gauge<Label>) => void | Promise<void> },
  ): Gauge<Label>;
  histogram<Label extends string = never>(
    options: MetricOptions<Label> & { readonly buckets: readonly number[] },
  ): Histogram<Label>;
}

/**
 * Interval at which the event-loop lag is measured. The reported lag includes it. Each measurement wakes an idle
 * process, by default 100 times per second. The alert of a busy event loop fires at 250 ms.
 */
export const LAG_EVERY_MS = 100;

/**
 * Creates a separate registry with the default metrics of the process (memory, CPU, event-loop lag) under their usual
 * names.
 */
export function createMetrics(): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_EVERY_MS });
  const common = <Label extends string>(options: MetricOptions<Label>) => ({
    name: options.name,
    help: options.help,
    labelNames: [...(options.labels ?? [])],
    registers: [registry],
  });
  return {
    registry,
    counter: (options) => new Counter(common(options)),
    gauge: (options) => {
      const { collect } = options;
      if (collect === undefined) return new Gauge(common(options));
      return new Gauge({
        ...common(options),
        collect() {
          return collect(this);
        },
      });
    },
    histogram: (options) => new Histogram({ ...common(options), buckets: [...options.buckets] }),
  };
}
