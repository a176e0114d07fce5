import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { Command } from '@commander-js/extra-typings';
import { eventually, freePort, startRedis } from '@mailhook/testing';
import { SERVICES } from '../stack/settings.ts';
import type { ServiceName } from '../stack/settings.ts';
import { createTerminal, seconds } from '../terminal.ts';
import { TOOLS } from '../tools.ts';
import { messageOf, UserError } from '../user-error.ts';

const SIZE_MAX_MB = 200;
const TOKENS = { ADMIN_TOKEN: 'admin-token-of-this-check', PRODUCER_TOKEN: 'producer-token-of-this-check' };
const EXIT_BAD_CONFIG = 78;

/** Runs the container engine. Rejects with what it printed. */
type Engine = (...args: readonly string[]) => Promise<string>;

export const command = new Command()
  .description(
    `Builds the four images of the Dockerfile and tries each one out, read-only and without capabilities: every service
becomes ready, stops with 0 when asked to, and ends with 78 when its configuration is bad. Prints their sizes, and fails
above ${SIZE_MAX_MB} MB.`,
  )
  .option(
    '--engine <command>',
    'docker or podman, and its options: --engine "podman --runtime runc" (default: the first one on the PATH)',
  )
  .option('--prefix <name>', 'the images are tagged NAME/api and so on', 'mailhook-check')
  .option('--no-build', 'tries out images that are there')
  .action(async ({ engine: given, prefix, build }) => {
    const terminal = createTerminal();
    const engine = engineOf(given);
    const redis = await startRedis({ appendonly: true });
    try {
      for (const target of [...SERVICES, 'tools'] as const) {
        const startedMs = performance.now();
        const image = `${prefix}/${target}:check`;
        if (build) {
          terminal.progress(`  Building ${target} ...`);
          await engine('build', '--target', target, '--tag', image, '.');
        }
        const sizeMb = Math.round(Number(await engine('image', 'inspect', '--format', '{{.Size}}', image)) / 1e6);
        if (sizeMb > SIZE_MAX_MB) throw new UserError(`${image} has ${sizeMb} MB, more than ${SIZE_MAX_MB}.`);
        terminal.progress(`  Trying out ${target} ...`);
        if (target === 'tools') await tryTools(engine, image);
        else await tryService(engine, image, target, redis.url);
        terminal.line(`  ok  ${target.padEnd(24)} ${sizeMb} MB, ${seconds(performance.now() - startedMs)}`);
      }
    } finally {
      await redis.stop();
    }
  });

function engineOf(given: string | undefined): Engine {
  const found = ['docker', 'podman'].find((name) => spawnSync(name, ['info'], { stdio: 'ignore' }).status === 0);
  const [command, ...options] = (given ?? found ?? '').split(' ');
  if (command === undefined || command === '')
    throw new UserError('There is no running docker or podman here. Install one, or name it with --engine.');
  const run = promisify(execFile);
  return async (...args) => {
    try {
      return (await run(command, [...options, ...args], { maxBuffer: 64 * 1024 * 1024 })).stdout.trim();
    } catch (error) {
      const { stderr = '' } = error as { stderr?: string };
      throw new UserError(`${command} ${args.join(' ')} failed: ${stderr.trim().slice(-2000) || messageOf(error)}`);
    }
  };
}

async function tryService(engine: Engine, image: string, service: ServiceName, redisUrl: string): Promise<void> {
  const opsPort = await freePort();
  const env = {
    HOST: '127.0.0.1',
    PORT: String(await freePort()),
    OPS_PORT: String(opsPort),
    REDIS_URL: redisUrl,
    ...(service === 'api' ? TOKENS : {}),
  };
  const good = await startContainer(engine, image, env);
  try {
    for (const address of ['/healthz', '/readyz']) {
      await eventually(async () => (await fetch(`http://127.0.0.1:${opsPort}${address}`)).ok, {
        what: `${image} to answer ${address}`,
        withinMs: 30_000,
      });
    }
    await engine('stop', '--time', '20', good);
    await expectExit(engine, good, 0, 'when it was asked to stop');
  } finally {
    await engine('rm', '--force', good);
  }
  const bad = await startContainer(engine, image, { ...env, DELIVERY_TIMEOUT_MS: 'soon' });
  try {
    await expectExit(engine, bad, EXIT_BAD_CONFIG, 'for a bad configuration');
  } finally {
    await engine('rm', '--force', bad);
  }
}

const startContainer = (engine: Engine, image: string, env: Readonly<Record<string, string>>): Promise<string> =>
  engine(
    'run',
    '--detach',
    '--network',
    'host',
    '--read-only',
    '--cap-drop',
    'ALL',
    '--security-opt',
    'no-new-privileges',
    ...Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
    image,
  );

async function expectExit(engine: Engine, container: string, expected: number, when: string): Promise<void> {
  const code = Number(await engine('wait', container));
  if (code !== expected) {
    const log = await engine('logs', container);
    throw new UserError(`The container ended with ${code} ${when}, not with ${expected}.\n${log}`);
  }
}

/** Each tool prints its help, so that the file has all that it imports. */
async function tryTools(engine: Engine, image: string): Promise<void> {
  for (const tool of Object.keys(TOOLS)) {
    const help = await engine('run', '--rm', '--read-only', '--cap-drop', 'ALL', image, tool, '--help');
    if (!help.includes('--help')) throw new UserError(`${tool} --help printed: ${help}`);
  }
}
