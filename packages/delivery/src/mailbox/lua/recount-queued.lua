--- @flags allow-oom
-- Deletes all counts of queued events if the queues of chunks are empty.
-- ARGV: key prefixes of both queues. Reply: the number of accounts that had a count.
--- @include base
for _, queue in ipairs(ARGV) do
  for _, list in ipairs({ 'wait', 'active', 'paused' }) do
    if redis.call('LLEN', queue .. list) > 0 then return 0 end
  end
  for _, set in ipairs({ 'delayed', 'prioritized' }) do
    if redis.call('ZCARD', queue .. set) > 0 then return 0 end
  end
end
local forgotten = redis.call('HLEN', P .. 'queued-events')
redis.call('UNLINK', P .. 'queued', P .. 'queued-events', P .. 'heavy-queued')
local max = tonumber(redis.call('GET', P .. 'waiting-max') or math.huge)
for _, account in ipairs(forgotten > 0 and redis.call('SMEMBERS', P .. 'overfull') or {}) do
  if tonumber(redis.call('HGET', P .. 'undelivered', account) or 0) <= max then
    redis.call('SREM', P .. 'overfull', account)
  end
end
return forgotten
