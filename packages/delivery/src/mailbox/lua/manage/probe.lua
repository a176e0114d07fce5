--- @flags allow-oom
-- Makes the probe of a parked destination due now. One event is tried, and more only when it is acknowledged. If only
-- resends wait, one of them becomes due.
-- ARGV: destination. Reply: see includes/operator.lua, or 'probed', 'paused', or 'not parked'.
--- @include operator
return operate(function()
  if s.pausedUntilMs > NOW then return 'paused' end
  if s.parkedUntilMs <= NOW then return 'not parked' end
  s.parkedUntilMs = NOW
  if newEvents() == 0 and s.dueResends == 0 then makeOneResendDue() end
  return 'probed', true
end)
