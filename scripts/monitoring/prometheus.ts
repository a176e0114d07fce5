import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort, startChild } from '@mailhook/testing';
import { stringify } from 'yaml';
import { z } from 'zod';
import { findPrometheusProgram } from './prometheus-programs.ts';

/** One series of a query's result over time. */
export interface QueriedSeries {
  readonly labels: Readonly<Record<string, string>>;
  /** Seconds since 1970 and the value at that time. Times without a value are left out. */
  readonly points: readonly (readonly [number, number])[];
}

/** A private Prometheus on 127.0.0.1. Its data is in a folder that `stop` removes. */
export interface Prometheus {
  /** @throws Error with Prometheus' message about the query. */
  queryRange(query: string, range: TimeRange): Promise<QueriedSeries[]>;
  /** The names of the alerts that fire now. */
  firing(): Promise<ReadonlySet<string>>;
  stop(): Promise<void>;
}

/** In seconds since 1970. */
export interface TimeRange {
  readonly start: number;
  readonly end: number;
  readonly step: number;
}

export interface PrometheusOptions {
  /** The scraped address (`host:port`) by the label `job`. */
  readonly targets: Readonly<Record<string, string>>;
  /** Rules are evaluated as often. */
  readonly scrapeSeconds: number;
  /** A file of alerting rules as YAML. */
  readonly rules?: string;
}

export async function startPrometheus({ targets, scrapeSeconds, rules }: PrometheusOptions): Promise<Prometheus> {
  const program = await findPrometheusProgram('prometheus');
  const folder = await mkdtemp(path.join(tmpdir(), 'mailhook-prometheus-'));
  const config = path.join(folder, 'prometheus.yaml');
  const jobs = Object.entries(targets).map(([job, target]) => ({
    job_name: job,
    static_configs: [{ targets: [target] }],
  }));
  const interval = `${scrapeSeconds * 1000}ms`;
  const scrapeTimeout = `${Math.min(1, scrapeSeconds) * 1000}ms`;
  const global = { scrape_interval: interval, evaluation_interval: interval, scrape_timeout: scrapeTimeout };
  if (rules !== undefined) await writeFile(path.join(folder, 'rules.yaml'), rules);
  const ruleFiles = rules === undefined ? {} : { rule_files: ['rules.yaml'] };
  await writeFile(config, stringify({ global, ...ruleFiles, scrape_configs: jobs }));
  const address = `127.0.0.1:${await freePort()}`;
  const server = await startChild({
    // Prometheus logs to standard error.
    command: 'sh',
    args: [
      '-c',
      'exec "$0" "$@" 2>&1',
      program,
      `--config.file=${config}`,
      `--storage.tsdb.path=${path.join(folder, 'data')}`,
      `--web.listen-address=${address}`,
    ],
    isReady: (line) => line.includes('Server is ready to receive web requests'),
  });
  return {
    queryRange: (query, range) => queryRange(`http://${address}`, query, range),
    firing: () => readFiring(`http://${address}`),
    stop: async () => {
      await server.end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const answer = z.union([
  z.object({
    status: z.literal('success'),
    data: z.object({
      result: z.array(
        z.object({ metric: z.record(z.string(), z.string()), values: z.array(z.tuple([z.number(), z.string()])) }),
      ),
    }),
  }),
  z.object({ status: z.literal('error'), error: z.string() }),
]);

async function queryRange(url: string, query: string, { start, end, step }: TimeRange): Promise<QueriedSeries[]> {
  const parameters = new URLSearchParams({ query, start: String(start), end: String(end), step: String(step) });
  const reply = answer.parse(await (await fetch(`${url}/api/v1/query_range?${parameters.toString()}`)).json());
  if (reply.status === 'error') throw new Error(`Prometheus refuses ${query}: ${reply.error}`);
  return reply.data.result.map(({ metric, values }) => ({
    labels: metric,
    points: values.map(([time, value]) => [time, Number(value)] as const).filter(([, value]) => Number.isFinite(value)),
  }));
}

const alerts = z.object({
  data: z.object({ alerts: z.array(z.object({ labels: z.record(z.string(), z.string()), state: z.string() })) }),
});

async function readFiring(url: string): Promise<ReadonlySet<string>> {
  const { data } = alerts.parse(await (await fetch(`${url}/api/v1/alerts`)).json());
  return new Set(data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels['alertname'] ?? ''));
}
