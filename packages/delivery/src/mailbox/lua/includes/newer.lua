-- Leaves a mailbox of a newer format to a worker that can read it, with the owner that gave it up. The heartbeat of
-- such a worker finds it here.
--- @include base
local function leaveToNewer(s) redis.call('ZADD', K .. 'newer', s.v, s.owner .. ' ' .. s.d) end
