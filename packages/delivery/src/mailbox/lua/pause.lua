--- @flags allow-oom
-- Holds back new events and resends until a given time. Requests in flight end normally.
-- ARGV: destination, until (ms), 'customer' or 'operator'. Reply: see includes/operator.lua, or 'paused', or
-- 'paused by an operator', which a customer cannot change.
--- @include pause-owner
--- @include operator
local s, reply = loadForOperator()
if not s then return reply end
if not s.active then return 'inactive' end
if ARGV[3] == 'customer' and isPausedByOperator(s) then return 'paused by an operator' end
s.paused = tonumber(ARGV[2])
redis.call('HSET', K .. 'd:' .. s.d, 'paused', ARGV[2], 'pausedby', ARGV[3])
redis.call('ZADD', K .. 'paused', ARGV[2], s.d)
redis.call('ZREMRANGEBYSCORE', K .. 'paused', '-inf', NOW)
queueReady(s)
save(s)
return 'paused'
