--- @flags allow-oom
-- Removes the counts of an appended chunk, because its events count in mailboxes now. Takes effect once per job and
-- call number.
-- ARGV: the job's key, number of the call, then per account its name, events, bytes.
--- @include sums
if redis.call('EXISTS', ARGV[1]) == 0 or redis.call('HSETNX', ARGV[1], 'unqueued' .. ARGV[2], '1') == 0 then return end
local max, bytes = tonumber(redis.call('GET', P .. 'waiting-max') or math.huge), {}
for i = 3, #ARGV, 3 do
  local account, n = ARGV[i], tonumber(ARGV[i + 1])
  local events = redis.call('HINCRBY', P .. 'queued-events', account, -n)
  if events <= 0 then redis.call('HDEL', P .. 'queued-events', account) end
  bytes[account] = (bytes[account] or 0) - ARGV[i + 2]
  local undelivered = tonumber(redis.call('HGET', P .. 'undelivered', account) or 0)
  if events + n > max / 8 and math.max(0, events) + undelivered <= max then
    redis.call('SREM', P .. 'overfull', account)
  end
end
addBytes('queued', bytes)
