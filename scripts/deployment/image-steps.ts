import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually, freePort, startRedis } from '@mailhook/testing';
import { oneOf, readFlags } from '../command-line.ts';
import { entersBuild, readInstructions } from './dockerfile.ts';
import { SERVICES } from '../stack/settings.ts';
import type { ServiceName } from '../stack/settings.ts';
import { seconds } from '../terminal.ts';
import { runCommand, UserError } from '../user-error.ts';

const run = promisify(execFile);

/**
 * Follows the Dockerfiles without a container builder. Runs their RUN lines in an empty folder with the files that `.dockerignore` admits, and then
 * their CMD in a folder with only the image's files. Each service must become ready, exit with 0 when asked to stop, and exit with 78 when its
 * configuration is bad. `--only api` tries one service.
 */
async function imageSteps(): Promise<void> {
  const flags = readFlags(process.argv.slice(2), { only: { type: 'string' } }, 'npm run image-steps --');
  const services = flags.only === undefined ? SERVICES : [oneOf('only', flags.only, SERVICES)];
  const redis = await startRedis({ appendonly: true });
  try {
    for (const service of services) {
      const startedMs = performance.now();
      const work = mkdtempSync(path.join(tmpdir(), `mailhook-image-${service}-`));
      try {
        const command = await buildIn(work, service);
        await tryOut(path.join(work, 'image'), command, redis.url);
      } finally {
        rmSync(work, { recursive: true, force: true });
      }
      console.log(`  ok  ${service.padEnd(24)} ${seconds(performance.now() - startedMs)}`);
    }
  } finally {
    await redis.stop();
  }
}

/** Runs the build stage in the folder `build`, which leaves the image's files in `image`. Resolves with the image's command. */
async function buildIn(work: string, service: ServiceName): Promise<readonly string[]> {
  const build = path.join(work, 'build');
  const dockerignore = readFileSync('.dockerignore', 'utf8');
  // The pattern `*` would exclude the repository's root itself.
  const isTop = (file: string): boolean => file === '';
  cpSync('.', build, {
    recursive: true,
    filter: (source) => isTop(path.relative('.', source)) || entersBuild(dockerignore, path.relative('.', source)),
  });
  const instructions = readInstructions(readFileSync(`services/${service}/Dockerfile`, 'utf8'));
  for (const { name, argument } of instructions) {
    if (name !== 'RUN') continue;
    const line = argument.replaceAll('/image', path.join(work, 'image'));
    await run('sh', ['-ec', line], { cwd: build, env: plainEnvironment(), maxBuffer: 64 * 1024 * 1024 });
  }
  const command = instructions.findLast(({ name }) => name === 'CMD')?.argument ?? '[]';
  return JSON.parse(command) as string[];
}

async function tryOut(image: string, [program = '', ...args]: readonly string[], redisUrl: string): Promise<void> {
  const opsPort = await freePort();
  const env = {
    ...plainEnvironment(),
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    PORT: String(await freePort()),
    OPS_PORT: String(opsPort),
    REDIS_URL: redisUrl,
    ADMIN_TOKEN: 'admin-token-of-these-steps',
    PRODUCER_TOKEN: 'producer-token-of-these-steps',
  };
  const good = spawn(program, args, { cwd: image, env, stdio: 'ignore' });
  const ended = once(good, 'exit');
  try {
    for (const address of ['/healthz', '/readyz']) {
      await eventually(async () => (await fetch(`http://127.0.0.1:${opsPort}${address}`)).ok, {
        what: `${image} to answer ${address}`,
        withinMs: 30_000,
      });
    }
  } finally {
    good.kill('SIGTERM');
  }
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new UserError(`${args.join(' ')} ended with ${code ?? 'a signal'} when it was asked to stop.`);
  const bad = spawn(program, args, { cwd: image, env: { ...env, DELIVERY_TIMEOUT_MS: 'soon' }, stdio: 'ignore' });
  const [badCode] = (await once(bad, 'exit')) as [number | null];
  if (badCode !== 78)
    throw new UserError(`${args.join(' ')} ended with ${badCode ?? 'a signal'}, not 78, for a bad configuration.`);
}

/** Nothing of this run's own settings, such as the condition that leads to sources. */
function plainEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME } = process.env;
  return { PATH, HOME };
}

void runCommand(imageSteps);
