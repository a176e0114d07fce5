--- @flags allow-oom
-- Removes events from a resend that is not in flight. The rest becomes another resend with a new webhook-id, as after a
-- partial acknowledgement.
--
-- ARGV: destination, account, resend, its webhook-id when it was read, id and webhook-id of the new resend, the number
-- of the events that stay, and their body.
-- Reply: the number of events removed, -1 if the resend is in flight, -2 if it is no longer there.
--- @include log
--- @include redriven
--- @include resends
--- @include run
local account, id, newId, stays, body = ARGV[2], ARGV[3], ARGV[5], tonumber(ARGV[7]), ARGV[8]
local key, due = K .. 'x:' .. id, call('ZSCORE', K .. 'due', id)
open(ARGV[1])
local x = call('HMGET', key, 'destination', 'webhookId', 'events', 'redriven', 'traces')
if x[1] ~= s.destination or x[2] ~= ARGV[4] then return -2 end
for i = 1, s.batches do
  if s.window[i].id == id and not s.window[i].isSettled then return -1 end
end
local removed, bytes = tonumber(x[3]) - stays, call('HSTRLEN', key, 'body') - #body
run(function()
  local isQueued = call('LREM', K .. 'q:' .. s.destination, 0, id) > 0
  if isQueued then s.dueResends = s.dueResends - 1 end
  if stays > 0 then
    -- A search for poison events knows events by their position, so it begins anew.
    call('HSET', key, 'webhookId', ARGV[6], 'events', stays, 'body', body, 'search', '')
    call('RENAME', key, K .. 'x:' .. newId)
    addResend(newId)
    if due then call('ZADD', K .. 'due', due, newId) end
    if isQueued then queueDue(newId) end
  end
  removeResend(id)
  if x[4] then countRedriven(account, 'events', -removed) end
  countReplayed(replayIn(x[5]), 'discarded', removed)
  count(account, -removed, -bytes)
  save()
end)
return removed
