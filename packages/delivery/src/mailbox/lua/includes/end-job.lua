-- Ends the job of a chunk, like BullMQ's `moveToFinished`, which does five times the work.
--- @include log
--- @include sums
--- @constants ACTIVE_JOBS, STALLED_JOBS, JOB_LOCK
-- Removes what a job counts as queued: the arguments from `first` to `last` are per account its name, events, bytes.
local function uncountQueued(first, last)
  for i = first, last, 3 do countQueued(ARGV[i], -ARGV[i + 1], -ARGV[i + 2]) end
end

-- Returns false for a stalled one that waits for another run: it stays for that run. `log`: JSON of what `keepChunk`
-- takes, '' for a chunk that the event log does not keep. `first`, `last`: see `uncountQueued`.
local function endJob(jobKey, id, log, first, last)
  local queue = sub(jobKey, 1, -#id - 1)
  if call('LREM', queue .. ACTIVE_JOBS, '1', id) == 0 then return false end
  call('SREM', queue .. STALLED_JOBS, id)
  uncountQueued(first, last)
  if log ~= '' and keepChunk(jobKey, id, cjson.decode(log)) then
    call('DEL', jobKey .. JOB_LOCK)
    return true
  end
  return call('DEL', jobKey, jobKey .. JOB_LOCK) > 0
end
