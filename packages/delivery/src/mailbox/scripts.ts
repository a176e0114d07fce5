import { hash } from 'node:crypto';
import type { Redis } from '@mailhook/platform/redis';
import { expandLua, readLua, withoutComments } from './lua-files.ts';

/** A script as a function of the number of keys, the keys, and the arguments. */
export type Script = (...args: (string | number)[]) => Promise<unknown>;

/** The file of each command in `lua/`. Metrics carry the names, so they stay when a file is renamed. */
export const COMMAND_FILES = {
  mailhookAbandon: 'abandon',
  mailhookAddCounts: 'add-counts',
  mailhookAddRows: 'add-rows',
  mailhookAppend: 'append',
  mailhookClaimIds: 'claim-ids',
  mailhookDiscard: 'discard',
  mailhookDrop: 'give-up',
  mailhookEraseDead: 'erase-dead',
  mailhookEraseResend: 'erase-resend',
  mailhookEraseWaiting: 'erase-waiting',
  mailhookBeat: 'heartbeat',
  mailhookNext: 'next',
  mailhookNextSingle: 'next-single',
  mailhookNow: 'now',
  mailhookPause: 'pause',
  mailhookProbe: 'probe',
  mailhookPurge: 'give-up-step',
  mailhookQueued: 'queued',
  mailhookRecountQueued: 'recount-queued',
  mailhookRedrive: 'redrive',
  mailhookRemove: 'remove-destination',
  mailhookResume: 'resume',
  mailhookSave: 'save-destination',
  mailhookSendNow: 'send-now',
  mailhookSetClock: 'set-clock',
  mailhookTake: 'take',
  mailhookUnqueued: 'unqueued',
  mailhookWake: 'wake',
} as const;

export type ScriptName = keyof typeof COMMAND_FILES;

export const SCRIPT_NAMES = Object.keys(COMMAND_FILES) as ScriptName[];

const scriptText = (name: ScriptName): string => withoutComments(expandLua(COMMAND_FILES[name], readLua));

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
