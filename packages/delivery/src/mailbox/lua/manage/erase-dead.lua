--- @flags allow-oom
-- Removes events from a dead letter. The caller discards it if no event remains.
--
-- ARGV: dead letter, account, its webhook-id when it was read ('' if its events were never sent). If they were sent:
-- the number of events that stay, their new webhook-id, and their body. If not, per entry: its position, the entry, and
-- the entry with the events that stay ('' for none).
-- Reply: {events removed, events that remain}. -1 in place of the first if the dead letter is no longer there.
--- @include run
--- @include lanes
local key, list, account = K .. 'dl:' .. ARGV[1], K .. 'dlm:' .. ARGV[1], ARGV[2]
local l = call('HMGET', key, 'account', 'webhookId', 'events', 'bytes')
if l[1] ~= account or (l[2] or '') ~= ARGV[3] then return { -1, 0 } end
local removed, bytes = 0, 0
if l[2] then
  local body = ARGV[6]
  removed, bytes = tonumber(l[3]) - tonumber(ARGV[4]), call('HSTRLEN', key, 'body') - #body
  call('HSET', key, 'webhookId', ARGV[5], 'body', body)
else
  local emptied = 0
  for i = 4, #ARGV, 3 do
    local position, entry, rest = ARGV[i], ARGV[i + 1], ARGV[i + 2]
    if call('LINDEX', list, position) == entry then
      call('LSET', list, position, rest == '' and '|' or rest)
      if rest == '' then emptied = emptied + 1 end
      removed = removed + eventsOf(entry) - (rest == '' and 0 or eventsOf(rest))
      bytes = bytes + #entry - #rest
    end
  end
  if emptied > 0 then call('LREM', list, emptied, '|') end
end
local left = tonumber(l[3]) - removed
call('HSET', key, 'events', left, 'bytes', tonumber(l[4] or 0) - bytes)
count(account, 0, -bytes)
writeSums()
return { removed, left }
