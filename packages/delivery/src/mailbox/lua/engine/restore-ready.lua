--- @flags allow-oom
-- Puts a mailbox that says it is on a ready list, and is on none, on its list again.
-- ARGV: destination. Reply: 1 when done, else 0.
--- @include owner
open(ARGV[1])
if s.status ~= READY then return 0 end
for _, list in ipairs({ 'proven', 'ready' }) do
  if call('LPOS', K .. list, s.destination) then return 0 end
end
pushReady()
return 1
