import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { isFreePort } from '@mailhook/testing';
import { z } from 'zod';

/** `DATA_DIR/stack.json`. `file` reads it anew each time, because pids change. */
const stackFile = z.object({
  baseUrl: z.string(),
  opsUrl: z.string(),
  redisUrl: z.string(),
  producerToken: z.string(),
  adminToken: z.string(),
  pids: z.object({
    api: z.int(),
    'transactional-notifier': z.int(),
    'campaign-batcher': z.int(),
    redis: z.int(),
  }),
});
export type StackFile = z.infer<typeof stackFile>;

/** A run of `npm start -- --no-demo`, ready or not. */
export interface StartedProcess {
  /** The output so far, of both streams. */
  readonly output: string;
  /** Resolves with the exit code. */
  readonly exited: Promise<number | null>;
  /** Sends Ctrl-C as a terminal does: to every process of the group. */
  interrupt(): void;
  /** Ends the run if it is still active, and removes its data. */
  close(): Promise<void>;
}

export interface StartedStack extends StartedProcess {
  readonly dataDir: string;
  readonly file: StackFile;
}

export interface StartOptions {
  readonly ports?: { readonly port: number; readonly opsPort: number };
  readonly env?: NodeJS.ProcessEnv;
  readonly args?: readonly string[];
  /** The repository or a copy. Default: the tests' own. */
  readonly folder?: string;
}

/** Mailhook's variables, which a developer's shell may have set. A test's stack inherits none of them. */
const OWN_VARIABLES =
  /^(PORT|OPS_PORT|HOST|DATA_DIR|PUBLIC_URL|BRAND_.*|PORTAL_.*|NODE_ENV|PARTIAL_ACK|POISON_SPLIT|.*(REDIS|MONGO)_.*|MONGO_URL|REDIS_URL|.*_TOKEN|QUEUE_.*|.*RETRY_.*|BREAKER_.*|WAITING_.*|CAMPAIGN_.*|DELIVERY_.*|ALLOW_.*|DESTINATION_.*|OTEL_.*|LOG_LEVEL|npm_.*)$/;
const READY_WITHIN_MS = 150_000;
const STOP_WITHIN_MS = 30_000;

/** Runs `npm start -- --no-demo` with a separate folder and separate ports, and does not wait until it is ready. */
export async function startProcess({ ports, env = {}, args = [], folder }: StartOptions = {}): Promise<
  StartedProcess & { dataDir: string }
> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'mailhook-test-'));
  const { port, opsPort } = ports ?? (await freePorts());
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OWN_VARIABLES.test(name)));
  const own = {
    PORT: String(port),
    OPS_PORT: String(opsPort),
    DATA_DIR: dataDir,
    RETRY_JITTER: '0',
    LOG_LEVEL: 'warn',
  };
  const child = spawn('npm', ['start', '--silent', '--', '--no-demo', ...args], {
    env: { ...inherited, ...own, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    cwd: folder,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => {
      output += `${line}\n`;
    });
  }
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  const killAtExit = (): void => signalGroup(child, 'SIGKILL');
  process.once('exit', killAtExit);
  return {
    dataDir,
    get output() {
      return output;
    },
    exited,
    interrupt: () => signalGroup(child, 'SIGINT'),
    async close() {
      signalGroup(child, 'SIGTERM');
      const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), STOP_WITHIN_MS);
      await exited;
      clearTimeout(timer);
      process.removeListener('exit', killAtExit);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Starts a stack. Resolves when it is ready, and rejects with its output if it ends before. */
export async function startStack(options: StartOptions = {}): Promise<StartedStack> {
  const started = await startProcess(options);
  const dataDir = options.env?.['DATA_DIR'] ?? started.dataDir;
  const readFile = (): StackFile => stackFile.parse(JSON.parse(readFileSync(path.join(dataDir, 'stack.json'), 'utf8')));
  const isReady = (): boolean => /^Mailhook is ready$/m.test(started.output);
  const ended = started.exited.then(() => 'ended' as const);
  for (const deadlineMs = performance.now() + READY_WITHIN_MS; !isReady();) {
    const what = await Promise.race([ended, new Promise<'later'>((resolve) => setTimeout(resolve, 20, 'later'))]);
    if (what === 'later' && performance.now() < deadlineMs) continue;
    await started.close();
    throw new Error(`The stack is not ready:\n${started.output}`);
  }
  return Object.defineProperty(started, 'file', { get: readFile }) as StartedStack;
}

function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group has already ended.
  }
}

/** Finds four consecutive free ports below the range for outgoing connections. */
export async function freePorts(): Promise<{ port: number; opsPort: number }> {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const first = 20_000 + 4 * Math.floor(Math.random() * 2500);
    const free = await Promise.all([0, 1, 2, 3].map((i) => isFreePort(first + i)));
    if (free.every(Boolean)) return { port: first, opsPort: first + 1 };
  }
  throw new Error('no free ports');
}

/** Returns true if the process runs. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
