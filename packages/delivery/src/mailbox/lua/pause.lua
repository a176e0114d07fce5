--- @flags allow-oom
-- Events and resends wait untried until a moment. What is in flight ends normally.
-- ARGV: destination, until (ms). Reply: see includes/operator.lua, or 'paused'.
--- @include operator
if not s.active then return 'inactive' end
s.paused = tonumber(ARGV[2])
redis.call('HSET', K .. 'd:' .. s.d, 'paused', ARGV[2])
redis.call('ZADD', K .. 'paused', ARGV[2], s.d)
redis.call('ZREMRANGEBYSCORE', K .. 'paused', '-inf', NOW)
queueReady(s)
save(s)
return 'paused'
