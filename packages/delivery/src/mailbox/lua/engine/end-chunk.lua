--- @flags allow-oom
-- Ends the job of an appended chunk that its last append could not end. Removes what it counts as queued, because its
-- events count in mailboxes now. Takes effect once per job and call number, and the last call ends the job.
-- ARGV: the job's key, its id if this call ends it (else ''), what the event log keeps (see includes/end-job.lua),
-- number of the call, then per account its name, events, bytes.
--- @include sums
--- @include end-job
local jobKey, id = ARGV[1], ARGV[2]
if call('EXISTS', jobKey) == 0 then return end
if call('HSETNX', jobKey, 'unqueued' .. ARGV[4], '1') == 1 then
  for i = 5, #ARGV, 3 do countQueued(ARGV[i], -ARGV[i + 1], -ARGV[i + 2]) end
end
if id ~= '' then endJob(jobKey, id, ARGV[3]) end
writeSums()
