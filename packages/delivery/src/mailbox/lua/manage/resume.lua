--- @flags allow-oom
-- Ends a pause. The breaker's parking stands.
-- ARGV: destination, 'customer' or 'operator'. Reply: see includes/operator.lua, or 'resumed', 'not paused', or
-- 'paused by an operator', which a customer cannot change.
--- @include operator
return operate(function()
  if s.pausedUntilMs <= NOW then return 'not paused' end
  if isHeldByOperator(ARGV[2]) then return 'paused by an operator' end
  endPause()
  call('ZREM', K .. 'parked', s.destination)
  return 'resumed', true
end)
