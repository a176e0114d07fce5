/**
 * Sums of bytes per account, as fields of a hash. Sums above 1 MB are also in a sorted set, where publishers find them.
 * Needs P, the shard's shared prefix.
 */
export const SUMS_LUA = `
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
`;
