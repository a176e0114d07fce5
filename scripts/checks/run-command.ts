import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';

export interface CommandResult {
  /** Null if a signal or the time limit ended the program. 0 if it was ended after it had done everything. */
  readonly code: number | null;
  readonly output: string;
  readonly durationMs: number;
}

/**
 * Linting, compiling and loading modules create much short-lived garbage. A larger young generation saves a tenth of
 * the CPU time.
 */
const LARGE_YOUNG_GENERATION = '--max-semi-space-size=64';

/** The lowest priority that Unix has. */
const LAST = '19';

export interface RunOptions {
  /** The program is killed after this time. */
  readonly withinMs: number;
  /** It takes only the time that other processes leave to it. */
  readonly isInBackground?: boolean;
  /** Kills the program, whose result then says nothing. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Gets each message that the program sends with `process.send`. If it returns a time, the program is killed after
   * that time, and this counts as a good end.
   */
  readonly onMessage?: (message: unknown) => number | undefined;
}

/** Runs a node program of the project to its end and keeps its output. Kills its children with it. */
export async function runNode(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { withinMs, isInBackground = false, signal, onMessage }: RunOptions,
): Promise<CommandResult> {
  const startedAt = performance.now();
  const program = [process.execPath, LARGE_YOUNG_GENERATION, ...args];
  const [command = '', ...rest] = isInBackground ? ['nice', '-n', LAST, ...program] : program;
  // A separate process group, so that killing a hanging program also ends its children.
  const child = spawn(command, rest, {
    env: plainWhenPiped(env),
    stdio: ['ignore', 'pipe', 'pipe', onMessage === undefined ? 'ignore' : 'ipc'],
    detached: true,
  });
  if (isInBackground && child.pid !== undefined) void putSessionLast(child.pid);
  const endGroup = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  let output = '';
  const over = new AbortController();
  let timer = setTimeout(() => {
    output += `\nnot done after ${withinMs / 1000} s: ended`;
    endGroup();
  }, withinMs);
  const endSoon = (afterMs: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      output += `\nIt did not end within ${afterMs / 1000} s of its last test: a test left something open.`;
      over.abort();
      endGroup();
    }, afterMs);
  };
  process.once('exit', endGroup);
  signal?.addEventListener('abort', endGroup);
  child.on('message', (message) => {
    const endAfterMs = onMessage?.(message);
    if (endAfterMs !== undefined) endSoon(endAfterMs);
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  clearTimeout(timer);
  process.removeListener('exit', endGroup);
  signal?.removeEventListener('abort', endGroup);
  return { code: over.signal.aborted ? 0 : code, output: output.trim(), durationMs: performance.now() - startedAt };
}

/**
 * Linux may share the cores between sessions first, and looks at `nice` only within one (`man 7 sched`, autogroup). A
 * detached program has a session of its own. Linux refuses more than ten changes a second. Other systems have no such
 * file, and need nothing.
 */
async function putSessionLast(pid: number): Promise<void> {
  for (let tries = 0; tries < 10; tries += 1) {
    try {
      await writeFile(`/proc/${pid}/autogroup`, LAST);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      await wait(150);
    }
  }
}

/** Some tools color their output wherever CI is set, so this says explicitly whether colors are wanted. */
function plainWhenPiped(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return process.stdout.isTTY ? { ...env, FORCE_COLOR: '1' } : { ...env, NO_COLOR: '1', FORCE_COLOR: undefined };
}
