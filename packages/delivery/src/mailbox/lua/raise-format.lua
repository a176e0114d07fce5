-- Raises a shard's format, never lowers it.
-- KEYS: `P format`. ARGV: format. Reply: the earlier one, 0 for none.
local stored = tonumber(redis.call('GET', KEYS[1]) or 0)
if stored < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1]) end
return stored
