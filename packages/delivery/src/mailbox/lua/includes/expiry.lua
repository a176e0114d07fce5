-- Removes what has been kept long enough, a few per call.
--- @include run
--- @constants DEAD_LETTERS_KEPT_MS, DELETED_KEPT_S
-- Dead letters of both mechanisms. A million may expire on one day.
local function expireDeadLetters(most)
  local expired = redis.call('ZRANGEBYSCORE', P .. 'dls', '-inf', NOW - DEAD_LETTERS_KEPT_MS, 'LIMIT', 0, most)
  for _, member in ipairs(expired) do
    local base, id = P .. string.sub(member, 1, 1) .. ':', string.sub(member, 2)
    local account, held = unpack(redis.call('HMGET', base .. 'dl:' .. id, 'account', 'bytes'))
    if account then
      count(account, 0, -tonumber(held))
      redis.call('ZREM', P .. 'dls:' .. account, member)
    end
    redis.call('UNLINK', base .. 'dl:' .. id, base .. 'dlm:' .. id)
    redis.call('ZREM', P .. 'dls', member)
  end
end

-- Records of deleted destinations. One that still has a mailbox stays.
local function expireRecords(most)
  local deleted = K .. 'deleted'
  for _, d in ipairs(redis.call('ZRANGEBYSCORE', deleted, '-inf', NOW, 'LIMIT', 0, most)) do
    if redis.call('HEXISTS', K .. 'live', d) == 1 then
      redis.call('ZADD', deleted, NOW + DELETED_KEPT_S * 1000, d)
    else
      redis.call('ZREM', deleted, d)
      redis.call('HDEL', K .. 'records', d)
    end
  end
end
