-- Sums of bytes per account, as fields of the hash `P <name>`. Sums above 1 MB are also in the sorted set `P
-- heavy-<name>`, where publishers find the accounts that need a limit.
--- @include base
local HEAVY_BYTES = 1000000

local function addToSum(name, account, bytes)
  if bytes == 0 or account == '' then return end
  local now = redis.call('HINCRBY', P .. name, account, bytes)
  if now <= 0 then redis.call('HDEL', P .. name, account) end
  if now > HEAVY_BYTES then
    redis.call('ZADD', P .. 'heavy-' .. name, now, account)
  elseif now - bytes > HEAVY_BYTES then
    redis.call('ZREM', P .. 'heavy-' .. name, account)
  end
end
