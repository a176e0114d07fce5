/** Adds counts to fields of hashes that expire. KEYS: the hashes. ARGV: seconds to live; then per hash: field, count. */
export const ADD_COUNTS_LUA = `
for i, key in ipairs(KEYS) do
  local added = tonumber(ARGV[2 * i + 1])
  -- A new field: the hash may be new as well.
  if redis.call('HINCRBY', key, ARGV[2 * i], added) == added then redis.call('EXPIRE', key, ARGV[1]) end
end
`;
