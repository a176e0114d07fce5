-- Replaces the record of a deleted destination without events by the fields that discard late events, for as long as
-- such events may come.
--- @include base
--- @constants DELETED_KEPT_S
local function keepTombstone(s)
  local key = K .. 'd:' .. s.d
  redis.call('DEL', key)
  redis.call('HSET', key, 'version', s.version, 'account', s.account, 'deleted', '1')
  redis.call('EXPIRE', key, DELETED_KEPT_S)
end
