import { hash } from 'node:crypto';
import type { Redis } from '@mailhook/platform/redis';
import { SET_CLOCK_LUA } from './clock.lua.ts';
import { APPEND_LUA, CLAIM_IDS_LUA } from './append.lua.ts';
import { REDRIVE_LUA, REMOVE_DESTINATION_LUA, SAVE_DESTINATION_LUA } from './destination.lua.ts';
import { ABANDON_LUA, BEAT_LUA, NEXT_LUA, PURGE_LUA, TAKE_LUA, WAKE_LUA } from './drain.lua.ts';
import { MAILBOX_LUA } from './mailbox.lua.ts';
import { QUEUED_LUA, RECOUNT_QUEUED_LUA, UNQUEUED_LUA } from './queued.lua.ts';
import { DROP_LUA, PAUSE_LUA, PROBE_LUA, RESUME_LUA } from './operator.lua.ts';

type Command = (...args: (string | number)[]) => Promise<unknown>;

const LUA = {
  mailhookAppend: APPEND_LUA,
  mailhookClaimIds: CLAIM_IDS_LUA,
  mailhookNext: NEXT_LUA,
  mailhookTake: TAKE_LUA,
  mailhookBeat: BEAT_LUA,
  mailhookAbandon: ABANDON_LUA,
  mailhookWake: WAKE_LUA,
  mailhookNow: 'return NOW',
  mailhookSetClock: SET_CLOCK_LUA,
  mailhookPurge: PURGE_LUA,
  mailhookSave: SAVE_DESTINATION_LUA,
  mailhookRemove: REMOVE_DESTINATION_LUA,
  mailhookRedrive: REDRIVE_LUA,
  mailhookPause: PAUSE_LUA,
  mailhookResume: RESUME_LUA,
  mailhookProbe: PROBE_LUA,
  mailhookDrop: DROP_LUA,
  mailhookQueued: QUEUED_LUA,
  mailhookUnqueued: UNQUEUED_LUA,
  mailhookRecountQueued: RECOUNT_QUEUED_LUA,
} as const;

export type ScriptName = keyof typeof LUA;

/**
 * Scripts that may run at Redis's memory limit, because through them events leave or destinations change. Redis refuses the others then.
 */
const MAKES_ROOM: ReadonlySet<string> = new Set([
  'mailhookNext',
  'mailhookTake',
  'mailhookBeat',
  'mailhookAbandon',
  'mailhookWake',
  'mailhookNow',
  'mailhookSetClock',
  'mailhookPurge',
  // A customer may deactivate or delete a destination.
  'mailhookSave',
  'mailhookRemove',
  'mailhookPause',
  'mailhookResume',
  'mailhookProbe',
  'mailhookDrop',
  'mailhookUnqueued',
  'mailhookRecountQueued',
] satisfies ScriptName[]);

const textOf = (name: string, lua: string): string =>
  (MAKES_ROOM.has(name) ? '#!lua flags=allow-oom' : '') + MAILBOX_LUA + lua;

/** Names of the scripts by SHA-1, as Redis's slow log shows them. */
export const scriptNames = (): ReadonlyMap<string, ScriptName> =>
  new Map(Object.entries(LUA).map(([name, lua]) => [hash('sha1', textOf(name, lua)), name as ScriptName]));

/** Gets the name of a script and the seconds from its call to its reply. */
export type ObserveScript = (script: ScriptName, seconds: number) => void;

/** The scripts as commands of a connection. */
export function defineCommands(redis: Redis, observe?: ObserveScript): Record<ScriptName, Command> {
  const commands = redis as unknown as Record<string, Command | undefined>;
  return Object.fromEntries(
    Object.entries(LUA).map(([name, lua]) => {
      if (commands[name] === undefined) redis.defineCommand(name, { numberOfKeys: 2, lua: textOf(name, lua) });
      const run: Command = (...args) => (commands[name] as Command).apply(redis, args);
      return [name, observe === undefined ? run : timed(run, (seconds) => observe(name as ScriptName, seconds))];
    }),
  ) as Record<ScriptName, Command>;
}

const timed =
  (run: Command, observe: (seconds: number) => void): Command =>
  async (...args) => {
    const startedMs = performance.now();
    const reply = await run(...args);
    observe((performance.now() - startedMs) / 1000);
    return reply;
  };
