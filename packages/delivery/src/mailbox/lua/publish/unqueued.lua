--- @flags allow-oom
-- Removes the counts of an appended chunk, because its events count in mailboxes now. Takes effect once per job and
-- call number.
-- ARGV: the job's key, number of the call, then per account its name, events, bytes.
--- @include sums
if call('EXISTS', ARGV[1]) == 0 or call('HSETNX', ARGV[1], 'unqueued' .. ARGV[2], '1') == 0 then return end
for i = 3, #ARGV, 3 do countQueued(ARGV[i], -ARGV[i + 1], -ARGV[i + 2]) end
writeSums()
