import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { UserError } from '../user-error.ts';
import { identify, isRunningStill, processIdentity, whenGone } from './processes.ts';
import { createPrivateJson, readPrivateJson, writePrivateJson } from './stack-file.ts';

/**
 * `DATA_DIR/supervisor.N`. The file with the highest number names the process that holds the folder, and the programs
 * that it runs. A number only rises, and `link` creates each file with its content. So of two processes that see the
 * same dead holder, one gets the next number.
 */
const claimFile = z.object({
  /** Undefined after a clean end. */
  holder: processIdentity.optional(),
  /** By name, also those of a killed start until the next start has ended them. */
  programs: z.record(z.string(), processIdentity),
});
type ClaimFile = z.infer<typeof claimFile>;
type Programs = ClaimFile['programs'];

/** The time that a program may take to end after its supervisor. */
const LEFTOVERS_WITHIN_MS = 15_000;

/** The right to use a data folder. */
export interface Claim {
  /** What a killed start has left. */
  readonly leftovers: Programs;
  /**
   * Notes the pids of the running programs, by name, so that the next start can end them after a kill of this process.
   */
  watch(pids: Readonly<Record<string, number>>): void;
  release(): void;
}

/** Claims the folder for this process until `release`. @throws UserError that names the process which uses it. */
export function claimDataDir(dataDir: string): Claim {
  for (;;) {
    const newest = newestNumber(dataDir);
    const { holder, programs } = readClaim(dataDir, newest);
    if (holder !== undefined && isRunningStill(holder)) {
      throw new UserError(
        `Another \`npm start\` (process ${holder.pid}) uses ${dataDir}. Stop it, or set DATA_DIR, PORT and ` +
          'OPS_PORT to run a second one beside it.',
      );
    }
    const file = claimPath(dataDir, newest + 1);
    const own: ClaimFile = { holder: identify(process.pid), programs };
    // A claim counts only while it is the newest: a slower process may create a number that a faster one has removed.
    if (!createPrivateJson(file, own) || newestNumber(dataDir) !== newest + 1) continue;
    for (const number of claimNumbers(dataDir))
      if (number <= newest) rmSync(claimPath(dataDir, number), { force: true });
    return {
      leftovers: programs,
      watch: (pids) => {
        own.programs = {};
        for (const [name, pid] of Object.entries(pids)) {
          const program = identify(pid);
          if (program !== undefined) own.programs[name] = program;
        }
        writePrivateJson(file, own);
      },
      release: () => {
        own.holder = undefined;
        writePrivateJson(file, own);
      },
    };
  }
}

/**
 * Ends what a killed start has left. Its services end by themselves, and are killed after 15 s. Calls `beforeDatabases`
 * when they are gone, and ends no database if it rejects. Two Redis servers on the same files would destroy them.
 *
 * @throws UserError that names a database which does not stop
 */
export async function endLeftovers(
  leftovers: Programs,
  isService: (name: string) => boolean,
  beforeDatabases: () => Promise<void>,
): Promise<void> {
  const all = Object.entries(leftovers);
  const services = all.filter(([name]) => isService(name)).map(([, program]) => program);
  for (const { pid } of await whenGone(services, LEFTOVERS_WITHIN_MS)) process.kill(pid, 'SIGKILL');
  await beforeDatabases();
  const databases = all.filter(([name, program]) => !isService(name) && isRunningStill(program));
  for (const [, { pid }] of databases) process.kill(pid, 'SIGTERM');
  const [left] = await whenGone(
    databases.map(([, program]) => program),
    LEFTOVERS_WITHIN_MS,
  );
  if (left !== undefined)
    throw new UserError(
      `A database of an earlier start (process ${left.pid}) does not stop. End it: kill -9 ${left.pid}`,
    );
}

const claimPath = (dataDir: string, number: number): string => path.join(dataDir, `supervisor.${number}`);

const claimNumbers = (dataDir: string): number[] =>
  readdirSync(dataDir).flatMap((name) => {
    const [, number] = /^supervisor\.(\d+)$/.exec(name) ?? [];
    return number === undefined ? [] : [Number(number)];
  });

const newestNumber = (dataDir: string): number => Math.max(0, ...claimNumbers(dataDir));

/**
 * A claim that cannot be read has no holder: another process has removed it for a newer one, or the machine lost its
 * power.
 */
const readClaim = (dataDir: string, number: number): ClaimFile =>
  claimFile.catch({ programs: {} }).parse(readPrivateJson(claimPath(dataDir, number)));
