import type { Redis } from '@mailhook/platform/redis';
import { uniqueName } from '@mailhook/testing';
import { withConstants } from '../../../packages/delivery/src/mailbox/lua-library.ts';
import { PAGE } from './limits.ts';
import type { Backend } from './world.ts';

/** A rule of the commands, its text in Lua, and the text that replaces it. */
interface Fence {
  readonly what: string;
  readonly from: string;
  readonly to: string;
  /** A seed with first steps that need the rule. Another seed may take a hundred times as many steps. */
  readonly seed: number;
  /**
   * Whether runs of the simulation need it too. The other rules concern erasure, records and operators, only save
   * duplicates, or need a moment that none of 200 runs meets.
   */
  readonly isSimulated?: true;
}

/** Of the texts below. */
const CONSTANTS = ['DELETED', 'LEASE_MS'];

const fence = (what: string, from: string, to: string, seed = 1): Fence => ({
  what,
  from: withConstants(CONSTANTS, from),
  to: withConstants(CONSTANTS, to),
  seed,
});

const simulated = (...texts: Parameters<typeof fence>): Fence => ({ ...fence(...texts), isSimulated: true });

export const FENCES: readonly Fence[] = [
  simulated(
    'a step of a worker that does not own the destination is refused',
    'if s.owner ~= token then',
    'if false then',
    3,
  ),
  fence('a settle matches the attempt that it was made for', ' or b.attempt ~= attempt', '', 6),
  simulated('a chunk is appended once', 'if done >= slice then', 'if false then'),
  simulated('an append notes its progress', '  noteProgress()\nend)', 'end)'),
  simulated('a chunk whose job is done is not appended', "if not job[1] then return 'gone' end", ''),
  simulated(
    'a step that knows too few batches is answered "lost"',
    'if not more.known and countInFlight() > tonumber(ARGV[place + 7]) then',
    'if false then',
    3,
  ),
  fence('only the owner gives events up', 's.owner ~= ARGV[2] or countInFlight() > 0', 'countInFlight() > 0', 2),
  fence(
    'an older record does not replace a newer one',
    'if old.version > given.version then return old.version end',
    '',
  ),
  fence('a deleted record stays', "if s.record == DELETED and ARGV[3] ~= '1' then return s.version + 1 end", '', 3),
  fence('the breaker of an older record is not kept', 'if version ~= s.version then more = NOTHING_RARE end', ''),
  simulated('a batch is named by the call that freezes it', "'_' .. callNumber .. '_'", "'_'"),
  fence(
    'events follow a changed address only after a failure of the old one',
    ' and tried.version ~= s.version',
    '',
    2,
  ),
  simulated('only settled batches at the head are trimmed', "if b.lane ~= 'x' then blocked[b.lane] = true end", ''),
  simulated('a batch of an earlier owner comes again', 'if not b.isSettled and not known[b.id] then', 'if false then'),
  simulated(
    'the lease of a living worker is kept after a stall',
    "call('ZADD', K .. 'workers', till, alive)",
    'local _ = alive',
    25,
  ),
  simulated('the bytes of a settled batch are freed', 's.freed - b.bytes', 's.freed'),
  simulated('the bytes of a split entry grow by a head', 's.freed = s.freed + (#parts - 1) * (11 + #mark)', ''),
  fence('a worker whose lease has ended claims nothing', 'return not till or tonumber(till) > NOW', 'return true'),
  fence(
    'a worker without a lease gets one with its first claim',
    "if not till then call('ZADD', K .. 'workers', NOW + LEASE_MS, w) end",
    '',
  ),
  simulated(
    'a dead worker is forgotten after the last page',
    "if search.cursor == '0' then forgetWorker",
    'if true then forgetWorker',
  ),
  simulated('a search goes on with the next page', 'search.cursor = visitOwned(', 'local _ = visitOwned('),
  fence('a search begins anew after another lease of its worker', ' or search.till ~= till', ''),
  fence('a record of another version is returned', 'if version ~= s.version or tonumber', 'if tonumber', 9),
  simulated(
    'a mailbox that waits is among the parked',
    "call('ZADD', K .. 'parked', isPaused and s.pausedUntilMs or s.parkedUntilMs, s.destination)",
    '',
  ),
  simulated(
    'events that leave are counted',
    's[field] = max(0, s[field] - events)\n  s.wasResendLast',
    's.wasResendLast',
  ),
  fence(
    'a resend in flight is not erased',
    'if s.window[i].id == id and not s.window[i].isSettled then',
    'if false then',
  ),
  fence('frozen entries are not erased', 'elseif position >= frozen then', 'elseif true then'),
  fence(
    'a dead letter that has changed is not erased',
    "if l[1] ~= account or (l[2] or '') ~= ARGV[3] then",
    'if l[1] ~= account then',
  ),
];

const SMALL_PAGES: Pick<Fence, 'from' | 'to'> = { from: 'local PAGE = 200', to: `local PAGE = ${PAGE}` };

/** A Redis whose library has other texts. `changed` counts the loaded libraries that had all of them. */
export function changedBackend(
  redis: Redis,
  changes: readonly Pick<Fence, 'from' | 'to'>[] = [],
): Backend & { readonly changed: () => number } {
  let changed = 0;
  const all = [SMALL_PAGES, ...changes];
  const load = async (first: string, text: string): Promise<unknown> => {
    if (all.every(({ from }) => text.includes(from))) changed += 1;
    return redis.function(
      first as 'LOAD',
      all.reduce((changing, { from, to }) => changing.replaceAll(from, to), text),
    );
  };
  const commands = new Proxy(redis, {
    get(target, name) {
      if (name === 'function') return load;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  return { redis, commands, queuePrefix: uniqueName('model'), changed: () => changed };
}
