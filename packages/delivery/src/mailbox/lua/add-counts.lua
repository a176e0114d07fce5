-- Adds counts to fields of hashes that expire.
-- KEYS: the hashes. ARGV: seconds to live; then per hash: field, count.
local renewed
for i, key in ipairs(KEYS) do
  local added = tonumber(ARGV[2 * i + 1])
  -- A new field may be in a new hash.
  if redis.call('HINCRBY', key, ARGV[2 * i], added) == added and key ~= renewed then
    redis.call('EXPIRE', key, ARGV[1])
    renewed = key
  end
end
