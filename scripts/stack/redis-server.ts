import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { messageOf, UserError } from '../user-error.ts';
import type { Program } from './supervise.ts';

const run = promisify(execFile);

/** Returns the path of a command, from the first folder of the PATH that has it. */
export function findCommand(name: string, env: NodeJS.ProcessEnv = process.env): string | undefined {
  const folders = (env['PATH'] ?? '').split(path.delimiter).filter((folder) => folder !== '');
  return folders.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
}

export interface Installer {
  readonly command: string;
  readonly args: readonly string[];
  /** The command as a person would type it. */
  readonly shown: string;
  readonly mayRun: boolean;
}

/** Returns how Debian and similar systems install a package. This needs root. */
export function aptInstaller(packageName: string, isRoot: boolean): Installer {
  const sudo = isRoot ? '' : 'sudo ';
  const shown = `${sudo}apt-get update && ${sudo}apt-get install -y --no-install-recommends ${packageName}`;
  return { command: 'sh', args: ['-c', shown], shown, mayRun: isRoot };
}

/** Returns how this system installs Redis, if a known way exists. Homebrew refuses to run as root. */
export function redisInstaller(has: (command: string) => boolean, isRoot: boolean): Installer | undefined {
  if (has('apt-get')) return aptInstaller('redis-server', isRoot);
  if (has('brew')) return { command: 'brew', args: ['install', 'redis'], shown: 'brew install redis', mayRun: !isRoot };
  return undefined;
}

/**
 * Returns the path of `redis-server`. Installs it if it is missing, `mayInstall` is true, and this process may do so.
 *
 * @throws UserError with the exact command to run.
 */
export async function ensureRedisServer(
  onInstall: (command: string) => void,
  signal: AbortSignal,
  mayInstall = true,
): Promise<string> {
  const found = findCommand('redis-server');
  if (found !== undefined) return found;
  const installer = redisInstaller((name) => findCommand(name) !== undefined, process.getuid?.() === 0);
  if (mayInstall && installer?.mayRun === true) {
    onInstall(installer.shown);
    await install(installer, signal);
    const installed = findCommand('redis-server');
    if (installed !== undefined) return installed;
  }
  const first =
    installer === undefined
      ? 'install Redis 7.0 or newer (https://redis.io/docs/latest/operate/)'
      : `run \`${installer.shown}\``;
  throw new UserError(
    `Mailhook needs Redis, and there is no redis-server on the PATH: ${first}, or set REDIS_URL to a running one.`,
  );
}

export async function install(installer: Installer, signal: AbortSignal): Promise<void> {
  const child = spawn(installer.command, installer.args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    signal,
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-2000);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  if (code !== 0) throw new UserError(`\`${installer.shown}\` failed with ${String(code)}:\n${errors.trim()}`);
}

/** Returns the version, such as `7.0.15`, or undefined if the output does not show it. */
export async function redisVersion(command: string): Promise<string | undefined> {
  try {
    const { stdout } = await run(command, ['--version']);
    return / v=(\S+)/.exec(stdout)?.[1];
  } catch (error) {
    throw new UserError(`${command} does not run: ${messageOf(error)}`);
  }
}

/**
 * The private Redis of the stack. It listens only on 127.0.0.1, keeps append-only files under `DATA_DIR`, and refuses
 * writes rather than evict.
 */
export function redisProgram(options: { command: string; dataDir: string; port: number }): Program {
  const folder = path.join(options.dataDir, 'redis');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return {
    name: 'redis',
    command: options.command,
    // oxfmt-ignore
    args: [
      '--port', String(options.port), '--bind', '127.0.0.1', '--dir', folder,
      '--appendonly', 'yes', '--appendfsync', 'everysec', '--no-appendfsync-on-rewrite', 'no',
      '--save', '', '--maxmemory-policy', 'noeviction', '--list-compress-depth', '1', '--daemonize', 'no',
    ],
    env: process.env,
    hasChannel: false,
  };
}
