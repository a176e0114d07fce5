--- @flags allow-oom
-- Puts back a destination that its owner does not know, because the reply to the claim was lost.
-- ARGV: destination, token. Reply: 1 when done, 0 for another owner's token.
--- @include ownership
--- @include ready
local s = load(ARGV[1])
if s.owner == '' or s.owner ~= ARGV[2] then return 0 end
release(s)
queueReady(s)
save(s)
return 1
