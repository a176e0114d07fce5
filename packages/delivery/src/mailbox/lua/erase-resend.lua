--- @flags allow-oom
-- Removes events from a resend that is not in flight. The rest becomes another resend with a new webhook-id, as after a
-- partial acknowledgement.
--
-- ARGV: destination, account, resend, its webhook-id when it was read, id and webhook-id of the new resend, the number
-- of the events that stay, and their body.
-- Reply: the number of events removed, -1 if the resend is in flight, -2 if it is no longer there.
--- @include accounts
--- @include clock
--- @include mailbox
--- @include redriven
--- @include resends
--- @include window
local s, account, id, newId = load(ARGV[1]), ARGV[2], ARGV[3], ARGV[5]
local key, due = K .. 'x:' .. id, redis.call('ZSCORE', K .. 'due', id)
local x = redis.call('HMGET', key, 'dest', 'wid', 'events', 'redriven')
if x[1] ~= s.d or x[2] ~= ARGV[4] then return -2 end
for _, batch in ipairs(s.win) do
  if batch[ID] == id and batch[LANE] == 'x' and batch[SETTLED] == 0 then return -1 end
end
local kept, body = tonumber(ARGV[7]), ARGV[8]
local removed, bytes = tonumber(x[3]) - kept, redis.call('HSTRLEN', key, 'body') - #body
local isQueued = redis.call('LREM', K .. 'q:' .. s.d, 0, id) > 0
if kept > 0 then
  -- A search for poison events knows events by their position, so it begins anew.
  redis.call('HSET', key, 'wid', ARGV[6], 'events', kept, 'body', body, 'search', '')
  redis.call('RENAME', key, K .. 'x:' .. newId)
  redis.call('SADD', K .. 'xs:' .. s.d, newId)
  if due then redis.call('ZADD', K .. 'due', due, newId) end
  if isQueued then redis.call('RPUSH', K .. 'q:' .. s.d, newId) end
end
removeResend(s, id)
if x[4] then countRedriven(account, 'events', -removed) end
addAccountBytes(account, -bytes)
addAccountEvents(account, -removed)
return removed
