--- @flags allow-oom
-- Gives up the events that were accepted until now, resends included. They become dead letters.
-- ARGV: destination. Reply: see includes/operator.lua, or 'dropped', or 'empty' when nothing waits.
--- @include contents
--- @include operator
local s, reply = loadForOperator()
if not s then return reply end
if not s.active then return 'inactive' end
if #s.win == 0 and not holdsNewEvents(s) and redis.call('SCARD', K .. 'xs:' .. s.d) == 0 then return 'empty' end
s.drop = NOW
redis.call('HSET', K .. 'd:' .. s.d, 'drop', NOW)
queueReady(s)
save(s)
return 'dropped'
