import { UserError } from '../user-error.ts';
import { findCommand } from './redis-server.ts';

/** The mongod of the PATH. */
export async function findMongod(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  const found = findCommand('mongod', env);
  if (found !== undefined) return Promise.resolve(found);
  throw new UserError('there is none on the PATH');
}
