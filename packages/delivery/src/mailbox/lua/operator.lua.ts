/**
 * What operators do with a destination. Each script loads the state, changes it, and leaves the rest to the worker that takes the destination
 * next: it parks what is paused (and adds the job that ends the pause), sends the probe, gives up the mail.
 * ARGV[1]: destination. Reply: 'unknown' (no record, or deleted), 'inactive', or what each says.
 */
const known = `
local s = load(ARGV[1])
if s.newer then return refuseNewer('the destination', s.v) end
if not s.known or s.deleted then return 'unknown' end
`;

/** The mail waits untried until a moment, resends too; what is in flight ends as it will. ARGV[2]: until, ms. Reply: 'paused'. */
export const PAUSE_LUA = `${known}
if not s.active then return 'inactive' end
s.paused = tonumber(ARGV[2])
redis.call('HSET', K .. 'd:' .. s.d, 'paused', ARGV[2])
redis.call('ZADD', K .. 'paused', ARGV[2], s.d)
redis.call('ZREMRANGEBYSCORE', K .. 'paused', '-inf', NOW)
queueReady(s)
save(s)
return 'paused'
`;

/** Ends a pause; the breaker's parking stands. Reply: 'resumed', or 'not paused'. */
export const RESUME_LUA = `${known}
if s.paused <= NOW then return 'not paused' end
forget(s, 'paused')
queueReady(s)
save(s)
return 'resumed'
`;

/**
 * Ends the breaker's parking, but not its caution: one event is tried, and more only when it is confirmed. Where nothing but resends waits,
 * one of them is due now. Reply: 'probed', 'paused', or 'not parked'.
 */
export const PROBE_LUA = `${known}
if not s.active then return 'inactive' end
if s.paused > NOW then return 'paused' end
if s.bu <= NOW then return 'not parked' end
s.bu = NOW
if not holdsMail(s) and not holdsDue(s) then
  local id = redis.call('SRANDMEMBER', K .. 'xs:' .. s.d)
  if id and redis.call('ZREM', K .. 'due', id) == 1 then queueDue(s, id) end
end
queueReady(s)
save(s)
return 'probed'
`;

/** Gives up what was accepted until now, resends included: it becomes dead letters. Reply: 'dropped', or 'empty' when nothing waits. */
export const DROP_LUA = `${known}
if not s.active then return 'inactive' end
if #s.win == 0 and not holdsMail(s) and redis.call('SCARD', K .. 'xs:' .. s.d) == 0 then return 'empty' end
s.drop = NOW
redis.call('HSET', K .. 'd:' .. s.d, 'drop', NOW)
queueReady(s)
save(s)
return 'dropped'
`;
