--- @flags allow-oom
-- Gives up the events that were accepted until now, resends included. They become dead letters.
-- ARGV: destination. Reply: see includes/operator.lua, or 'dropped', or 'empty' when nothing waits.
--- @include operator
return operate(function()
  if s.n == 0 and s.f + s.u == 0 and s.kept == 0 then return 'empty' end
  s.drop = NOW
  return 'dropped', true
end)
