import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { runCommand, UserError } from '../user-error.ts';

const WIDTH = 120;

/** Other files with comments. ESLint checks TypeScript and the pages' scripts, and prettier wraps Markdown. */
const PATTERNS = ['*.lua', '*.sh', '*.yaml', '*.yml', '*.py', '*.php', '*.c', '*.css', '*.cjs', '*.mjs', '*.conf'];
const NAMES = ['Dockerfile', '.env.example', '.gitignore', '.dockerignore'];

const COMMENT = /^\s*(?:\/\/|\/?\*|--|#)/;

/** Checks that comments wrap at 120 characters. Lua has no formatter, so there all lines must. */
async function check(): Promise<void> {
  const { stdout } = await promisify(execFile)('git', ['ls-files', '-z', ...PATTERNS, ...NAMES]);
  const faults = stdout
    .split('\0')
    .filter((file) => file !== '' && existsSync(file))
    .flatMap((file) =>
      readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((line, i) =>
          line.length > WIDTH && (COMMENT.test(line) || file.endsWith('.lua')) ? [`${file}:${i + 1}`] : [],
        ),
    );
  if (faults.length > 0) throw new UserError(`Lines of more than ${WIDTH} characters:\n${faults.join('\n')}`);
}

void runCommand(check);
