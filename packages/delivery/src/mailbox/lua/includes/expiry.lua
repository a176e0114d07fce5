-- Removes what has been kept long enough, a few per call.
--- @include run
--- @constants DEAD_LETTERS_KEPT_MS, DELETED_KEPT_S
-- Dead letters of both mechanisms. A million may expire on one day.
local function expireDeadLetters(most)
  local expired = call('ZRANGEBYSCORE', P .. 'dls', '-inf', NOW - DEAD_LETTERS_KEPT_MS, 'LIMIT', 0, most)
  for _, member in ipairs(expired) do
    local base, id = P .. sub(member, 1, 1) .. ':', sub(member, 2)
    local account, held = unpack(call('HMGET', base .. 'dl:' .. id, 'account', 'bytes'))
    if account then
      count(account, 0, -tonumber(held))
      call('ZREM', P .. 'dls:' .. account, member)
    end
    call('UNLINK', base .. 'dl:' .. id, base .. 'dlm:' .. id)
    call('ZREM', P .. 'dls', member)
  end
end

-- Records of deleted destinations. One that still has a mailbox stays.
local function expireRecords(most)
  local deleted = K .. 'deleted'
  for _, destination in ipairs(call('ZRANGEBYSCORE', deleted, '-inf', NOW, 'LIMIT', 0, most)) do
    if call('HEXISTS', K .. 'live', destination) == 1 then
      call('ZADD', deleted, NOW + DELETED_KEPT_S * 1000, destination)
    else
      call('ZREM', deleted, destination)
      call('HDEL', K .. 'records', destination)
      call('HDEL', K .. 'targets', destination)
    end
  end
end
