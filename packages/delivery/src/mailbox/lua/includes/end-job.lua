-- Ends the job of a chunk, like BullMQ's `moveToFinished`, which does five times the work.
--- @include log
--- @constants ACTIVE_JOBS, STALLED_JOBS, JOB_LOCK
-- Returns false for a stalled one that waits for another run: it stays for that run. `log`: JSON of what `keepChunk`
-- takes, '' for a chunk that the event log does not keep.
local function endJob(jobKey, id, log)
  local queue = sub(jobKey, 1, -#id - 1)
  if call('LREM', queue .. ACTIVE_JOBS, '1', id) == 0 then return false end
  call('SREM', queue .. STALLED_JOBS, id)
  if log ~= '' and keepChunk(jobKey, id, cjson.decode(log)) then
    call('DEL', jobKey .. JOB_LOCK)
    return true
  end
  return call('DEL', jobKey, jobKey .. JOB_LOCK) > 0
end
