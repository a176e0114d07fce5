--- @flags allow-oom
-- Deletes dead letters of one mechanism and shard permanently, with their events. Skips those that were redriven or
-- have expired.
-- ARGV: `c` or `t`, ids. Reply: {dead letters deleted, events in them}.
--- @include log
--- @include sums
local deleted, events = 0, 0
for i = 2, #ARGV do
  local key, member = K .. 'dl:' .. ARGV[i], ARGV[1] .. ARGV[i]
  local account, held, bytes, destination, attempts, webhookId =
    unpack(call('HMGET', key, 'account', 'events', 'bytes', 'destination', 'attempts', 'webhookId'))
  call('ZREM', P .. 'dls', member)
  if account then
    if roomInLog() then
      local body, traces = unpack(call('HMGET', key, 'body', 'traces'))
      s.destination = destination
      noteOutcome('discarded', account, tonumber(attempts),
        body and sentOf(webhookId, { body }, traces) or sentOfEntries(call('LRANGE', K .. 'dlm:' .. ARGV[i], 0, -1)))
    end
    call('ZREM', P .. 'dls:' .. account, member)
    call('UNLINK', key, K .. 'dlm:' .. ARGV[i])
    count(account, 0, -tonumber(bytes))
    deleted, events = deleted + 1, events + tonumber(held)
  end
end
writeSums()
return { deleted, events }
