-- Who paused a destination.
--- @include clock
-- A pause without the field was made by an older version, where only operators could.
local function isPausedByOperator(s)
  return s.paused > NOW and redis.call('HGET', K .. 'd:' .. s.d, 'pausedby') ~= 'customer'
end
