-- Raises a shard's format, never lowers it.
-- ARGV: format. Reply: the earlier one, 0 for none.
--- @include base
local stored = tonumber(redis.call('GET', P .. 'format') or 0)
if stored < tonumber(ARGV[1]) then redis.call('SET', P .. 'format', ARGV[1]) end
return stored
