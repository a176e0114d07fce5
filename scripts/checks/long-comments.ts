import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { runCommand, UserError } from '../user-error.ts';

const WIDTH = 120;

/** Files with comments. Prettier wraps code and Markdown, but no comments. */
const PATTERNS = [
  '*.ts',
  '*.js',
  '*.lua',
  '*.sh',
  '*.yaml',
  '*.yml',
  '*.py',
  '*.php',
  '*.c',
  '*.css',
  '*.cjs',
  '*.mjs',
  '*.conf',
];
const NAMES = ['Dockerfile', '.env.example', '.gitignore', '.dockerignore'];

const COMMENT = /^\s*(?:\/\/|\/?\*|--|#)/;
/** Where `--` and `#` begin no comment. */
const CODE = /\.(?:ts|js)$/;
const COMMENT_OF_CODE = /^\s*(?:\/\/|\/?\*)/;
const ADDRESS = /https?:/;
/** oxlint obeys them, and has no option against them. */
const EXCEPTION = /\/[/*].*\b(?:eslint|oxlint)-(?:disable|enable)/;

/**
 * Checks that comments wrap at 120 characters and make no exceptions from lint rules. Lua has no formatter, so all its
 * lines must wrap.
 */
async function check(): Promise<void> {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '-z', ...PATTERNS, ...NAMES]);
  const faults = stdout
    .split('\0')
    .filter((file) => file !== '' && existsSync(file))
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line, i) => (isLong(file, line) || EXCEPTION.test(line) ? [`${file}:${i + 1}`] : [])),
    );
  if (faults.length > 0)
    throw new UserError(`Lines of more than ${WIDTH} characters, or exceptions from lint:\n${faults.join('\n')}`);
}

function isLong(file: string, line: string): boolean {
  if (line.length <= WIDTH) return false;
  if (CODE.test(file)) return COMMENT_OF_CODE.test(line) && !ADDRESS.test(line);
  return COMMENT.test(line) || file.endsWith('.lua');
}

void runCommand(check);
