--- @flags allow-oom
-- Ends a pause. The breaker's parking stands.
-- ARGV: destination, 'customer' or 'operator'. Reply: see includes/operator.lua, or 'resumed', 'not paused', or
-- 'paused by an operator', which a customer cannot change.
--- @include forget
--- @include pause-owner
--- @include operator
local s, reply = loadForOperator()
if not s then return reply end
if s.paused <= NOW then return 'not paused' end
if ARGV[2] == 'customer' and isPausedByOperator(s) then return 'paused by an operator' end
forget(s, 'paused')
queueReady(s)
save(s)
return 'resumed'
