import { createServer } from 'node:net';
import { UserError } from '../user-error.ts';
import type { StackSettings } from './settings.ts';

/** @throws UserError in one line that names the taken port and the variable to change. */
export async function assertPortsFree(settings: StackSettings): Promise<void> {
  const { opsHost, opsPorts } = settings;
  const wanted = [
    { host: settings.host, port: settings.port, hint: 'Set PORT to a free one' },
    { host: opsHost, port: opsPorts.api, hint: 'Set OPS_PORT to a free one' },
    {
      host: opsHost,
      port: opsPorts['transactional-notifier'],
      hint: 'It is OPS_PORT + 1: set OPS_PORT to another one',
    },
    { host: opsHost, port: opsPorts['campaign-batcher'], hint: 'It is OPS_PORT + 2: set OPS_PORT to another one' },
  ];
  for (const { host, port, hint } of wanted) {
    const fault = await listenFault(host, port);
    if (fault === undefined) continue;
    if (fault === 'EADDRINUSE') throw new UserError(`Port ${port} is taken. ${hint}, or stop what uses it.`);
    if (fault === 'EACCES') throw new UserError(`Port ${port} needs more rights than this user has. ${hint}.`);
    throw new UserError(`Cannot listen on ${host} (${fault}). Set HOST or OPS_HOST to an address of this machine.`);
  }
}

/** Returns why this process cannot listen there now, as an error code. Undefined if it can. */
function listenFault(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

/**
 * Returns a free port on 127.0.0.1. It lies below the range for outgoing connections, so that no client takes it while
 * the server on it restarts.
 */
export async function freePortFrom(first: number): Promise<number> {
  for (let port = first; port < first + 1000; port += 1) {
    if ((await listenFault('127.0.0.1', port)) === undefined) return port;
  }
  throw new UserError(`No free port from ${first} to ${first + 999} on 127.0.0.1.`);
}
