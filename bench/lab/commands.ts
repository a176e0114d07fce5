import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import path from 'node:path';
import { commandOf } from '@mailhook/delivery';
import { ROOT } from './paths.ts';

/** How often clients called each command, function or script. Commands inside of functions and scripts do not count. */
export type Commands = ReadonlyMap<string, number>;

/** Counts the commands of all clients of a Redis on this machine. That costs Redis CPU. */
export interface CommandCounter {
  /** Learns the names of the scripts that clients load while `meanwhile` runs. */
  learn<Result>(meanwhile: () => Promise<Result>): Promise<Result>;
  count(meanwhile: () => Promise<unknown>): Promise<Commands>;
}

/** A line of MONITOR: the client's address, the command, and its first argument. */
const LINE = /^\+\S+ \[\d+ (\S+)\] "([^"]*)"(?: "((?:[^"\\]|\\.)*)")?/;

export function createCommandCounter(port: number): CommandCounter {
  const scripts = new Map<string, string>();
  const nameOf = (command: string, argument: string): string => {
    if (command === 'fcall') return `fcall ${commandOf(argument) ?? argument}`;
    if (command === 'evalsha') return `evalsha ${scripts.get(argument) ?? argument}`;
    return command;
  };
  return {
    learn: (meanwhile) =>
      monitored(port, meanwhile, (command, argument) => {
        if (command !== 'eval') return;
        const text = unquoted(argument);
        scripts.set(createHash('sha1').update(text, 'latin1').digest('hex'), bullScriptName(text) ?? 'another');
      }),
    async count(meanwhile) {
      const counts = new Map<string, number>();
      await monitored(port, meanwhile, (command, argument) => {
        const name = nameOf(command, argument);
        counts.set(name, (counts.get(name) ?? 0) + 1);
      });
      return counts;
    },
  };
}

async function monitored<Result>(
  port: number,
  meanwhile: () => Promise<Result>,
  onCommand: (command: string, argument: string) => void,
): Promise<Result> {
  const socket = connect({ host: '127.0.0.1', port });
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
      if (client !== undefined && client !== 'lua' && command !== 'quit') onCommand(command.toLowerCase(), argument);
    }
  });
  socket.write('MONITOR\r\n');
  await isReady;
  try {
    return await meanwhile();
  } finally {
    // The reply comes after the lines of all commands before.
    socket.end('QUIT\r\n');
    if (!socket.closed) await once(socket, 'close');
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', a: '\x07', b: '\b' };

const unquoted = (text: string): string =>
  text.replace(/\\(?:x(..)|(.))/g, (_match, hex: string | undefined, letter: string) =>
    hex === undefined ? (ESCAPES[letter] ?? letter) : String.fromCharCode(Number.parseInt(hex, 16)),
  );

interface Script {
  readonly name: string;
  readonly content: string;
}

let bullScripts: readonly Script[] | undefined;

/** The product puts a few lines before some of BullMQ's scripts. */
function bullScriptName(text: string): string | undefined {
  const file = path.join(ROOT, 'node_modules/bullmq/dist/cjs/scripts/index.js');
  bullScripts ??= Object.values(createRequire(import.meta.url)(file) as Record<string, Script>);
  return bullScripts.find(({ content }) => text.endsWith(content))?.name;
}

export const totalOf = (commands: Commands): number => [...commands.values()].reduce((sum, count) => sum + count, 0);

/** One line, the most frequent first: how often each was called, divided by `per`. */
export const commandsLine = (commands: Commands, per: number): string =>
  [...commands]
    .filter(([, count]) => count / per >= 0.005)
    .toSorted(([, one], [, other]) => other - one)
    .map(([name, count]) => `${name} ${(count / per).toFixed(2)}`)
    .join(', ');
