--- @flags allow-oom
-- Puts a mailbox that says it is on a ready list, and is on none, on its list again.
-- ARGV: destination. Reply: 1 when done, else 0.
--- @include owner
open(ARGV[1])
if s.status ~= READY or call('LPOS', K .. 'proven', s.d) or call('LPOS', K .. 'ready', s.d) then return 0 end
pushReady()
return 1
