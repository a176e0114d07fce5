-- Who paused a destination.
--- @include clock
local function isPausedByOperator(s)
  return s.paused > NOW and redis.call('HGET', K .. 'd:' .. s.d, 'pausedby') == 'operator'
end
