-- Numbers a heartbeat of a process without a lease, which owns no destinations.
--
-- ARGV: process, number and time of its last heartbeat (0 for none), milliseconds between heartbeats.
-- Reply: {number and time of this heartbeat, time of the first one since Redis has loaded its data}, {first and last
-- time of lost writes, or nothing}.
--- @include lost-writes
return { numberHeartbeat(ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])) }
