-- Sums per account, as fields of the hash `P <name>`. Of the sums of bytes, those above 1 MB are also in the sorted set
-- `P heavy-<name>`, where publishers find the accounts that need a limit.
--- @include base
local HEAVY_BYTES = 1000000

-- Adds the changes of many accounts at once. A sum of 0 has no field. `onChange` gets each account with its sum before
-- and after.
local function changeSums(name, changes, onChange)
  local accounts = {}
  for account, by in pairs(changes) do
    if by ~= 0 and account ~= '' then accounts[#accounts + 1] = account end
  end
  if #accounts == 0 then return end
  local key, kept, ended = P .. name, {}, {}
  for i, sum in ipairs(redis.call('HMGET', key, unpack(accounts))) do
    local account = accounts[i]
    local before = tonumber(sum or 0)
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

-- Adds bytes to the sums of accounts.
local function addBytes(name, bytes)
  changeSums(name, bytes, function(account, before, now)
    if now > HEAVY_BYTES then
      redis.call('ZADD', P .. 'heavy-' .. name, now, account)
    elseif before > HEAVY_BYTES then
      redis.call('ZREM', P .. 'heavy-' .. name, account)
    end
  end)
end
