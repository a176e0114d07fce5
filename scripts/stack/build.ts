import { spawn } from 'node:child_process';
import { UserError } from '../user-error.ts';
import { SERVICES } from './settings.ts';

/**
 * Compiles the services and their packages, incrementally and without type checks. Resolves with the milliseconds that this took.
 *
 * @throws UserError with the compiler's messages.
 */
export async function buildServices(signal: AbortSignal): Promise<number> {
  const startedAt = performance.now();
  const projects = SERVICES.map((name) => `services/${name}`);
  const compiler = spawn(process.execPath, ['node_modules/typescript/bin/tsc', '-b', '--noCheck', ...projects], {
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  let output = '';
  for (const stream of [compiler.stdout, compiler.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    compiler.once('error', reject).once('close', resolve);
  });
  if (code !== 0) throw new UserError(`The build failed:\n${output.trim()}`);
  return performance.now() - startedAt;
}
