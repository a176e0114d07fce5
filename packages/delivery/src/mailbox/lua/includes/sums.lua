-- Sums per account: undelivered events, and the bytes of its waiting events, resends and dead letters, as fields of
-- `P undelivered` and `P held`. `P overfull` has the accounts above the limit at which publishers refuse more, and
-- `P heavy-held` those with more than 1 MB.
--- @include state
local HEAVY_BYTES = 1000000
-- The changes of this call by account.
local eventsBy, bytesBy

-- Adds changes to the sums of a hash. A sum of 0 has no field. `onChange` gets each account and its sums before and
-- after.
local function changeSums(name, changes, onChange)
  local accounts = {}
  for account, by in pairs(changes) do
    if by ~= 0 and account ~= '' then accounts[#accounts + 1] = account end
  end
  if #accounts == 0 then return end
  local key, kept, ended = P .. name, {}, {}
  for i, sum in ipairs(redis.call('HMGET', key, unpack(accounts))) do
    local account, before = accounts[i], tonumber(sum or 0)
    local now = before + changes[account]
    if now > 0 then
      kept[#kept + 1] = account
      kept[#kept + 1] = string.format('%.0f', now)
    elseif sum then
      ended[#ended + 1] = account
    end
    onChange(account, before, now)
  end
  if #kept > 0 then redis.call('HSET', key, unpack(kept)) end
  if #ended > 0 then redis.call('HDEL', key, unpack(ended)) end
end

local function addBytes(name, changes)
  changeSums(name, changes, function(account, before, now)
    if now > HEAVY_BYTES then
      redis.call('ZADD', P .. 'heavy-' .. name, now, account)
    elseif before > HEAVY_BYTES then
      redis.call('ZREM', P .. 'heavy-' .. name, account)
    end
  end)
end

local function addEvents()
  local max
  changeSums('undelivered', eventsBy, function(account, before, now)
    max = max or tonumber(redis.call('GET', P .. 'waiting-max') or math.huge)
    if before <= max and now > max then redis.call('SADD', P .. 'overfull', account) end
    if before > max and now <= max then
      local queued = tonumber(redis.call('HGET', P .. 'queued-events', account) or 0)
      if now + queued <= max then redis.call('SREM', P .. 'overfull', account) end
    end
  end)
end

-- Counts events and bytes that an account has more, or less. `run` writes the sums.
local function count(account, moreEvents, moreBytes)
  if not eventsBy then
    eventsBy, bytesBy = {}, {}
    atEnd[#atEnd + 1] = function()
      addBytes('held', bytesBy)
      addEvents()
    end
  end
  eventsBy[account] = (eventsBy[account] or 0) + moreEvents
  bytesBy[account] = (bytesBy[account] or 0) + moreBytes
end
onCall(function() eventsBy, bytesBy = nil, nil end)
