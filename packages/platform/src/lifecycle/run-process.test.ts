import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { bundleProgram, eventually } from '@mailhook/testing';

/** Runs the code of its first argument, which may use the exports of both modules. */
const PROBE = `
  import * as config from '@mailhook/platform/config';
  import { runProcess } from '@mailhook/platform/lifecycle';
  new Function('config', 'runProcess', process.argv[2])(config, runProcess);
`;
let probe: string;
beforeAll(async () => {
  probe = await bundleProgram(PROBE);
});

/**
 * Runs a service in a child process. `body` is the body of `start`, which may use `logger` and `config`. `first` runs
 * synchronously in `loadConfig`.
 */
function service(
  body: string,
  more: { env?: NodeJS.ProcessEnv; stdin?: 'pipe' | 'ignore' | 'ipc'; first?: string; survives?: boolean } = {},
): { child: ChildProcess; output: () => string; exit: Promise<number | null> } {
  const start = `async (_settings, logger) => { ${body} }`;
  const loadConfig = `() => { ${more.first ?? ''}; return { closeTimeoutMs: 1500 }; }`;
  const script = `runProcess({
    name: 'probe', loadConfig: ${loadConfig}, closeTimeoutMs: (own) => own.closeTimeoutMs, start: ${start},
    survivesRejections: ${more.survives === true},
  });`;
  const child = spawn(process.execPath, [probe, script], {
    stdio: [
      more.stdin === 'pipe' ? 'pipe' : 'ignore',
      'pipe',
      'pipe',
      ...(more.stdin === 'ipc' ? (['ipc'] as const) : []),
    ],
    ...(more.env === undefined ? {} : { env: more.env }),
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  running.push(child);
  const ended = Promise.all([once(child, 'exit'), ...[child.stdout, child.stderr].map((stream) => finished(stream!))]);
  return { child, output: () => text, exit: ended.then(([[code]]) => code as number | null) };
}

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

const STAYS =
  'const timer = setInterval(() => {}, 1000); return { close: async () => { clearInterval(timer); ' +
  'logger.info("closed by us"); } };';
const BAD_CONFIG = "config.readConfig(config.commonEnvironment, { LOG_LEVEL: 'loud' });";
const started = (one: { output: () => string }) =>
  eventually(() => one.output().includes('"started"'), { withinMs: 40_000, what: 'the start' });

describe('runProcess', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('%s closes what was started and exits with 0', async (signal) => {
    const one = service(STAYS);
    await started(one);
    one.child.kill(signal);
    expect(await one.exit).toBe(0);
    expect(one.output()).toMatch(/"closed by us"[^]*"stopped"/);
  });

  test('a failed start exits with 1 and logs the reason', async () => {
    const one = service('throw new Error("no luck for anna@example.com");');
    expect(await one.exit).toBe(1);
    expect(one.output()).toContain('no luck for a***@example.com');
  });

  test.each([
    ['before the first promise', { first: BAD_CONFIG }],
    ['later', { first: '' }],
  ])('an unusable configuration, read %s, exits with 78 and a readable message', async (_when, more) => {
    const one = service(`${more.first === '' ? BAD_CONFIG : ''} ${STAYS}`, more);
    expect(await one.exit).toBe(78);
    expect(one.output()).toContain('\n  - LOG_LEVEL is "loud", but must be one of error, warn, info, debug');
  });

  test.each(['throw new Error("lost");', 'void Promise.reject(new Error("lost"));'])(
    'an uncaught error closes the service and exits with 1: %s',
    async (fault) => {
      const one = service(`setTimeout(() => { ${fault} }, 10); ${STAYS}`);
      expect(await one.exit).toBe(1);
      expect(one.output()).toMatch(/"lost"[^]*"closed by us"/);
    },
  );

  test('a service that survives rejections logs them, and ends after an uncaught exception', async () => {
    const faults =
      'setTimeout(() => { void Promise.reject(new Error("lost")); }, 10); process.once("SIGUSR2", () => { throw new ' +
      'Error("broken"); });';
    const one = service(`${faults} ${STAYS}`, { survives: true });
    await eventually(() => one.output().includes('"lost"'), { withinMs: 40_000, what: 'the rejection' });
    expect(one.output()).toContain('nobody handled a rejection');
    expect(one.output()).not.toContain('stopping');
    one.child.kill('SIGUSR2');
    expect(await one.exit).toBe(1);
    expect(one.output()).toMatch(/"broken"[^]*"closed by us"/);
  });

  test('a close that hangs or fails exits with 1 within the timeout', async () => {
    const hanging = service('setInterval(() => {}, 1000); return { close: () => new Promise(() => {}) };');
    const failing = service(
      'setInterval(() => {}, 1000); return { close: async () => { throw new Error("stuck"); } };',
    );
    await Promise.all([started(hanging), started(failing)]);
    hanging.child.kill('SIGTERM');
    failing.child.kill('SIGTERM');
    expect(await failing.exit).toBe(1);
    expect(await hanging.exit).toBe(1);
    expect(hanging.output()).toMatch(/"did not stop in time".*"timeoutMs":1500/);
  });

  test('a second signal ends the process at once', async () => {
    const one = service('setInterval(() => {}, 1000); return { close: () => new Promise(() => {}) };');
    await started(one);
    one.child.kill('SIGTERM');
    await eventually(() => one.output().includes('"stopping"'), { what: 'the stop' });
    one.child.kill('SIGTERM');
    expect(await one.exit).toBe(1);
    expect(one.output()).not.toContain('did not stop in time');
  });

  test.each(['pipe', 'ipc'] as const)('a supervised process ends when its supervisor is gone (%s)', async (stdin) => {
    const one = service(STAYS, { stdin, env: { MAILHOOK_SUPERVISED: '1' } });
    await started(one);
    if (stdin === 'pipe') one.child.stdin?.end();
    else one.child.disconnect();
    expect(await one.exit).toBe(0);
    expect(one.output()).toContain('the supervisor is gone');
  });

  test('a process without a supervisor ignores a closed standard input', async () => {
    const one = service(STAYS, { stdin: 'ignore' });
    await started(one);
    one.child.kill('SIGTERM');
    expect(await one.exit).toBe(0);
    expect(one.output()).not.toContain('the supervisor is gone');
  });
});
