--- @flags allow-oom
-- Sends all resends of a destination, and its new events, as fast as the receiver takes them, whatever their schedule.
-- If the last attempt failed, one event or resend is tried first.
-- ARGV: destination. Reply: see includes/operator.lua, or 'sending' or 'paused'.
--- @include resends-due
--- @include operator
local s, reply = loadForOperator()
if not s then return reply end
if not s.active then return 'inactive' end
if s.paused > NOW then return 'paused' end
s.sendnow = 'start'
s.bu = math.min(s.bu, NOW)
if s.bf > 0 and not holdsNewEvents(s) and not holdsDue(s) then makeOneResendDue(s) end
queueReady(s)
save(s)
return 'sending'
