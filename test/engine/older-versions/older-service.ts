import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import { UserError } from '../../../scripts/user-error.ts';

export type ServiceName = 'api' | 'transactional-notifier' | 'campaign-batcher';

/** A service of an earlier version, as a process. */
export interface OlderService {
  readonly name: ServiceName;
  /** Sends SIGKILL. Resolves with the exit code. */
  kill(): Promise<number | null>;
  /** Sends SIGTERM. Resolves with the exit code. */
  stop(): Promise<number | null>;
}

const STARTS_WITHIN_MS = 60_000;
const SERVICES = ['api', 'transactional-notifier', 'campaign-batcher'].map((name) => `services/${name}`);

/** Makes a worktree of a commit in a temporary folder and installs its packages. Resolves with the folder. */
export function checkOut(commit: string, onStep: (step: string) => void): string {
  const folder = path.join(mkdtempSync(path.join(tmpdir(), 'mailhook-older-')), 'checkout');
  onStep(`checking out ${commit}`);
  run('git', ['worktree', 'add', '--detach', folder, commit], '.');
  onStep('installing its packages');
  run('npm', ['ci', '--no-audit', '--no-fund'], folder);
  return folder;
}

/** Compiles the services of a checkout. */
export function compile(folder: string): void {
  run(process.execPath, ['node_modules/typescript/bin/tsc', '-b', ...SERVICES], folder);
}

export const removeCheckout = (folder: string): void => run('git', ['worktree', 'remove', '--force', folder], '.');

function run(command: string, args: readonly string[], cwd: string): void {
  const done = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (done.status !== 0)
    throw new UserError(`${command} ${args[0] ?? ''} failed: ${(done.stderr + done.stdout).slice(-500)}`);
}

/** Resolves when the service takes work. */
export function startOlderService(folder: string, name: ServiceName, env: NodeJS.ProcessEnv): Promise<OlderService> {
  const child = spawn(process.execPath, [`services/${name}/dist/main.js`], {
    cwd: folder,
    env: { ...process.env, ...env, NODE_ENV: 'production', MAILHOOK_SUPERVISED: '1' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const gone = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const end = (signal: NodeJS.Signals): Promise<number | null> => {
    child.kill(signal);
    return gone;
  };
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the older ${name} did not start`)), STARTS_WITHIN_MS);
    void gone.then((code) => reject(new Error(`the older ${name} ended with ${code ?? 'a signal'}`)));
    createInterface({ input: child.stdout as Readable }).on('line', (line) => {
      if (!line.includes('"message":"started"')) return;
      clearTimeout(timer);
      resolve({ name, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') });
    });
  });
}
