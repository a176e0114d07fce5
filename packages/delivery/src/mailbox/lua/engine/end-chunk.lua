--- @flags allow-oom
-- Ends the job of a chunk that its last append could not end. Other calls before remove what it counts as queued for
-- accounts that one call has no room for, once per job and call number.
-- ARGV: the job's key, its id if this call ends it (else ''), what the event log keeps (see includes/end-job.lua),
-- number of the call, then per account its name, events, bytes.
--- @include sums
--- @include end-job
local jobKey, id = ARGV[1], ARGV[2]
if id ~= '' then
  endJob(jobKey, id, ARGV[3], 5, #ARGV)
elseif call('EXISTS', jobKey) == 1 and call('HSETNX', jobKey, 'unqueued' .. ARGV[4], '1') == 1 then
  uncountQueued(5, #ARGV)
end
writeSums()
