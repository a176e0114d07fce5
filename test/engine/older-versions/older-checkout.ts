import { spawnSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { UserError } from '../../../scripts/user-error.ts';

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
