import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';

/** A host that takes no connections. Packets that ask for one are dropped, as by many firewalls. */
export interface DeafHost {
  readonly port: number;
  close(): void;
}

const SCRIPT =
  "require('net').createServer().listen({port: 0, host: '127.0.0.1', backlog: 1}, function () { " +
  'console.log(this.address().port) })';

/**
 * Starts a deaf host on 127.0.0.1: a stopped process with a full backlog, for which the kernel drops further connection
 * requests.
 */
export async function startDeafHost(): Promise<DeafHost> {
  const listener = spawn(process.execPath, ['-e', SCRIPT], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(listener.stdout, 'data')) as [Buffer];
  listener.kill('SIGSTOP');
  const port = Number(line.toString());
  const fillers: Socket[] = Array.from({ length: 8 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  await Promise.any(fillers.map((filler) => once(filler, 'connect')));
  return {
    port,
    close() {
      for (const filler of fillers) filler.destroy();
      listener.kill('SIGKILL');
    },
  };
}
