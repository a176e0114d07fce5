--- @flags allow-oom
-- See includes/wake.lua. ARGV: destination, resend ('' for none). Reply: 1 when the mailbox was put on a ready list.
--- @include run
--- @include wake
local woken
run(function() woken = wake(ARGV[1], ARGV[2]) end)
return woken
