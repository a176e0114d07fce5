import type { LuaChange } from './simulated-redis.ts';

/** A fault that the commands once had, or have without one of their rules. */
export interface OldFault extends LuaChange {
  readonly what: string;
}

/** The simulation must find each of them. docs/reliability.md has those that are in the workers. */
export const OLD_FAULTS: readonly OldFault[] = [
  {
    what: 'a search for the mailboxes of a dead worker goes on after the worker had another lease',
    from: ' or search.till ~= till',
    to: '',
  },
  {
    what: 'a worker without a lease claims mailboxes',
    from: 'return not till or tonumber(till) > NOW',
    to: 'return true',
  },
  {
    what: 'after a stall of Redis, the first worker to return takes over from all others',
    from: "call('ZADD', K .. 'workers', till, alive)",
    to: 'local _ = alive',
  },
  {
    what: 'after lost writes, a batch gets the id of another',
    from: "'_' .. callNumber .. '_'",
    to: "'_'",
  },
  {
    what: 'an earlier attempt settles a batch that is in flight again',
    from: ' or b.attempt ~= attempt',
    to: '',
  },
];
