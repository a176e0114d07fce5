import { hash } from 'node:crypto';
import type { Redis } from '@mailhook/platform/redis';
import { COMMANDS, PARTS } from './lua/generated.ts';

/** A script as a function of the number of keys, the keys, and the arguments. */
export type Script = (...args: (string | number)[]) => Promise<unknown>;

export type ScriptName = keyof typeof COMMANDS;

export const SCRIPT_NAMES = Object.keys(COMMANDS) as ScriptName[];

/** The text that Redis gets. With the flag `allow-oom`, a script runs at Redis's memory limit too, because events leave or destinations change through it. */
export function scriptText(name: ScriptName): string {
  const { parts, flags } = COMMANDS[name];
  const text = parts.map((part) => PARTS[part]).join('');
  return flags === '' ? text : `#!lua flags=${flags}\n${text}`;
}

/** Names of the commands by SHA-1, as Redis's slow log shows them. */
export const scriptNames = (): ReadonlyMap<string, ScriptName> =>
  new Map(SCRIPT_NAMES.map((name) => [hash('sha1', scriptText(name)), name]));

/** Gets the name of a command and the seconds from its call to its reply. */
export type ObserveScript = (script: ScriptName, seconds: number) => void;

/** Uses EVALSHA, and loads the script on first use. Rejects with what ioredis rejects with. */
export function defineScript(redis: Redis, name: ScriptName, observe?: ObserveScript): Script {
  const commands = redis as unknown as Record<string, Script | undefined>;
  if (commands[name] === undefined) redis.defineCommand(name, { lua: scriptText(name) });
  const run: Script = (...args) => (commands[name] as Script).apply(redis, args);
  return observe === undefined ? run : timed(run, (seconds) => observe(name, seconds));
}

const timed =
  (run: Script, observe: (seconds: number) => void): Script =>
  async (...args) => {
    const startedMs = performance.now();
    const reply = await run(...args);
    observe((performance.now() - startedMs) / 1000);
    return reply;
  };
