--- @flags allow-oom
-- A worker's heartbeat. It renews the lease, puts back mailboxes of dead workers (a page of them per call), and wakes
-- overdue resends (100) and parked destinations (50) by Redis's clock. It also removes what has expired.
--
-- ARGV: worker, lease in ms ('0' gives it up), milliseconds between heartbeats, host and pid of the worker for
-- operators ('' for none), number and time of its last heartbeat (0 for none), longest wait of a resend in ms (0 for
-- any).
-- Reply: {{proven destinations that wait, others that wait}, mailboxes put back, 1 when no dead worker is left,
-- {lost wake-ups of resends, of parked destinations}, {number and time of this heartbeat, time of the first one
-- since Redis has loaded its data}, {first and last time of lost writes, or nothing}, violations, 1 while the event log
-- is on}.
--- @include run
--- @include expiry
--- @include ids
--- @include lost-writes
--- @include takeover
--- @include wake
--- @constants LONG_FIELD
-- A gap between two heartbeats of all workers. In a longer one, leases of living workers may have ended, because no
-- worker could renew.
local STALL_MS = 1500
-- After this delay a heartbeat does the work of a wake-up job. The job is lost, or delayed by another worker's clock.
local LATE_MS = 250
-- After this delay the job counts as lost.
local LOST_MS = 5000
local w, leaseMs, longestWait = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[7])

local function renewLease()
  local before = tonumber(call('GET', K .. 'beat') or NOW)
  call('SET', K .. 'beat', NOW)
  -- After a stall of Redis or a step of its clock, workers that were alive before get the time of two heartbeats.
  -- Otherwise the first one to return would take over from all others. After a step back, a lease that had ended
  -- before it would last for as long as the step.
  if math.abs(NOW - before) > STALL_MS then
    local till = NOW + 2 * tonumber(ARGV[3])
    for _, alive in ipairs(call('ZRANGEBYSCORE', K .. 'workers', min(before, NOW), '+inf')) do
      call('ZADD', K .. 'workers', till, alive)
    end
  end
  -- No two leases of a worker have the same end: by it a search notices that the worker had another one (takeover.lua).
  -- A lease that is given up again keeps its end, or the search would always begin anew.
  if leaseMs > 0 then
    call('ZADD', K .. 'workers', NOW + leaseMs, w)
  elseif tonumber(call('ZSCORE', K .. 'workers', w) or 1) > 0 then
    call('ZADD', K .. 'workers', -NOW, w)
  end
  if leaseMs > 0 and ARGV[4] ~= '' then
    call('HSETNX', K .. 'hosts', w, ARGV[4])
    call('ZREM', K .. 'lost', w)
  end
end

local function overdue(list, most)
  return call('ZRANGEBYSCORE', K .. list, '-inf', NOW - LATE_MS, 'WITHSCORES', 'LIMIT', 0, most)
end

-- The clock of Redis went back while these waited.
local function bringForward()
  local latest = NOW + longestWait
  for _, id in ipairs(call('ZRANGEBYSCORE', K .. 'due', '(' .. latest, '+inf', 'LIMIT', 0, 100)) do
    call('ZADD', K .. 'due', latest, id)
  end
end
local function wasMissed(till) return tonumber(till) < NOW - LOST_MS and 1 or 0 end

local moved, isComplete, resends, parkings = 0, true, 0, 0
-- A hash of up to 512 short fields is searched field by field. One long field makes Redis keep it as a table.
for _, key in ipairs({ P .. 'sums', K .. 'live', K .. 'records', K .. 'targets', K .. 'heads' }) do
  call('HSETNX', key, LONG_FIELD, '')
end
local heartbeat, lost = numberHeartbeat(w, tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[3]))
renewLease()
if longestWait > 0 then bringForward() end
run(function()
  moved, isComplete = takeOver()
  local due = overdue('due', 100)
  for i = 1, #due, 2 do
    local destination = call('HGET', K .. 'x:' .. due[i], 'destination')
    if destination then
      wake(destination, due[i])
      resends = resends + wasMissed(due[i + 1])
    else
      call('ZREM', K .. 'due', due[i])
    end
  end
  local parked = overdue('parked', 50)
  for i = 1, #parked, 2 do parkings = parkings + wake(parked[i], '') * wasMissed(parked[i + 1]) end
  expireDeadLetters(50)
  expireRecords(50)
end)
forgetLostWorkers()
expireIds(SWEPT_AT_ONCE)
return {
  { call('LLEN', K .. 'proven'), call('LLEN', K .. 'ready') }, moved, isComplete and 1 or 0,
  { resends, parkings }, heartbeat, lost, takeViolations(), call('HEXISTS', P .. 'log:state', 'max'),
}
