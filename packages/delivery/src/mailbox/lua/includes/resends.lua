-- Removes the record of a resend.
--- @include base
local function removeResend(s, id)
  redis.call('DEL', K .. 'x:' .. id)
  redis.call('SREM', K .. 'xs:' .. s.d, id)
  redis.call('ZREM', K .. 'due', id)
end
