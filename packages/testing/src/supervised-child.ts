import type { ChildProcessByStdio } from 'node:child_process';
import { spawn } from 'node:child_process';
import { createServer, Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import { createInterface } from 'node:readline';
import { SLOWDOWN } from './eventually.ts';

/** A private server process for tests. It dies with the test process, even if that one is killed. */
export interface SupervisedChild {
  readonly pid: number;
  readonly isRunning: () => boolean;
  /** Resolves when the process is gone. */
  readonly exited: Promise<void>;
  /** Sends the signal and resolves when the process is gone. */
  end(signal: NodeJS.Signals): Promise<void>;
}

export interface ChildOptions {
  readonly command: string;
  readonly args: readonly string[];
  /** Whether this line of the server's output shows that it is ready. */
  readonly isReady: (line: string) => boolean;
  readonly withinMs?: number;
  /** Added to the environment of this process. */
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * A shell starts the server and prints its pid. When this process ends, even by SIGKILL, the shell's standard input
 * ends and the shell kills the server. The server ignores SIGXFSZ, so that after `fillDisk` a write fails instead of
 * ending the server.
 */
const KEEPER =
  'trap "" XFSZ; exec 3<&0; "$@" </dev/null & pid=$!; echo "pid $pid"; (cat <&3 >/dev/null; kill -9 $pid) ' +
  '2>/dev/null & wait $pid';

/**
 * Starts a server and resolves when it is ready. Rejects with its last lines if it ends before, or takes longer than
 * `withinMs` (default 20 s), times the slowdown of the tests.
 */
export async function startChild(options: ChildOptions): Promise<SupervisedChild> {
  const keeper = spawn('sh', ['-c', KEEPER, 'sh', options.command, ...options.args], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...process.env, ...options.env },
  });
  const exited = new Promise<void>((resolve) => {
    keeper.once('exit', () => {
      keeper.stdin.destroy();
      resolve();
    });
  });
  const pid = await untilReady(keeper, options, exited);
  unref(keeper);
  const isRunning = (): boolean => keeper.exitCode === null && keeper.signalCode === null;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (isRunning()) {
      keeper.ref();
      killIfRunning(pid, signal);
    }
    await exited;
  };
  return { pid, isRunning, exited, end };
}

/** The server may have ended by itself a moment before the keeper shell. */
function killIfRunning(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

type Keeper = ChildProcessByStdio<Writable, Readable, null>;

async function untilReady(keeper: Keeper, options: ChildOptions, exited: Promise<void>): Promise<number> {
  const lines: string[] = [];
  let pid = 0;
  return new Promise<number>((resolve, reject) => {
    const fail = (why: string): void => {
      clearTimeout(timer);
      keeper.stdin.destroy();
      reject(new Error(`${options.command} ${why}: ${lines.slice(-5).join(' | ')}`));
    };
    const timer = setTimeout(() => fail('did not become ready in time'), (options.withinMs ?? 20_000) * SLOWDOWN);
    void exited.then(() => fail('ended before it was ready'));
    // The server may be ready before the shell prints the pid.
    let isReady = false;
    createInterface({ input: keeper.stdout }).on('line', (line) => {
      pid ||= Number(/^pid (\d+)$/.exec(line)?.[1] ?? 0);
      isReady ||= options.isReady(line);
      if (pid !== 0 && isReady) {
        clearTimeout(timer);
        resolve(pid);
      }
      if (lines.push(line) > 50) lines.shift();
    });
  });
}

/** A forgotten server must not keep the test process from ending. */
function unref(keeper: Keeper): void {
  keeper.unref();
  for (const pipe of [keeper.stdin, keeper.stdout]) {
    if (pipe instanceof Socket) pipe.unref();
  }
}

/** Below the range of ephemeral ports, so that no client takes the port of a server that restarts. */
const PORTS = { first: 10_000, last: 32_000 };

/** Each of jest's workers has a share, so that none takes the port of a server that another one restarts. */
const SHARES = 8;
const SHARE = Math.floor((PORTS.last - PORTS.first) / SHARES);

/** A port of 127.0.0.1 that is free now. The caller must expect that another process takes it first. */
export async function freePort(): Promise<number> {
  const share = Number(process.env['JEST_WORKER_ID'] ?? 0) % SHARES;
  for (;;) {
    const port = PORTS.first + share * SHARE + Math.floor(Math.random() * SHARE);
    if (await isFreePort(port)) return port;
  }
}

export function isFreePort(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
