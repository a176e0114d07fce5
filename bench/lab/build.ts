import { spawnSync } from 'node:child_process';
import { UserError } from '../../scripts/user-error.ts';
import { ROOT } from './paths.ts';

const FOLDERS = ['services/campaign-batcher', 'services/transactional-notifier', 'services/api', 'bench'];
const PROJECTS = FOLDERS.map((folder) => `${folder}/tsconfig.build.json`);

/** Compiles the services and the bench's processes incrementally. @throws UserError with the compiler's messages. */
export function build(): void {
  const compiler = spawnSync(process.execPath, ['node_modules/@typescript/native/bin/tsc', '-b', ...PROJECTS], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (compiler.status !== 0) throw new UserError(`The build failed:\n${compiler.stdout.trim()}`);
}

/** Returns the measured commit, with a mark if the tree differs from it. */
export function commit(): string {
  const git = (...args: string[]): string => spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' }).stdout.trim();
  const head = git('rev-parse', '--short', 'HEAD');
  return git('status', '--porcelain', '--', 'packages', 'services', 'bench') === '' ? head : `${head} (with changes)`;
}
