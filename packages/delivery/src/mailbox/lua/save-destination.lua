--- @flags allow-oom
-- Writes a destination's record, but never an older version over a newer one. A new address or an activation resets the
-- breaker and the size limit. Queues the destination if it holds events, so that a worker sends them or, for an
-- inactive destination, gives them up. A customer may deactivate a destination while Redis is at its memory limit.
-- ARGV: destination, account, address, active, reason, version, secrets. Reply: 1, or 0 when a newer record stands.
--- @include clock
--- @include contents
--- @include mailbox
--- @include ready
local d, key = ARGV[1], K .. 'd:' .. ARGV[1]
local old = redis.call('HMGET', key,
  'version', 'deleted', 'address', 'active', 'gone', 'paused', 'account', 'reason', 'secrets')
if old[2] == '1' then return 0 end
-- The api compares all records with its store regularly. Most have not changed.
local isSameReceiver = old[7] == ARGV[2] and old[3] == ARGV[3] and old[4] == ARGV[4] and old[8] == ARGV[5]
if isSameReceiver and old[1] == ARGV[6] and old[9] == ARGV[7] then return 1 end
local version = tonumber(ARGV[6])
if old[1] and tonumber(old[1]) > version then return 0 end
local active, reason = ARGV[4], ARGV[5]
-- The receiver answered 410 to this version. Only a newer version may activate the destination again.
if old[5] and tonumber(old[5]) == version then
  redis.call('HSET', key, 'secrets', ARGV[7])
  return 1
end
redis.call('HSET', key, 'account', ARGV[2], 'address', ARGV[3], 'active', active, 'reason', reason, 'version', version,
  'secrets', ARGV[7])
local changed = old[3] ~= ARGV[3] or old[4] ~= active
if changed then
  redis.call('HSET', key, 'bf', 0, 'bp', 0, 'bu', 0, 'size', '', 'proven', '')
  -- A pause and an operator's give-up survive a new address, but not an activation or deactivation.
  if old[4] ~= active then
    redis.call('HDEL', key, 'paused', 'pausedby', 'drop', 'sendnow')
    redis.call('ZREM', K .. 'paused', d)
  end
  if old[4] ~= active or tonumber(old[6] or 0) <= NOW then redis.call('ZREM', K .. 'parked', d) end
end
if changed or not old[1] then
  local s = load(d)
  local holdsEvents = holdsNewEvents(s) or holdsDue(s) or #s.win > 0
  if s.owner == '' and (holdsEvents or (not s.active and redis.call('SCARD', K .. 'xs:' .. d) > 0)) then
    queueReady(s)
    save(s)
  end
end
return 1
