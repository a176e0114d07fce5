-- Replaces a block of an account's delivered attempts, unless it is gone.
-- ARGV: key of the blocks, number, SHA-1 of the block that was read, block.
-- Reply: 1 if it was replaced.
--- @include base
local stored = call('HGET', ARGV[1], ARGV[2])
if not stored or redis.sha1hex(stored) ~= ARGV[3] then return 0 end
call('HSET', ARGV[1], ARGV[2], ARGV[4])
return 1
