import type { Redis } from '@mailhook/platform/redis';

/** A rule of the scripts, and the scripts without it. */
interface Fence {
  readonly what: string;
  readonly from: string;
  readonly to: string;
}

export const FENCES: readonly Fence[] = [
  {
    what: 'a step of a worker that does not own the destination is refused',
    from: 'if s.owner ~= r[2] then',
    to: 'if false then',
  },
  { what: 'a settle matches the attempt that it was made for', from: ' or e[5] ~= o[4]', to: '' },
  { what: 'a chunk is appended once', from: 'if done >= part then', to: 'if false then' },
  {
    what: 'a chunk whose job is done is not appended',
    from: "if ARGV[3] ~= '' and redis.call('EXISTS', ARGV[3]) == 0",
    to: 'if false',
  },
  { what: 'a step that knows too few batches is told so', from: 'open(s) > r[8] then', to: 'false then' },
  { what: 'only the owner gives events up', from: 'if s.owner ~= ARGV[2] or open(s) > 0', to: 'if open(s) > 0' },
  {
    what: 'an older record does not replace a newer one',
    from: 'if old[1] and tonumber(old[1]) > version',
    to: 'if false',
  },
  { what: 'the breaker of an older record is not kept', from: 'and r[6][4] == s.version then', to: 'then' },
  { what: 'a batch is named by the call that freezes it', from: "'.' .. CALL .. '.'", to: "'.'" },
  {
    what: 'events follow a changed address only after a failure of the old one',
    from: 'and tried[2] ~= s.version',
    to: '',
  },
  { what: 'only done batches at the head are trimmed', from: "if e[2] ~= 'x' then blocked[e[2]] = true end", to: '' },
  {
    what: 'a batch of an earlier owner comes again',
    from: 'if e[6] == 0 and not known[e[1]] then',
    to: 'if false then',
  },
  {
    what: 'the lease of a living worker is kept after a stall',
    from: "redis.call('ZADD', workers, till, alive)",
    to: 'local _ = alive',
  },
];

/** The connection, but its scripts lack a rule. `changed` counts the scripts that had it. */
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
