import type { Redis } from '@mailhook/platform/redis';

/** A rule of the scripts, its text in Lua, and the text that replaces it. */
interface Fence {
  readonly what: string;
  readonly from: string;
  readonly to: string;
  /** A seed with first steps that need the rule. */
  readonly seed: number;
}

const fence = (what: string, from: string, to: string, seed = 1): Fence => ({ what, from, to, seed });

export const FENCES: readonly Fence[] = [
  fence(
    'a step of a worker that does not own the destination is refused',
    'if s.owner ~= r[2] then',
    'if false then',
    8,
  ),
  fence('a settle matches the attempt that it was made for', ' or batch[ATTEMPT] ~= attempt', '', 96),
  fence('a chunk is appended once', 'if done >= slice then', 'if false then'),
  fence(
    'a chunk whose job is done is not appended',
    "if ARGV[3] ~= '' and redis.call('EXISTS', ARGV[3]) == 0",
    'if false',
  ),
  fence('a step that knows too few batches is answered "lost"', 'countInFlight(s) > r[8] then', 'false then'),
  fence('only the owner gives events up', 's.owner ~= ARGV[2] or countInFlight(s) > 0', 'countInFlight(s) > 0', 9),
  fence('an older record does not replace a newer one', 'if old[1] and tonumber(old[1]) > version', 'if false'),
  fence('the breaker of an older record is not kept', 'and r[6][4] == s.version then', 'then'),
  fence('a batch is named by the call that freezes it', "'_' .. CALL .. '_'", "'_'"),
  fence('events follow a changed address only after a failure of the old one', 'and tried[2] ~= s.version', ''),
  fence('only done batches at the head are trimmed', "if lane ~= 'x' then blocked[lane] = true end", ''),
  fence('a batch of an earlier owner comes again', 'if batch[SETTLED] == 0 and not known[id] then', 'if false then'),
  fence(
    'the lease of a living worker is kept after a stall',
    "redis.call('ZADD', workers, till, alive)",
    'local _ = alive',
  ),
  fence('the bytes of a settled batch are freed', 'local bytes = -batch[BYTES]', 'local bytes = 0'),
  fence('the bytes of a cut entry grow by a head', 'addAccountBytes(s.account, 11 + #mark)', ''),
  fence(
    'a destination that holds more is not released',
    'if lists == 0 then return 2 end',
    'if lists >= 0 then return 2 end',
  ),
  fence('only a usual destination is claimed on the short path', 'if not isDefault(v[i]) then return nil end', ''),
  fence('only a usual destination is released on the short path', "if active ~= '1' or not", 'if false and not'),
];

/** The connection with scripts that lack a rule. `changed` counts the scripts that had the rule. */
export function withoutFence(
  redis: Redis,
  { from, to }: Fence,
): { readonly redis: Redis; readonly changed: () => number } {
  let changed = 0;
  const commands = new Map<string, unknown>();
  const unfenced = new Proxy(redis, {
    get(target, name) {
      if (name === 'defineCommand') {
        return (command: string, { lua, numberOfKeys }: { lua: string; numberOfKeys: number }): void => {
          if (lua.includes(from)) changed += 1;
          target.defineCommand(`${command}Unfenced`, { lua: lua.replaceAll(from, to), numberOfKeys });
          commands.set(command, Reflect.get(target, `${command}Unfenced`, target));
        };
      }
      if (typeof name === 'string' && name.startsWith('mailhook')) return commands.get(name);
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { redis: unfenced, changed: () => changed };
}
