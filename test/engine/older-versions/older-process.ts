import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Command, OlderEngineOptions } from './older-engine.ts';

/** The engine of an earlier version, in a separate process. */
export interface OlderEngine {
  send(command: Command): Promise<unknown>;
  /** Sends SIGKILL and waits for the exit. */
  kill(): Promise<void>;
}

export function startOlderEngine(checkout: string, options: OlderEngineOptions): OlderEngine {
  const program = ['--conditions=@mailhook/source', '--import', 'tsx', 'test/engine/older-versions/older-engine.ts'];
  const child = spawn(process.execPath, [...program, JSON.stringify(options)], {
    cwd: checkout,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const waiting: ((reply: unknown) => void)[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith('reply ')) waiting.shift()?.(JSON.parse(line.slice('reply '.length)));
  });
  return {
    send: (command) =>
      new Promise((resolve, reject) => {
        waiting.push(resolve);
        void gone.then(() => reject(new Error(`the engine in ${checkout} ended`)));
        child.stdin.write(`${JSON.stringify(command)}\n`);
      }),
    async kill() {
      child.kill('SIGKILL');
      await gone;
    },
  };
}
