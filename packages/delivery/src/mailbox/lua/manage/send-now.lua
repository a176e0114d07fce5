--- @flags allow-oom
-- Sends all resends of a destination, and its new events, as fast as the receiver takes them, whatever their schedule.
-- If the last attempt failed, one event or resend is tried first.
-- ARGV: destination. Reply: see includes/operator.lua, or 'sending' or 'paused'.
--- @include operator
return operate(function()
  if s.pausedUntilMs > NOW then return 'paused' end
  s.sendNow = 'start'
  s.parkedUntilMs = min(s.parkedUntilMs, NOW)
  if s.failures > 0 and newEvents() == 0 and s.dueResends == 0 then makeOneResendDue() end
  return 'sending', true
end)
