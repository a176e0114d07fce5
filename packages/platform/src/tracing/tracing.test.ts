import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { FakeCollector } from '@mailhook/testing';
import { freePort, startCollector } from '@mailhook/testing';
import { openTracing } from './open-tracing.ts';
import type { TracingOptions } from './tracing.ts';

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const OTHER = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
/** More than the 1.5 s that `close` waits for the collector, because the machine may be busy. */
const STOPS_WITHIN_MS = 2500;

interface Complaint {
  readonly message: string;
  readonly spans: number;
}

async function open(endpoint: string, more: Partial<TracingOptions> = {}) {
  const complaints: Complaint[] = [];
  const logger = {
    warn: (message: string, { spans }: Complaint) => complaints.push({ message, spans }),
  } as unknown as TracingOptions['logger'];
  const options = { endpoint, service: 'mailhook-test', version: '1.2.3', sampled: 'environment', logger } as const;
  const tracing = await openTracing({ ...options, ...more });
  if (tracing === undefined) throw new Error('no tracing');
  return { tracing, complaints };
}

describe('spans', () => {
  let collector: FakeCollector;
  beforeEach(async () => {
    collector = await startCollector();
  });
  afterEach(() => collector.close());

  test('arrive at the collector with all their data', async () => {
    const { tracing } = await open(collector.url);
    const span = tracing.start('POST', {
      kind: 'client',
      parent: PARENT,
      links: [OTHER],
      attributes: { 'mailhook.events': 3, absent: undefined },
      startedAtMs: 1_790_000_000_250,
    });
    const part = tracing.start('part', { kind: 'producer', parent: span.context });
    part.end();
    span.end({ name: 'POST /x', attributes: { late: true }, error: 'HTTP 500', endedAtMs: 1_790_000_000_500 });
    await tracing.close();

    const [sentPart, sent] = collector.spans;
    expect(sent).toMatchObject({
      service: 'mailhook-test',
      resource: { 'service.version': '1.2.3' },
      name: 'POST /x',
      kind: 'client',
      traceId: PARENT.slice(3, 35),
      parentSpanId: PARENT.slice(36, 52),
      links: [{ traceId: OTHER.slice(3, 35), spanId: OTHER.slice(36, 52) }],
      error: 'HTTP 500',
      startedAtMs: 1_790_000_000_250,
      endedAtMs: 1_790_000_000_500,
    });
    expect(sent?.attributes).toEqual({ 'mailhook.events': 3, late: true });
    expect(span.context).toBe(`00-${sent?.traceId}-${sent?.spanId}-01`);
    expect(sentPart).toMatchObject({ name: 'part', kind: 'producer', traceId: sent?.traceId, error: undefined });
    expect(sentPart?.parentSpanId).toBe(sent?.spanId);
  });

  test('without a parent begin a new trace', async () => {
    const { tracing } = await open(`${collector.url}/`);
    tracing.start('a', { kind: 'server' }).end();
    tracing.start('b', { kind: 'server' }).end();
    await tracing.close();
    expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(2);
    expect(collector.spans.map(({ parentSpanId }) => parentSpanId)).toEqual(['', '']);
  });

  test('of an unsampled trace are not sent, and their context is unsampled too', async () => {
    const { tracing } = await open(collector.url);
    const span = tracing.start('unwanted', { kind: 'server', parent: PARENT.replace(/01$/, '00') });
    span.end();
    await tracing.close();
    expect(span.context).toMatch(/^00-0af7651916cd43dd8448eb211c80319c-[\da-f]{16}-00$/);
    expect(collector.spans).toEqual([]);
  });
});

test('a collector that refuses spans is logged once', async () => {
  const collector = await startCollector();
  collector.receiver.setReply(() => ({ status: 400 }));
  const { tracing, complaints } = await open(collector.url);
  for (let i = 0; i < 600; i += 1) tracing.start('refused', { kind: 'server' }).end();
  await tracing.close();
  expect(complaints).toEqual([{ message: 'the collector did not accept spans', spans: expect.any(Number) as number }]);
  await collector.close();
});

describe('in a separate process', () => {
  interface Run {
    /** The number of loaded files of OpenTelemetry. */
    readonly files: number;
    readonly closedWithinMs: number;
  }

  /** Opens tracing twice, as the api and as the workers do, writes spans, and closes. */
  async function run(
    endpoint: string | undefined,
    spans = 1,
    env: Readonly<Record<string, string>> = {},
  ): Promise<Run> {
    const program = `
      import { Module } from 'node:module';
      import { openTracing } from '@mailhook/platform/tracing';
      const options = { service: 'mailhook-test', version: '1', logger: console, endpoint: ${JSON.stringify(endpoint)} };
      const tracings = [];
      for (const sampled of ['environment', 'all']) tracings.push(await openTracing({ ...options, sampled }));
      for (let i = 0; i < ${spans}; i += 1) {
        tracings[0]?.start('by the environment', { kind: 'server' }).end();
        tracings[1]?.start('all', { kind: 'server' }).end();
      }
      const startedMs = performance.now();
      await Promise.all(tracings.map((tracing) => tracing?.close()));
      const closedWithinMs = performance.now() - startedMs;
      const files = Object.keys(Module._cache).filter((file) => file.includes('@opentelemetry')).length;
      process.stdout.write(JSON.stringify({ files, closedWithinMs }), () => process.exit());
    `;
    const flags = ['--conditions=@mailhook/source', '--import', 'tsx', '--input-type=module'];
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--eval', program], {
      env: { PATH: '', ...env },
    });
    return JSON.parse(stdout) as Run;
  }

  test('nothing of OpenTelemetry is loaded without an endpoint', async () => {
    expect((await run(undefined)).files).toBe(0);
  });

  test('the OTEL variables set the service name, the headers and, with sampled=environment, the sampler', async () => {
    const collector = await startCollector();
    const { files } = await run(collector.url, 1, {
      OTEL_SERVICE_NAME: 'named-outside',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=secret',
      OTEL_TRACES_SAMPLER: 'always_off',
    });
    expect(files).toBeGreaterThan(10);
    expect(collector.spans).toMatchObject([
      { name: 'all', service: 'named-outside', resource: { 'deployment.environment.name': 'test' } },
    ]);
    expect(collector.receiver.requests[0]?.headers['x-key']).toBe('secret');
    await collector.close();
  });

  test('an unavailable collector does not delay close', async () => {
    const { closedWithinMs } = await run(`http://127.0.0.1:${await freePort()}`);
    expect(closedWithinMs).toBeLessThan(STOPS_WITHIN_MS);
  });

  test('a hanging collector does not delay close either, and the queue of spans is bounded', async () => {
    const collector = await startCollector();
    collector.receiver.setReply(() => ({ hang: 'reply' }));
    const { closedWithinMs } = await run(collector.url, 10_000);
    expect(closedWithinMs).toBeLessThan(STOPS_WITHIN_MS);
    // For each of the two: the export in progress and a queue of 2048.
    expect(collector.spans.length).toBeLessThanOrEqual(2 * (512 + 2048));
    await collector.close();
  });
});
