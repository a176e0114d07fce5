--- @flags allow-oom
-- See includes/wake.lua. ARGV: destination, resend ('' for none). Reply: 1 when the destination was put on a ready
-- list.
--- @include wake
return wake(ARGV[1], ARGV[2])
