/**
 * Counts the events of a chunk for their accounts while its job is added. If the process dies in between, the counts stay until the queues of chunks
 * are empty. Compares an account with its limit only when many of its events are queued.
 * KEYS: the mechanism's base, the shard's shared prefix. ARGV: per account its name, events, bytes.
 */
export const QUEUED_LUA = `
local max = tonumber(redis.call('GET', P .. 'waiting-max') or math.huge)
for i = 1, #ARGV, 3 do
  local account = ARGV[i]
  local events = redis.call('HINCRBY', P .. 'queued-events', account, ARGV[i + 1])
  addToSum('queued', account, tonumber(ARGV[i + 2]))
  if events > max / 8 and events + tonumber(redis.call('HGET', P .. 'undelivered', account) or 0) > max then redis.call('SADD', P .. 'overfull', account) end
end
`;

/**
 * Removes the counts of an appended chunk, because its events count in mailboxes now. Effective once per job and call number.
 * ARGV: the job's key, number of the call, then as above.
 */
export const UNQUEUED_LUA = `
if redis.call('EXISTS', ARGV[1]) == 0 or redis.call('HSETNX', ARGV[1], 'unqueued' .. ARGV[2], '1') == 0 then return end
local max = tonumber(redis.call('GET', P .. 'waiting-max') or math.huge)
for i = 3, #ARGV, 3 do
  local account, n = ARGV[i], tonumber(ARGV[i + 1])
  local events = redis.call('HINCRBY', P .. 'queued-events', account, -n)
  if events <= 0 then redis.call('HDEL', P .. 'queued-events', account) end
  addToSum('queued', account, -tonumber(ARGV[i + 2]))
  if events + n > max / 8 and math.max(0, events) + tonumber(redis.call('HGET', P .. 'undelivered', account) or 0) <= max then
    redis.call('SREM', P .. 'overfull', account)
  end
end
`;

/** Deletes all counts of queued events if the queues of chunks are empty. ARGV: key prefixes of both queues. Reply: number of accounts. */
export const RECOUNT_QUEUED_LUA = `
for _, queue in ipairs(ARGV) do
  for _, list in ipairs({ 'wait', 'active', 'paused' }) do if redis.call('LLEN', queue .. list) > 0 then return 0 end end
  for _, set in ipairs({ 'delayed', 'prioritized' }) do if redis.call('ZCARD', queue .. set) > 0 then return 0 end end
end
local forgotten = redis.call('HLEN', P .. 'queued-events')
redis.call('UNLINK', P .. 'queued', P .. 'queued-events', P .. 'heavy-queued')
local max = tonumber(redis.call('GET', P .. 'waiting-max') or math.huge)
for _, account in ipairs(forgotten > 0 and redis.call('SMEMBERS', P .. 'overfull') or {}) do
  if tonumber(redis.call('HGET', P .. 'undelivered', account) or 0) <= max then redis.call('SREM', P .. 'overfull', account) end
end
return forgotten
`;
