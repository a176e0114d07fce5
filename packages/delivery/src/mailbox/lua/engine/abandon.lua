--- @flags allow-oom
-- Puts back a mailbox that its owner does not know, because the reply to the claim was lost.
-- ARGV: destination, token. Reply: 1 when done, 0 for another owner's token.
--- @include run
--- @include owner
open(ARGV[1])
if s.owner == '' or s.owner ~= ARGV[2] then return 0 end
run(function()
  queueReady()
  save()
end)
return 1
