/**
 * Writes a destination's record, but never an older version over a newer one. A new address or an activation resets the breaker and the size limit.
 * Queues the destination if it holds events, so that a worker sends them or, for an inactive destination, gives them up.
 * ARGV: destination, account, address, active, reason, version, secrets. Reply: 1, or 0 when a newer record stands.
 */
export const SAVE_DESTINATION_LUA = `
local d, key = ARGV[1], K .. 'd:' .. ARGV[1]
local old = redis.call('HMGET', key, 'version', 'deleted', 'address', 'active', 'gone', 'paused', 'account', 'reason', 'secrets', 'v')
if isNewer(old[10]) then return refuseNewer('the destination', old[10]) end
if old[2] == '1' then return 0 end
-- The api compares all records with its store regularly. Most have not changed.
if old[7] == ARGV[2] and old[3] == ARGV[3] and old[4] == ARGV[4] and old[8] == ARGV[5] and old[1] == ARGV[6] and old[9] == ARGV[7] then return 1 end
local version = tonumber(ARGV[6])
if old[1] and tonumber(old[1]) > version then return 0 end
local active, reason = ARGV[4], ARGV[5]
-- The receiver answered 410 to this version. Only a newer version may activate the destination again.
if old[5] and tonumber(old[5]) == version then
  redis.call('HSET', key, 'secrets', ARGV[7])
  return 1
end
redis.call('HSET', key, 'account', ARGV[2], 'address', ARGV[3], 'active', active, 'reason', reason, 'version', version, 'secrets', ARGV[7])
if not old[1] then redis.call('HSET', key, 'v', FORMAT) end
local changed = old[3] ~= ARGV[3] or old[4] ~= active
if changed then
  redis.call('HSET', key, 'bf', 0, 'bp', 0, 'bu', 0, 'size', '', 'proven', '')
  -- An operator's pause and give-up survive a new address, but not an activation or deactivation.
  if old[4] ~= active then
    redis.call('HDEL', key, 'paused', 'drop')
    redis.call('ZREM', K .. 'paused', d)
  end
  if old[4] ~= active or tonumber(old[6] or 0) <= NOW then redis.call('ZREM', K .. 'parked', d) end
end
if changed or not old[1] then
  local s = load(d)
  if s.owner == '' and (holdsMail(s) or holdsDue(s) or #s.win > 0 or (not s.active and redis.call('SCARD', K .. 'xs:' .. d) > 0)) then
    queueReady(s)
    save(s)
  end
end
return 1
`;

/** Marks a destination as deleted, so that its events are discarded. Deletes its secrets now, and the record a week after its last event. ARGV: destination. */
export const REMOVE_DESTINATION_LUA = `
local d, key = ARGV[1], K .. 'd:' .. ARGV[1]
if redis.call('EXISTS', key) == 0 then return 0 end
local v = redis.call('HGET', key, 'v')
if isNewer(v) then return refuseNewer('the destination', v) end
redis.call('HSET', key, 'deleted', '1', 'active', '0', 'reason', 'the subscription was deleted', 'secrets', '')
redis.call('ZREM', K .. 'parked', d)
redis.call('ZREM', K .. 'paused', d)
local s = load(d)
if s.owner == '' and (holdsMail(s) or holdsDue(s) or #s.win > 0 or redis.call('SCARD', K .. 'xs:' .. d) > 0) then
  queueReady(s)
  save(s)
elseif s.owner == '' then
  redis.call('EXPIRE', key, 604800)
end
return 1
`;

/**
 * Redrives a dead letter. A batch becomes a resend that is due now and keeps its count of attempts. Untried events return to their mailbox.
 * ARGV: dead letter, the new resend's id. Reply: 1; 0 when it is not there, or its destination is inactive or deleted.
 */
export const REDRIVE_LUA = `
local key = K .. 'dl:' .. ARGV[1]
local l = redis.call('HMGET', key, 'dest', 'account', 'type', 'wid', 'body', 'at', 'events', 'attempts', 'lane', 'traces', 'time', 'v')
if not l[1] or tonumber(l[11]) <= NOW - KEPT_MS then return 0 end
if isNewer(l[12]) then return refuseNewer('the dead letter', l[12]) end
local s = load(l[1])
if s.newer then return refuseNewer('the destination', s.v) end
if not s.known or not s.active then return 0 end
local member = (CAMPAIGN and 'c' or 't') .. ARGV[1]
if l[3] == 'mail' then
  local from = K .. 'dlm:' .. ARGV[1]
  for at = 0, redis.call('LLEN', from) - 1, 1000 do redis.call('RPUSH', K .. l[9] .. ':' .. s.d, unpack(redis.call('LRANGE', from, at, at + 999))) end
  redis.call('DEL', from)
  redis.call('HINCRBY', K .. 'd:' .. s.d, 'e' .. l[9], l[7])
  s = load(l[1])
else
  redis.call('HSET', K .. 'x:' .. ARGV[2], 'dest', s.d, 'wid', l[4], 'step', 0, 'refused', 1, 'split', '', 'events', l[7], 'attempt', l[8], 'error', '', 'body', l[5], 'at', l[6], 'v', FORMAT)
  if l[10] then redis.call('HSET', K .. 'x:' .. ARGV[2], 'traces', l[10]) end
  redis.call('SADD', K .. 'xs:' .. s.d, ARGV[2])
  redis.call('RPUSH', K .. 'q:' .. s.d, ARGV[2])
end
count(s.account, tonumber(l[7]))
redis.call('ZADD', K .. 'busy', NOW, s.d)
redis.call('DEL', key)
redis.call('ZREM', P .. 'dls', member)
redis.call('ZREM', P .. 'dls:' .. l[2], member)
if s.paused <= NOW and (s.bu <= NOW or l[3] ~= 'mail') then
  queueReady(s)
  save(s)
end
return 1
`;
