import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

/** A program that the supervisor keeps running. */
export interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** True if the program has an IPC channel. When the channel closes, the program knows that its supervisor is gone. */
  readonly hasChannel: boolean;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly uptimeMs: number;
}

export interface ProgramEvents {
  /** Called with the pid of a new run, and with undefined when a run ends. */
  onPid(pid: number | undefined): void;
  onLine(line: string, source: 'stdout' | 'stderr'): void;
  /** The program died without a request to stop. Returns true to start it again in `restartInMs`. */
  onDeath(exit: Exit, restartInMs: number): boolean;
}

export interface Supervised {
  readonly pid: number | undefined;
  /** Whether its present run has sent a message, which a service does when it has started. */
  readonly hasStarted: boolean;
  /**
   * Sends SIGTERM, and SIGKILL after `withinMs`. Resolves when the program is gone, with `true` if it ended by itself.
   */
  stop(withinMs: number): Promise<boolean>;
  /** Kills the program and its children at once. */
  kill(): void;
}

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 10_000;
/** A run of this length counts as healthy, so that the next restart has the shortest delay again. */
const HEALTHY_AFTER_MS = 30_000;

const LAST_LINES_MS = 200;

/** Returns the delay before the next start. `deaths` counts those in quick succession, from 1. */
export const restartDelayMs = (deaths: number): number =>
  Math.min(FIRST_DELAY_MS * 2 ** (deaths - 1), LONGEST_DELAY_MS);

/**
 * Starts a program in a separate process group, so that Ctrl-C at the terminal reaches only the supervisor. Starts it
 * again when it dies, after a delay that doubles while it keeps dying.
 */
export function supervise(program: Program, events: ProgramEvents): Supervised {
  let child: ChildProcess | undefined;
  let deaths = 0;
  let hasStarted = false;
  let isStopping = false;
  let timer: NodeJS.Timeout | undefined;
  const waiting: (() => void)[] = [];

  const run = (): void => {
    const startedAt = performance.now();
    const current = startChild(program, events, (code, signal) => {
      child = undefined;
      hasStarted = false;
      events.onPid(undefined);
      for (const resolve of waiting.splice(0)) resolve();
      if (isStopping) return;
      const uptimeMs = performance.now() - startedAt;
      deaths = uptimeMs >= HEALTHY_AFTER_MS ? 1 : deaths + 1;
      const delayMs = restartDelayMs(deaths);
      if (events.onDeath({ code, signal, uptimeMs }, delayMs)) timer = setTimeout(run, delayMs);
    });
    child = current.once('message', () => (hasStarted = true));
    events.onPid(current.pid);
  };
  run();

  const end = (signal: NodeJS.Signals): void => {
    isStopping = true;
    clearTimeout(timer);
    signalGroup(child, signal);
  };
  return {
    get pid() {
      return child?.pid;
    },
    get hasStarted() {
      return hasStarted;
    },
    stop: async (withinMs) => {
      end('SIGTERM');
      if (child === undefined) return true;
      const gone = new Promise<void>((resolve) => waiting.push(resolve));
      const force = setTimeout(() => end('SIGKILL'), withinMs);
      const startedAt = performance.now();
      await gone;
      clearTimeout(force);
      return performance.now() - startedAt < withinMs;
    },
    kill: () => end('SIGKILL'),
  };
}

type OnGone = (code: number | null, signal: NodeJS.Signals | null) => void;

function startChild(program: Program, events: ProgramEvents, onGone: OnGone): ChildProcess {
  const child = spawn(program.command, program.args, {
    env: program.env,
    detached: true,
    stdio: program.hasChannel ? ['ignore', 'pipe', 'pipe', 'ipc'] : ['ignore', 'pipe', 'pipe'],
  });
  for (const source of ['stdout', 'stderr'] as const) {
    const stream = child[source];
    if (stream !== null) createInterface({ input: stream }).on('line', (line) => events.onLine(line, source));
  }
  let isGone = false;
  const gone: OnGone = (code, signal) => {
    if (!isGone) onGone(code, signal);
    isGone = true;
  };
  child.once('exit', (code, signal) => {
    // 'close' follows the last line of output, so the reason of a death is known when it is reported. But a child of
    // the program may hold the output open, so there is a time limit.
    child.once('close', () => gone(code, signal));
    setTimeout(() => gone(code, signal), LAST_LINES_MS);
  });
  child.once('error', (error) => {
    events.onLine(`${program.command} could not be started: ${error.message}`, 'stderr');
    if (child.pid === undefined) gone(null, null);
  });
  return child;
}

/** Sends a signal to the program. SIGKILL goes to the whole group, so that no child outlives the program. */
function signalGroup(child: ChildProcess | undefined, signal: NodeJS.Signals): void {
  if (child?.pid === undefined) return;
  try {
    process.kill(signal === 'SIGKILL' ? -child.pid : child.pid, signal);
  } catch {
    // The program has ended in the meantime.
  }
}
