--- @flags allow-oom
-- Ends a pause. The breaker's parking stands.
-- ARGV: destination. Reply: see includes/operator.lua, or 'resumed', or 'not paused'.
--- @include forget
--- @include operator
if s.paused <= NOW then return 'not paused' end
forget(s, 'paused')
queueReady(s)
save(s)
return 'resumed'
