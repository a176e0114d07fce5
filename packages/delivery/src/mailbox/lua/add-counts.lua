-- Adds counts to fields of hashes that expire.
-- ARGV: seconds to live; then per count: key of the hash, field, count.
local renewed
for at = 2, #ARGV, 3 do
  local key, added = ARGV[at], tonumber(ARGV[at + 2])
  -- A new field may be in a new hash.
  if call('HINCRBY', key, ARGV[at + 1], added) == added and key ~= renewed then
    call('EXPIRE', key, ARGV[1])
    renewed = key
  end
end
