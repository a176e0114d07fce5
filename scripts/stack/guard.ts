import { spawn } from 'node:child_process';

/**
 * Ends what a supervisor that was itself killed (SIGKILL, the machine's memory) would leave behind. The services end by their IPC
 * channel; a Redis or MongoDB has none. So a small shell reads from a pipe which programs run, and when the pipe ends it waits for the
 * services, forces what is left of them after 10 s, and then stops the databases.
 */
export interface Guard {
  /** From now on these processes run. */
  watch(pids: { readonly services: readonly number[]; readonly databases: readonly number[] }): void;
  /** Everything has been stopped: the guard ends and touches nothing. */
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
