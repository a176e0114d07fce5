import { setTimeout as wait } from 'node:timers/promises';
import { coded } from '@mailhook/core';
import { ProblemError } from '@mailhook/platform/http-server';

interface AccountLinesDeps {
  /** Called after each work, with the CPU time of the process meanwhile. */
  readonly onDone: (account: string, cpuMs: number) => void;
}

/** Runs the work of an account one after the other. Rejects with a 429 if too much of it waits. */
export type InLine = <Result>(account: string, work: () => Promise<Result>) => Promise<Result>;

interface Line {
  /** Resolves when the account's next work may start. */
  turn: Promise<unknown>;
  /** Works that have not ended. */
  length: number;
}

/**
 * After a work, its account rests this many times as long as the CPU time of the process meanwhile. So an account's
 * pages and large reads take at most a quarter of one process.
 */
const REST_PER_WORK = 3;
/** Most works of one account that wait or run. */
export const LINE_MAX = 50;
const RETRY_AFTER_S = 3;

/**
 * CPU time of the process since its start, in milliseconds. Not the time of a clock: while Redis does not answer, a
 * work takes seconds and costs nothing.
 */
function cpuTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export function createAccountLines({ onDone }: AccountLinesDeps): InLine {
  const lines = new Map<string, Line>();
  return (account, work) => {
    const line: Line = lines.get(account) ?? { turn: Promise.resolve(), length: 0 };
    if (line.length >= LINE_MAX) throw tooMany();
    lines.set(account, line);
    line.length += 1;
    let cpuMs = 0;
    const run = async () => {
      const before = cpuTimeMs();
      try {
        return await work();
      } finally {
        cpuMs = cpuTimeMs() - before;
        line.length -= 1;
        onDone(account, cpuMs);
      }
    };
    const rest = async () => {
      await wait(REST_PER_WORK * cpuMs, undefined, { ref: false });
      if (line.length === 0) lines.delete(account);
    };
    const done = line.turn.then(run);
    line.turn = done.then(rest, rest);
    return done;
  };
}

const tooMany = (): ProblemError =>
  new ProblemError('rate_limited', {
    detail: coded('many-pages', { max: LINE_MAX }),
    headers: { 'retry-after': String(RETRY_AFTER_S) },
  });
