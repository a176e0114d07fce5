--- @flags allow-oom
-- Marks a destination as deleted, so that its events are deleted. Deletes its address and credentials now, and the
-- record a week after its last event. Counts an account's deletions, because each leaves a record for that time. A
-- customer may delete a destination while Redis is at its memory limit.
-- ARGV: destination, account. Reply: 1.
--- @include run
--- @include owner
--- @include records
--- @constants DELETED_KEPT_S
open(ARGV[1])
if s.record == DELETED then return 1 end
local deletions = P .. 'deleted:' .. ARGV[2]
if call('INCR', deletions) == 1 then call('EXPIRE', deletions, DELETED_KEPT_S) end
for _, set in ipairs({ 'parked', 'paused' }) do call('ZREM', K .. set, s.destination) end
call('SREM', K .. 'gone', s.destination)
call('ZADD', K .. 'deleted', NOW + DELETED_KEPT_S * 1000, s.destination)
run(function()
  -- The record may not have been written yet. The account is needed for the sums of the events that it holds.
  writeRecord(DELETED, { account = ARGV[2], address = '', reason = '', credentials = '' })
  if s.status == WAITING then release(IDLE) end
  if newEvents() > 0 or s.batches > 0 or s.resends > 0 then
    makeReady()
  elseif s.status ~= OWNED and s.status ~= READY then
    clearRare()
  end
  save()
end)
return 1
