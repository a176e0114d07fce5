--- @flags allow-oom
-- Marks a destination as deleted, so that its events are deleted. Deletes its secrets now, and the record a week after
-- its last event. A customer may delete a destination while Redis is at its memory limit.
-- ARGV: destination, account. Reply: 1.
--- @include contents
--- @include mailbox
--- @include ready
--- @constants DELETED_KEPT_S
local d, key = ARGV[1], K .. 'd:' .. ARGV[1]
local v = redis.call('HGET', key, 'v')
if isNewer(v) then return refuseNewer('the destination', v) end
-- The destination may be deleted before its record is written. Without a version, no worker would delete the events
-- that it holds, and without an account, the sums of the account would keep them.
if redis.call('HSETNX', key, 'version', 0) == 1 then redis.call('HSETNX', key, 'v', FORMAT) end
redis.call('HSETNX', key, 'account', ARGV[2])
redis.call('HSET', key, 'deleted', '1', 'active', '0', 'reason', 'the subscription was deleted', 'secrets', '')
redis.call('ZREM', K .. 'parked', d)
redis.call('ZREM', K .. 'paused', d)
local s = load(d)
if s.owner == '' and (holdsNewEvents(s) or holdsDue(s) or #s.win > 0 or redis.call('SCARD', K .. 'xs:' .. d) > 0) then
  queueReady(s)
  save(s)
elseif s.owner == '' then
  redis.call('EXPIRE', key, DELETED_KEPT_S)
end
return 1
