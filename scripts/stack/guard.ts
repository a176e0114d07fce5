import { spawn } from 'node:child_process';

/**
 * Ends the programs that a killed supervisor leaves behind. The services end when their IPC channel closes, but Redis
 * and MongoDB have none. So a small shell reads the running programs from a pipe. When the pipe closes, the shell waits
 * up to 10 s for the services, kills the rest of them, and then stops the databases.
 */
export interface Guard {
  /** Replaces the list of running processes. */
  watch(pids: { readonly services: readonly number[]; readonly databases: readonly number[] }): void;
  /** Ends the guard without effect, because everything has stopped. */
  dismiss(): void;
}

const SCRIPT = `
while IFS='|' read -r one two; do services=$one; databases=$two; done
rounds=0
while [ "$rounds" -lt 50 ]; do
  running=
  for pid in $services; do kill -0 "$pid" 2>/dev/null && running=yes; done
  [ -z "$running" ] && break
  sleep 0.2
  rounds=$((rounds + 1))
done
for pid in $services; do kill -9 "$pid" 2>/dev/null; done
for pid in $databases; do kill -15 "$pid" 2>/dev/null; done
`;

export function startGuard(): Guard {
  const shell = spawn('sh', ['-c', SCRIPT], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  shell.once('error', () => undefined).unref();
  shell.stdin.on('error', () => undefined);
  const tell = (services: readonly number[], databases: readonly number[]): void => {
    shell.stdin.write(`${services.join(' ')}|${databases.join(' ')}\n`);
  };
  return {
    watch: ({ services, databases }) => tell(services, databases),
    dismiss: () => {
      tell([], []);
      shell.stdin.end();
    },
  };
}
