--- @flags allow-oom
-- Makes the probe of a parked destination due now. One event is tried, and more only when it is acknowledged. If only
-- resends wait, one of them becomes due.
-- ARGV: destination. Reply: see includes/operator.lua, or 'probed', 'paused', or 'not parked'.
--- @include resends-due
--- @include operator
local s, reply = loadForOperator()
if not s then return reply end
if not s.active then return 'inactive' end
if s.paused > NOW then return 'paused' end
if s.bu <= NOW then return 'not parked' end
s.bu = NOW
if not holdsNewEvents(s) and not holdsDue(s) then makeOneResendDue(s) end
queueReady(s)
save(s)
return 'probed'
