-- Ends a pause or an operator's give-up. `field`: 'paused' or 'drop'.
--- @include base
local function forget(s, field)
  s[field] = 0
  redis.call('HDEL', K .. 'd:' .. s.d, field)
  if field ~= 'paused' then return end
  redis.call('HDEL', K .. 'd:' .. s.d, 'pausedby')
  redis.call('ZREM', K .. 'paused', s.d)
  redis.call('ZREM', K .. 'parked', s.d)
end
