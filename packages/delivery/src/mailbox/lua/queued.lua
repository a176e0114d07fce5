-- Counts the events of a chunk for their accounts while its job is added. If the process dies in between, the counts
-- stay until the queues of chunks are empty. Compares an account with its limit only when many of its events are
-- queued.
-- ARGV: per account its name, events, bytes.
--- @include sums
local max, bytes = tonumber(redis.call('GET', P .. 'waiting-max') or math.huge), {}
for i = 1, #ARGV, 3 do
  local account = ARGV[i]
  local events = redis.call('HINCRBY', P .. 'queued-events', account, ARGV[i + 1])
  bytes[account] = (bytes[account] or 0) + ARGV[i + 2]
  if events > max / 8 and events + tonumber(redis.call('HGET', P .. 'undelivered', account) or 0) > max then
    redis.call('SADD', P .. 'overfull', account)
  end
end
addBytes('queued', bytes)
