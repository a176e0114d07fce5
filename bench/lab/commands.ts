import { createHash } from 'node:crypto';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import path from 'node:path';
import { commandOf } from '@mailhook/delivery';
import { ROOT } from './paths.ts';

/** How often clients called each command, function or script. Commands inside of functions and scripts do not count. */
export type Commands = ReadonlyMap<string, number>;

/** A line of MONITOR: the client's address, the command, and its first argument. */
const LINE = /^\+\S+ \[\d+ (\S+)\] "([^"]*)"(?: "([^"]*)")?/;

/** Counts the commands of all clients of a Redis on this machine while `meanwhile` runs. It costs Redis CPU. */
export async function countCommands(port: number, meanwhile: () => Promise<unknown>): Promise<Commands> {
  const socket = connect({ host: '127.0.0.1', port });
  const counts = new Map<string, number>();
  const isReady = new Promise<void>((resolve, reject) => {
    socket.once('data', () => resolve());
    socket.once('error', reject);
  });
  let rest = '';
  socket.on('data', (data) => {
    const lines = (rest + data.toString('latin1')).split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const [, client, command = '', argument = ''] = LINE.exec(line) ?? [];
      if (client === undefined || client === 'lua') continue;
      const name = nameOf(command.toLowerCase(), argument);
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  });
  socket.write('MONITOR\r\n');
  await isReady;
  try {
    await meanwhile();
  } finally {
    socket.destroy();
  }
  return counts;
}

function nameOf(command: string, argument: string): string {
  if (command === 'fcall') return `fcall ${commandOf(argument) ?? argument}`;
  if (command === 'evalsha') return `evalsha ${scriptNames().get(argument) ?? argument}`;
  return command;
}

interface Script {
  readonly name: string;
  readonly content: string;
}

let named: ReadonlyMap<string, string> | undefined;

/** The names of BullMQ's scripts, by the digest that EVALSHA has. */
function scriptNames(): ReadonlyMap<string, string> {
  const file = path.join(ROOT, 'node_modules/bullmq/dist/cjs/scripts/index.js');
  named ??= new Map(
    Object.values(createRequire(import.meta.url)(file) as Record<string, Script>).map(({ name, content }) => [
      createHash('sha1').update(content).digest('hex'),
      name,
    ]),
  );
  return named;
}

export const totalOf = (commands: Commands): number => [...commands.values()].reduce((sum, count) => sum + count, 0);

/** One line, the most frequent first: how often each was called, divided by `per`. */
export const commandsLine = (commands: Commands, per: number): string =>
  [...commands]
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, count]) => `${name} ${(count / per).toFixed(2)}`)
    .join(', ');
