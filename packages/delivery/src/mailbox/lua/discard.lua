-- Deletes dead letters of one mechanism and shard permanently, with their events. Skips those that were redriven or
-- have expired.
-- ARGV: `c` or `t`, ids. Reply: {dead letters deleted, events in them}.
--- @include account-sums
--- @include base
local deleted, events = 0, 0
for i = 2, #ARGV do
  local key, member = K .. 'dl:' .. ARGV[i], ARGV[1] .. ARGV[i]
  local account, held, bytes = unpack(redis.call('HMGET', key, 'account', 'events', 'bytes'))
  redis.call('ZREM', P .. 'dls', member)
  if account then
    redis.call('ZREM', P .. 'dls:' .. account, member)
    redis.call('UNLINK', key, K .. 'dlm:' .. ARGV[i])
    addBytes('held', { [account] = -tonumber(bytes or 0) })
    deleted, events = deleted + 1, events + tonumber(held)
  end
end
return { deleted, events }
