import { spawn } from 'node:child_process';

export interface CommandResult {
  /** Null if a signal or the time limit ended the program. */
  readonly code: number | null;
  readonly output: string;
  readonly durationMs: number;
}

/** Linting, compiling and loading modules create much short-lived garbage. A larger young generation saves a tenth of the CPU time. */
const LARGE_YOUNG_GENERATION = '--max-semi-space-size=64';

/**
 * Runs a node program of the project to its end and keeps its output. Kills it and its children after `withinMs`. `onMessage` gets each message that
 * the program sends with `process.send`.
 */
export async function runNode(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  withinMs: number,
  onMessage?: (message: unknown) => void,
): Promise<CommandResult> {
  const startedAt = performance.now();
  // A separate process group, so that killing a hanging program also ends its children.
  const child = spawn(process.execPath, [LARGE_YOUNG_GENERATION, ...args], {
    env: plainWhenPiped(env),
    stdio: ['ignore', 'pipe', 'pipe', onMessage === undefined ? 'ignore' : 'ipc'],
    detached: true,
  });
  const endGroup = (): void => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
  };
  let output = '';
  const timer = setTimeout(() => {
    output += `\nnot done after ${withinMs / 1000} s: ended`;
    endGroup();
  }, withinMs);
  process.once('exit', endGroup);
  if (onMessage !== undefined) child.on('message', onMessage);
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
  return { code, output: output.trim(), durationMs: performance.now() - startedAt };
}

/** Some tools color their output wherever CI is set, so this says explicitly whether colors are wanted. */
function plainWhenPiped(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return process.stdout.isTTY ? { ...env, FORCE_COLOR: '1' } : { ...env, NO_COLOR: '1', FORCE_COLOR: undefined };
}
