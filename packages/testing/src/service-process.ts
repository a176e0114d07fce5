import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

export type ServiceName = 'api' | 'transactional-notifier' | 'campaign-batcher';

/** A line of a service's log. */
export interface LogLine {
  readonly level: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

/** A process of the product. */
export interface ServiceProcess {
  readonly name: ServiceName;
  readonly pid: number;
  readonly isRunning: boolean;
  signal(signal: NodeJS.Signals): void;
  /** Sends SIGKILL. Resolves when the process has ended. */
  kill(): Promise<void>;
  /** Sends SIGTERM. Resolves with the exit code. */
  stop(): Promise<number | null>;
  /** The highest resident memory of the process so far. Only while it runs. */
  peakBytes(): number;
}

const STARTS_WITHIN_MS = 60_000;

export interface ServiceOptions {
  readonly name: ServiceName;
  /** Its compiled program. */
  readonly program: string;
  /** Added to the environment of this process. `LOG_LEVEL` must let the line `started` through. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Default: the folder of this process. */
  readonly cwd?: string;
  /** Options of Node. */
  readonly nodeOptions?: readonly string[];
  /** `ulimit -n`. Default: the limit of this process. */
  readonly openFilesMax?: number;
  readonly onLine?: (line: LogLine) => void;
  /** Called when the process ends without a request from here. */
  readonly onEndedItself?: (why: string) => void;
}

/** Starts a service and resolves when it logs `started`. The service ends with this process (`MAILHOOK_SUPERVISED`). */
export async function startServiceProcess(options: ServiceOptions): Promise<ServiceProcess> {
  const { name, program, nodeOptions = [], openFilesMax } = options;
  const limit = openFilesMax === undefined ? '' : `ulimit -n ${openFilesMax}; `;
  const child = spawn('sh', ['-c', `${limit}exec "$@"`, 'sh', process.execPath, ...nodeOptions, program], {
    cwd: options.cwd,
    env: { ...process.env, ...options.env, NODE_ENV: 'production', MAILHOOK_SUPERVISED: '1' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const gone = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const last: string[] = [];
  let isAsked = false;
  await untilStarted(name, child, gone, last, options.onLine);
  child.once('exit', (code, signal) => {
    if (!isAsked) options.onEndedItself?.(`${name} ended (${signal ?? code ?? ''}): ${last.slice(-5).join(' | ')}`);
  });
  const isRunning = (): boolean => child.exitCode === null && child.signalCode === null;
  const end = (signal: NodeJS.Signals): Promise<number | null> => {
    isAsked = true;
    if (isRunning()) child.kill(signal);
    return gone;
  };
  return {
    name,
    pid: child.pid ?? 0,
    get isRunning() {
      return isRunning();
    },
    signal: (signal) => {
      child.kill(signal);
    },
    kill: async () => {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
    peakBytes: () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) * 1024,
  };
}

function untilStarted(
  name: ServiceName,
  child: ChildProcess,
  gone: Promise<number | null>,
  last: string[],
  onLine?: (line: LogLine) => void,
): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const fail = (why: string): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(new Error(`${name} ${why}: ${last.slice(-5).join(' | ')}`));
    };
    const timer = setTimeout(() => fail('did not start in time'), STARTS_WITHIN_MS);
    void gone.then(() => fail('ended before it had started'));
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (text) => {
        if (last.push(text) > 20) last.shift();
        const line = parse(text);
        onLine?.(line);
        if (line.message !== 'started') return;
        clearTimeout(timer);
        resolve();
      });
    }
  });
}

function parse(text: string): LogLine {
  try {
    return JSON.parse(text) as LogLine;
  } catch {
    return { level: 'error', message: text };
  }
}
