--- @flags allow-oom
-- Holds back new events and resends until a given time. Requests in flight end normally.
-- ARGV: destination, until (ms), 'customer' or 'operator'. Reply: see includes/operator.lua, or 'paused', or
-- 'paused by an operator', which a customer cannot change.
--- @include operator
return operate(function()
  if isHeldByOperator(ARGV[3]) then return 'paused by an operator' end
  s.pausedUntilMs, s.pausedBy = tonumber(ARGV[2]), ARGV[3] == 'customer' and BY_CUSTOMER or BY_OPERATOR
  call('ZADD', K .. 'paused', s.pausedUntilMs, s.destination)
  call('ZREMRANGEBYSCORE', K .. 'paused', '-inf', NOW)
  return 'paused', true
end)
