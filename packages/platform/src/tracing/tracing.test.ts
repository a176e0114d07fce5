import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type { FakeCollector, ReplyAction } from '@mailhook/testing';
import { bundleProgram, eventually, freePort, startCollector } from '@mailhook/testing';
import { openTracing } from './open-tracing.ts';
import type { TracingOptions } from './tracing.ts';

const PARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const OTHER = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
/** More than the 1.5 s that `close` waits for the collector, because the machine may be busy. */
const STOPS_WITHIN_MS = 2500;

const FLAGS = ['--conditions=@mailhook/source', '--import', 'tsx', '--input-type=module'];

interface Line {
  readonly level: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

async function open(endpoint: string, more: Partial<TracingOptions> = {}) {
  const { logger, lines } = listener();
  const options = { endpoint, service: 'mailhook-test', version: '1.2.3', sampled: 'environment', logger } as const;
  const tracing = await openTracing({ ...options, disabled: 'false', ...more });
  if (tracing === undefined) throw new Error('no tracing');
  return { tracing, lines };
}

function listener() {
  const lines: Line[] = [];
  const at = (level: string) => (message: string, fields: object) => lines.push({ level, message, ...fields });
  return { lines, logger: { warn: at('warn'), info: at('info') } as unknown as TracingOptions['logger'] };
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

describe('spans that cannot be exported', () => {
  const REFUSED = 'traces cannot be exported';
  /** Few spans per export, often, and a deadline that a test can await. */
  const ENV = { OTEL_BSP_SCHEDULE_DELAY: '20', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '4', OTEL_EXPORTER_OTLP_TIMEOUT: '300' };
  let collector: FakeCollector;
  beforeEach(async () => {
    collector = await startCollector();
  });
  afterEach(() => collector.close());

  let writer: string;
  beforeAll(async () => {
    writer = await bundleProgram(`
      import { openTracing } from '@mailhook/platform/tracing';
      const at = (level) => (message, fields) => console.log(JSON.stringify({ level, message, ...fields }));
      const logger = { warn: at('warn'), info: at('info') };
      const [, , endpoint] = process.argv;
      const options = { service: 'mailhook-test', version: '1', logger, disabled: 'false', endpoint, sampled: 'all' };
      const tracing = await openTracing(options);
      const timer = setInterval(() => tracing.start('span', { kind: 'server' }).end(), 5);
      process.stdin.on('end', () => {
        clearInterval(timer);
        void tracing.close().then(() => process.exit());
      });
      process.stdin.resume();
      console.log(JSON.stringify({ message: 'started' }));
    `);
  });
  /** Starts a process that writes spans until `stop`. Its output are its log lines. */
  function writeSpans(endpoint: string, env: NodeJS.ProcessEnv = ENV) {
    const child = spawn(process.execPath, [writer, endpoint], {
      env: { PATH: '', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const all: Line[] = [];
    createInterface({ input: child.stdout }).on('line', (text) => all.push(JSON.parse(text) as Line));
    const ended = new Promise((resolve) => child.once('close', resolve));
    return {
      lines: () => all.slice(1),
      line: (number: number) => eventually(() => all[number], { withinMs: 20_000, what: `line ${number}` }),
      stop: async () => {
        child.stdin.end();
        await ended;
      },
    };
  }

  test.each<[string, ReplyAction, object]>([
    ['a wrong path', { status: 404 }, { status: 404 }],
    ['503', { status: 503 }, { status: 503 }],
    ['a refusal', { status: 401 }, { status: 401 }],
    ['no reply', { hang: 'reply' }, { error: 'Request timed out' }],
    ['a connection that is reset', { reset: 'reply' }, { error: expect.stringMatching(/./) as string }],
  ])(
    'are one warning and, when exports work again, one line: %s',
    async (_, fault, expected) => {
      collector.receiver.setReply(() => fault);
      const { host } = new URL(collector.url);
      const service = writeSpans(`http://user:secret@${host}/v1/traces`);
      await service.line(1);
      const asked = collector.receiver.requests.length;
      await eventually(() => collector.receiver.requests.length > asked + 2, {
        withinMs: 20_000,
        what: 'more exports',
      });
      collector.receiver.setReply(() => ({ json: {} }));
      await service.line(2);
      await service.stop();
      expect(service.lines()).toEqual([
        expect.objectContaining({
          level: 'warn',
          message: REFUSED,
          variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
          url: `http://${host}/v1/traces/v1/traces`,
          fix: 'remove /v1/traces from the end of the variable, because it is added',
          ...expected,
        }),
        { level: 'info', message: 'traces are exported again', lostSpans: expect.any(Number) as number },
      ]);
      expect(JSON.stringify(service.lines())).not.toContain('secret');
    },
    60_000,
  );

  test('are a warning when the collector is away, and when the service stops before an answer', async () => {
    const away = writeSpans(`http://127.0.0.1:${await freePort()}`);
    await away.line(1);
    await away.stop();
    expect(away.lines()).toMatchObject([{ level: 'warn', message: REFUSED }]);
    expect(away.lines()[0]).not.toHaveProperty('fix');

    collector.receiver.setReply(() => ({ hang: 'reply' }));
    const hanging = writeSpans(collector.url, { ...ENV, OTEL_EXPORTER_OTLP_TIMEOUT: '60000' });
    await eventually(() => collector.receiver.requests.length > 0, { withinMs: 20_000, what: 'an export' });
    await hanging.stop();
    expect(hanging.lines()).toMatchObject([{ message: REFUSED, error: 'no answer before the service stopped' }]);
  }, 60_000);
});

describe('OTEL_SDK_DISABLED', () => {
  const disabled = async (value: string) => {
    const { logger, lines } = listener();
    const options = { service: 'mailhook-test', version: '1', sampled: 'all', logger, disabled: value } as const;
    const tracing = await openTracing({ ...options, endpoint: 'http://127.0.0.1:4318' });
    await tracing?.close();
    return { isOff: tracing === undefined, warnings: lines.length };
  };

  test.each(['true', 'TRUE', ' True '])('%p switches tracing off', async (value) => {
    expect(await disabled(value)).toEqual({ isOff: true, warnings: 0 });
  });
  test.each(['false', 'False', ''])('%p does not', async (value) => {
    expect(await disabled(value)).toEqual({ isOff: false, warnings: 0 });
  });
  test.each(['1', 'yes', 'on'])('%p does not, as OpenTelemetry wants it, with a warning', async (value) => {
    expect(await disabled(value)).toEqual({ isOff: false, warnings: 1 });
  });
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
      const options = { service: 'mailhook-test', version: '1', logger: console, disabled: 'false', endpoint: ${JSON.stringify(endpoint)} };
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
    const { stdout } = await promisify(execFile)(process.execPath, [...FLAGS, '--eval', program], {
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
