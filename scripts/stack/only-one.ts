import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../user-error.ts';
import { processMatches, whenGone } from './processes.ts';
import { endLeftoverRedis } from './redis-server.ts';
import { readStackFile, removeStackFile } from './stack-file.ts';

const SUPERVISOR = /scripts\/start\.ts/;
const SERVICE = /services\/[\w-]+\/dist\/main\.js/;
/** The time that a service may take to end after its supervisor. */
const LEFTOVERS_WITHIN_MS = 15_000;

/** Claims the folder for this process until `release`. @throws UserError that names the process which uses it. */
export function claimDataDir(dataDir: string): { release(): void } {
  const file = path.join(dataDir, 'supervisor.pid');
  const holder = existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0;
  if (holder !== process.pid && processMatches(holder, SUPERVISOR)) {
    throw new UserError(
      `Another \`npm start\` (process ${holder}) uses ${dataDir}. Stop it, or set DATA_DIR, PORT and OPS_PORT to run a second one beside it.`,
    );
  }
  writeFileSync(file, `${process.pid}\n`, { mode: 0o600 });
  return { release: () => rmSync(file, { force: true }) };
}

/** Ends what a killed start may have left. Its services are already ending, and two Redis servers must never share the same files. */
export async function endLeftovers(dataDir: string): Promise<void> {
  const pids = Object.values(readStackFile(dataDir)?.pids ?? {}).filter((pid) => processMatches(pid, SERVICE));
  for (const pid of await whenGone(pids, LEFTOVERS_WITHIN_MS)) process.kill(pid, 'SIGKILL');
  await endLeftoverRedis(dataDir, LEFTOVERS_WITHIN_MS);
  removeStackFile(dataDir);
}
