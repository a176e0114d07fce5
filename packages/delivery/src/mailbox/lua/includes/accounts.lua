-- Sums per account: undelivered events, and the bytes of its waiting events, resends and dead letters.
--- @include account-sums
-- Both take the changes by account.
local function addAccountsBytes(bytes) addBytes('held', bytes) end

local waitingMax
onCall(function() waitingMax = nil end)

-- Changes the numbers of undelivered events, and notes when one crosses the limit at which publishers refuse more.
local function addAccountsEvents(events)
  local empty = {}
  changeSums('undelivered', events, function(account, before, now)
    waitingMax = waitingMax or tonumber(redis.call('GET', P .. 'waiting-max') or math.huge)
    if now <= 0 then empty[#empty + 1] = account end
    if before <= waitingMax and now > waitingMax then redis.call('SADD', P .. 'overfull', account) end
    if before > waitingMax and now <= waitingMax then
      local queued = tonumber(redis.call('HGET', P .. 'queued-events', account) or 0)
      if now + queued <= waitingMax then redis.call('SREM', P .. 'overfull', account) end
    end
  end)
  if #empty == 0 then return end
  -- Without events and dead letters, a remaining sum of bytes is wrong, such as after a command that failed halfway.
  local wrong = {}
  for i, bytes in ipairs(redis.call('HMGET', P .. 'held', unpack(empty))) do
    if bytes and redis.call('EXISTS', P .. 'dls:' .. empty[i]) == 0 then wrong[empty[i]] = -tonumber(bytes) end
  end
  addAccountsBytes(wrong)
end

local function addAccountBytes(account, bytes) addAccountsBytes({ [account] = bytes }) end
local function addAccountEvents(account, events) addAccountsEvents({ [account] = events }) end
