--- @flags allow-oom
-- Gives up the events that were accepted until now, resends included. They become dead letters.
-- ARGV: destination. Reply: see includes/operator.lua, or 'dropped', or 'empty' when nothing waits.
--- @include operator
return operate(function()
  if s.batches == 0 and newEvents() == 0 and s.resends == 0 then return 'empty' end
  s.giveUpUntilMs = NOW
  return 'dropped', true
end)
