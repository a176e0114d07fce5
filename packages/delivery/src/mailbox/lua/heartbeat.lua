--- @flags allow-oom
-- A worker's heartbeat. It renews the lease, puts back destinations of dead workers (200 per call), and wakes overdue
-- resends (100) and parked destinations (50) by Redis's clock. It also removes expired dead letters (50).
--
-- ARGV: worker, lease in ms ('0' gives it up), milliseconds between heartbeats, 1 to keep the time of the commands
-- (clock.lua), host and pid of the worker for operators ('' for none).
-- Reply: {proven destinations that wait, others that wait, destinations put back, 1 when no dead worker is left, lost
-- wake-ups of resends, lost wake-ups of parked destinations, NOW, Redis's time, `P clock`, 1 unless there was a gap}.
--- @include accounts
--- @include ownership
--- @include wake
--- @constants DEAD_LETTERS_KEPT_MS, LOST_WORKERS_KEPT_MS, LOST_WORKERS_MAX
--- @constants LONG_FIELD
-- A gap between two heartbeats of all workers. In a longer one, leases of living workers may have ended, because no
-- worker could renew.
local STALL_MS = 1500
-- After this delay a heartbeat does the work of a wake-up job. The job is lost, or delayed by another worker's clock.
local LATE_MS = 250
-- After this delay the job counts as lost.
local LOST_MS = 5000

local isSteady = math.abs(RAW - AT) <= GAP_MS

-- Stores the time of this heartbeat in `P clock`. The shift shrinks by a tenth of the time, so that a corrected clock
-- of Redis counts again in the end.
local function storeClock()
  if not isSteady then return end
  local less = math.min(math.abs(SHIFT), math.floor(math.max(0, RAW - AT) / 10))
  redis.call('SET', P .. 'clock', RAW .. ' ' .. (SHIFT > 0 and SHIFT - less or SHIFT + less))
end

-- Removes up to n expired dead letters of both mechanisms. A million may expire on one day.
local function expireDeadLetters(n)
  local expired = redis.call('ZRANGEBYSCORE', P .. 'dls', '-inf', NOW - DEAD_LETTERS_KEPT_MS, 'LIMIT', 0, n)
  for _, member in ipairs(expired) do
    local base, id = P .. string.sub(member, 1, 1) .. ':', string.sub(member, 2)
    local account, bytes = unpack(redis.call('HMGET', base .. 'dl:' .. id, 'account', 'bytes'))
    if account then
      addAccountBytes(account, -tonumber(bytes))
      redis.call('ZREM', P .. 'dls:' .. account, member)
    end
    redis.call('UNLINK', base .. 'dl:' .. id, base .. 'dlm:' .. id)
    redis.call('ZREM', P .. 'dls', member)
  end
end

if ARGV[4] == '1' then storeClock() end
-- Every event changes both sums. A hash of up to 512 short fields is searched field by field, which costs 5 µs with 500
-- accounts. One long field makes Redis keep it as a table.
for _, sums in ipairs({ 'undelivered', 'held' }) do redis.call('HSETNX', P .. sums, LONG_FIELD, 0) end
local workers, lastHeartbeat = K .. 'workers', K .. 'beat'
local before = tonumber(redis.call('GET', lastHeartbeat) or NOW)
redis.call('SET', lastHeartbeat, NOW)
-- After a stall of Redis or a step of its clock, workers that were alive before get the time of two heartbeats.
-- Otherwise the first one to return would take over from all others.
if math.abs(NOW - before) > STALL_MS then
  local till = NOW + 2 * tonumber(ARGV[3])
  for _, alive in ipairs(redis.call('ZRANGEBYSCORE', workers, before, '+inf')) do
    redis.call('ZADD', workers, till, alive)
  end
end
redis.call('ZADD', workers, ARGV[2] ~= '0' and NOW + tonumber(ARGV[2]) or 0, ARGV[1])
local hosts, lost = K .. 'hosts', K .. 'lost'
if ARGV[2] ~= '0' and (ARGV[5] or '') ~= '' then
  redis.call('HSETNX', hosts, ARGV[1], ARGV[5])
  redis.call('ZREM', lost, ARGV[1])
end

local moved, isComplete = 0, 1
local dead = redis.call('ZRANGEBYSCORE', workers, '-inf', NOW, 'LIMIT', 0, 1)[1]
if dead then
  for _, d in ipairs(redis.call('SPOP', K .. 'owned:' .. dead, 200)) do
    local s = load(d)
    if s.owner ~= '' and worker(s.owner) == dead then
      s.owner = ''
      queueReady(s)
      save(s)
      moved = moved + 1
    end
  end
  if redis.call('SCARD', K .. 'owned:' .. dead) == 0 then
    local till = tonumber(redis.call('ZSCORE', workers, dead))
    redis.call('ZREM', workers, dead)
    -- A worker that stops gives its lease the end 0. Operators look for the others.
    if till > 0 then redis.call('ZADD', lost, till, dead) else redis.call('HDEL', hosts, dead) end
  end
  isComplete = redis.call('ZCOUNT', workers, '-inf', NOW) == 0 and 1 or 0
end

local forgotten = math.max(redis.call('ZCOUNT', lost, '-inf', NOW - LOST_WORKERS_KEPT_MS),
  redis.call('ZCARD', lost) - LOST_WORKERS_MAX)
for _, old in ipairs(forgotten > 0 and redis.call('ZRANGE', lost, 0, forgotten - 1) or {}) do
  redis.call('ZREM', lost, old)
  redis.call('HDEL', hosts, old)
end

local function overdue(list, most)
  return redis.call('ZRANGEBYSCORE', K .. list, '-inf', NOW - LATE_MS, 'WITHSCORES', 'LIMIT', 0, most)
end
local function isLost(till) return tonumber(till) < NOW - LOST_MS and 1 or 0 end

local resends, parkings = 0, 0
local due = overdue('due', 100)
for i = 1, #due, 2 do
  local d = redis.call('HGET', K .. 'x:' .. due[i], 'dest')
  if d then
    wake(d, due[i])
    resends = resends + isLost(due[i + 1])
  else
    redis.call('ZREM', K .. 'due', due[i])
  end
end
local parked = overdue('parked', 50)
for i = 1, #parked, 2 do parkings = parkings + wake(parked[i], '') * isLost(parked[i + 1]) end
expireDeadLetters(50)
return {
  redis.call('LLEN', K .. 'proven'), redis.call('LLEN', K .. 'ready'), moved, isComplete, resends, parkings,
  NOW, RAW, STORED_CLOCK, isSteady and 1 or 0,
}
