import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = process.cwd();
/** What `npm start` and `mailhook docs` read. */
const COPIED = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.base.json',
  'packages',
  'services',
  'scripts',
];
const COPIED_FOR_DOCUMENTS = ['docs', 'examples', '.oxfmtrc.json'];
const WORKSPACES = ['packages', 'services'];
const OWN_SCOPE = '@mailhook';
const isCopied = (file: string): boolean => !['node_modules', 'dist'].includes(path.basename(file));

export interface RepositoryCopy {
  readonly folder: string;
  remove(): void;
}

/** A copy of the sources that can be changed. It shares the installed packages, but has its own workspaces. */
export function copyRepository(): RepositoryCopy {
  const folder = mkdtempSync(path.join(tmpdir(), 'mailhook-copy-'));
  const copyOf = (...parts: readonly string[]): string => path.join(folder, ...parts);
  for (const name of [...COPIED, ...COPIED_FOR_DOCUMENTS])
    cpSync(path.join(ROOT, name), copyOf(name), { recursive: true, filter: isCopied });
  mkdirSync(copyOf('node_modules'));
  for (const name of readdirSync(path.join(ROOT, 'node_modules'))) {
    // Its links lead to the workspaces beside it.
    const isOwn = name === OWN_SCOPE;
    if (isOwn) cpSync(path.join(ROOT, 'node_modules', name), copyOf('node_modules', name), COPY_LINKS);
    else symlinkSync(path.join(ROOT, 'node_modules', name), copyOf('node_modules', name));
  }
  for (const workspace of WORKSPACES.flatMap((parent) => readdirSync(parent).map((name) => path.join(parent, name)))) {
    const modules = path.join(ROOT, workspace, 'node_modules');
    if (existsSync(modules)) symlinkSync(modules, copyOf(workspace, 'node_modules'));
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

const COPY_LINKS = { recursive: true, verbatimSymlinks: true };
