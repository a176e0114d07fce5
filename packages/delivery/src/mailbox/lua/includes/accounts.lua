-- Sums per account: undelivered events, and the bytes of its waiting events, resends and dead letters.
--- @include account-sums
local function addAccountBytes(account, bytes) addToSum('held', account, bytes) end

local waitingMax

-- Changes the number of undelivered events, and notes when it crosses the limit at which publishers refuse more.
local function addAccountEvents(account, events)
  if events == 0 or account == '' then return end
  waitingMax = waitingMax or tonumber(redis.call('GET', P .. 'waiting-max') or math.huge)
  local now = redis.call('HINCRBY', P .. 'undelivered', account, events)
  local before = now - events
  if now <= 0 then
    redis.call('HDEL', P .. 'undelivered', account)
    -- Without events and dead letters, a remaining sum of bytes is wrong. Older versions do not count bytes.
    local bytes = tonumber(redis.call('HGET', P .. 'held', account) or 0)
    if bytes ~= 0 and redis.call('EXISTS', P .. 'dls:' .. account) == 0 then addAccountBytes(account, -bytes) end
  end
  if before <= waitingMax and now > waitingMax then redis.call('SADD', P .. 'overfull', account) end
  if before > waitingMax and now <= waitingMax then
    local queued = tonumber(redis.call('HGET', P .. 'queued-events', account) or 0)
    if now + queued <= waitingMax then redis.call('SREM', P .. 'overfull', account) end
  end
end
