import { fork } from 'node:child_process';
import path from 'node:path';
import type { Answer, Call, Handlers } from '../processes/calls.ts';
import { BENCH_DIST } from './paths.ts';

/** A child process of the bench that answers calls. */
export interface Child<Api extends Handlers> {
  readonly pid: number;
  call<Method extends keyof Api & string>(
    method: Method,
    ...input: Parameters<Api[Method]>
  ): Promise<Awaited<ReturnType<Api[Method]>>>;
  stop(): Promise<void>;
}

/**
 * Starts `bench/processes/<name>.ts`, compiled, as a separate process. It ends with the bench, even if the bench is
 * killed.
 */
export function startChild<Api extends Handlers>(
  name: string,
  execArgv: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Child<Api> {
  const child = fork(path.join(BENCH_DIST, 'processes', `${name}.js`), {
    serialization: 'advanced',
    execArgv: [...execArgv],
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const open = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  let calls = 0;
  const exited = new Promise<void>((resolve) => {
    child.once('exit', (code, signal) => {
      for (const { reject } of open.values()) reject(new Error(`${name} ended (${signal ?? code ?? ''})`));
      resolve();
    });
  });
  child.on('message', (message) => {
    const answer = message as Answer;
    const waiting = open.get(answer.id);
    open.delete(answer.id);
    if ('fault' in answer) waiting?.reject(new Error(`${name}: ${answer.fault}`));
    else waiting?.resolve(answer.result as never);
  });
  return {
    pid: child.pid ?? 0,
    call: (method, ...input) =>
      new Promise((resolve, reject) => {
        const id = (calls += 1);
        open.set(id, { resolve, reject });
        child.send({ id, method, input: input[0] } satisfies Call);
      }),
    stop: async () => {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}
