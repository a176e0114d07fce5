import { escapeUnseen } from '@mailhook/core';
import type { Terminal } from '../terminal.ts';
import { seconds, shownPath } from '../terminal.ts';
import { UserError } from '../user-error.ts';
import { startGuard } from './guard.ts';
import { openLogFile } from './log-file.ts';
import { readLogLine } from './log-line.ts';
import { supervise } from './supervise.ts';
import type { Exit, Program, Supervised } from './supervise.ts';

/** Programs stop by role: first the intake of events, then their delivery, and the databases last. */
type Role = 'intake' | 'worker' | 'database';

/** The programs of a stack, started, watched and stopped together. */
export interface Fleet {
  start(program: Program, role: Role): void;
  /** Pids of the running programs, by name. */
  pids(): Readonly<Record<string, number>>;
  /** Whether a service runs and has said so itself. */
  hasStarted(name: string): boolean;
  /** Rejects with a `UserError` when a program cannot start. Otherwise stays pending. */
  readonly whenHopeless: Promise<never>;
  /** Marks the end of the start. From now on every program that dies is started again. */
  markReady(): void;
  stop(): Promise<void>;
  kill(): void;
}

export interface FleetDeps {
  readonly logDir: string;
  readonly terminal: Terminal;
  /** Called when the pid of a program changes. */
  readonly onPids: () => void;
}

/** Exit code of a service that cannot use its configuration (EX_CONFIG). */
const EXIT_CONFIG = 78;
/** A start is hopeless after this many deaths of a program before all were ready. */
const DEATHS_MAX = 5;
const LINES_KEPT = 30;
/** The terminal shows a repeated line once in this time. The log has all of them. */
const REPETITION_MS = 10_000;
/** Less than 15 s in all. Workers need the delivery deadline to finish or give back what is in flight. */
const STOP_WITHIN_MS: Readonly<Record<Role, number>> = { intake: 5000, worker: 7000, database: 2500 };
const STOP_ORDER: readonly Role[] = ['intake', 'worker', 'database'];

interface Member {
  readonly role: Role;
  readonly supervised: Supervised;
}

export function createFleet(deps: FleetDeps): Fleet {
  const guard = startGuard();
  const members = new Map<string, Member>();
  const phase: Phase = { isReady: false, held: [] };
  const hopeless = pendingRejection();

  const onPid = (): void => {
    const isDatabase = (role: Role): boolean => role === 'database';
    guard.watch({ services: pidsOf(members, (role) => !isDatabase(role)), databases: pidsOf(members, isDatabase) });
    deps.onPids();
  };
  let isStopping = false;
  const start = (program: Program, role: Role): void => {
    // Ignores late calls of an aborted start.
    if (isStopping) return;
    const watcher = watchProgram(program, deps, phase, hopeless.reject);
    const supervised = supervise(program, {
      ...watcher,
      // The first call comes from within `supervise`, before the map has its result.
      onPid: () => queueMicrotask(onPid),
    });
    members.set(program.name, { role, supervised });
  };
  return {
    start,
    hasStarted: (name) => members.get(name)?.supervised.hasStarted === true,
    whenHopeless: hopeless.promise,
    pids: () =>
      Object.fromEntries(
        [...members].flatMap(([name, { supervised }]) =>
          supervised.pid === undefined ? [] : [[name, supervised.pid]],
        ),
      ),
    markReady: () => {
      phase.isReady = true;
      for (const line of phase.held.splice(0)) deps.terminal.warn(line);
    },
    stop: async () => {
      isStopping = true;
      for (const role of STOP_ORDER) await stopRole(members, role, deps.terminal);
      guard.dismiss();
    },
    kill: () => {
      isStopping = true;
      for (const { supervised } of members.values()) supervised.kill();
      guard.dismiss();
    },
  };
}

function pendingRejection(): { readonly promise: Promise<never>; readonly reject: (error: UserError) => void } {
  let reject: (error: UserError) => void = () => undefined;
  const promise = new Promise<never>((_, rejectPromise) => {
    reject = rejectPromise;
  });
  // Without a caller that waits, the rejection must not count as unhandled.
  promise.catch(() => undefined);
  return { promise, reject };
}

const pidsOf = (members: ReadonlyMap<string, Member>, isWanted: (role: Role) => boolean): number[] =>
  [...members.values()].flatMap(({ role, supervised: { pid } }) => (pid !== undefined && isWanted(role) ? [pid] : []));

async function stopRole(members: ReadonlyMap<string, Member>, role: Role, terminal: Terminal): Promise<void> {
  const ofRole = [...members].filter(([, member]) => member.role === role);
  await Promise.all(
    ofRole.map(async ([name, { supervised }]) => {
      const withinMs = STOP_WITHIN_MS[role];
      if (!(await supervised.stop(withinMs)))
        terminal.warn(`${name} did not stop within ${seconds(withinMs)} and was ended.`);
    }),
  );
}

interface Phase {
  isReady: boolean;
  /** Warnings of starting programs. Dropped when the start fails, because the error then says the reason. */
  readonly held: string[];
}

/** Logs a program's output, shows its warnings and errors, and decides about its deaths. */
function watchProgram(program: Program, deps: FleetDeps, phase: Phase, giveUp: (error: UserError) => void) {
  const log = openLogFile(deps.logDir, program.name);
  let lastLines: string[] = [];
  let errorLines: string[] = [];
  let deaths = 0;
  const isRepetition = repetitionsWithin(REPETITION_MS);
  return {
    onLine: (line: string, source: 'stdout' | 'stderr'): void => {
      log.write(line);
      const kept = source === 'stderr' ? errorLines : lastLines;
      if (kept.push(line) > LINES_KEPT) kept.shift();
      const shown = readLogLine(line);
      if (shown === undefined || isRepetition(shown)) return;
      if (phase.isReady) deps.terminal.warn(`${program.name}: ${shown}`);
      else phase.held.push(`${program.name}: ${shown}`);
    },
    onDeath: (exit: Exit, restartInMs: number): boolean => {
      deaths += 1;
      const said = (errorLines.length > 0 ? errorLines : lastLines.slice(-8))
        .map((line) => readLogLine(line) ?? escapeUnseen(line))
        .join('\n');
      [lastLines, errorLines] = [[], []];
      log.write(`--- ended (${howEnded(exit)}) ---`);
      if (phase.isReady) {
        deps.terminal.warn(
          `${program.name} ended (${howEnded(exit)}) and is started again in ${seconds(restartInMs)}.`,
        );
        return true;
      }
      if (exit.code === EXIT_CONFIG) {
        giveUp(new UserError(said));
        return false;
      }
      if (deaths < DEATHS_MAX) return true;
      giveUp(
        new UserError(
          `${program.name} does not start (${howEnded(exit)}). Its log is ${shownPath(log.path)} and ends:\n${said}`,
        ),
      );
      return false;
    },
  };
}

function repetitionsWithin(ms: number): (text: string) => boolean {
  const lastAt = new Map<string, number>();
  return (text) => {
    const now = performance.now();
    for (const [known, at] of lastAt) if (now - at > ms) lastAt.delete(known);
    if (lastAt.has(text)) return true;
    lastAt.set(text, now);
    return false;
  };
}

const howEnded = ({ code, signal }: Exit): string =>
  signal === null ? `exit code ${String(code)}` : `signal ${signal}`;
