--- @flags allow-oom
-- Marks a destination as deleted, so that its events are deleted. Deletes its address and secrets now, and the record a
-- week after its last event. Counts an account's deletions, because each leaves a record for that time. A customer may
-- delete a destination while Redis is at its memory limit.
-- ARGV: destination, account. Reply: 1.
--- @include contents
--- @include mailbox
--- @include ready
--- @include tombstone
local d, key = ARGV[1], K .. 'd:' .. ARGV[1]
-- The destination may be deleted before its record is written. Without a version, no worker would delete the events
-- that it holds, and without an account, the sums of the account would keep them.
redis.call('HSETNX', key, 'version', 0)
redis.call('HSETNX', key, 'account', ARGV[2])
if redis.call('HSETNX', key, 'deleted', '1') == 1 then
  local count = P .. 'deleted:' .. ARGV[2]
  if redis.call('INCR', count) == 1 then redis.call('EXPIRE', count, DELETED_KEPT_S) end
end
redis.call('HSET', key, 'active', '0', 'address', '', 'secrets', '')
redis.call('HDEL', key, 'gone')
redis.call('SREM', K .. 'gone', d)
redis.call('ZREM', K .. 'parked', d)
redis.call('ZREM', K .. 'paused', d)
local s = load(d)
if s.owner == '' and (holdsNewEvents(s) or holdsDue(s) or #s.win > 0 or redis.call('SCARD', K .. 'xs:' .. d) > 0) then
  queueReady(s)
  save(s)
elseif s.owner == '' then
  keepTombstone(s)
end
return 1
