-- The progress of redriven dead letters, per account. It is kept for a day after its last change. A resend of a dead
-- letter has the field `redriven`, and so have the resends that come of it.
--- @include clock
--- @constants REDRIVEN_KEPT_MS, REDRIVE_SILENT_MS
-- `field`: 'delivered', 'failed' (dead letters again), 'returned' (put back into their mailbox) or 'events' (all that
-- were made resends).
local function countRedriven(account, field, events)
  local key = P .. 'redriven:' .. account
  if events == 0 or call('EXISTS', key) == 0 then return end
  call('HINCRBY', key, field, events)
  call('PEXPIRE', key, REDRIVEN_KEPT_MS)
end

local function isLeft(field)
  return field:sub(1, 5) == 'left:'
end

-- Notes what a run has left ('left:' and its id), so that others see that it goes on.
local function noteLeft(key, id, events)
  if events > 0 then call('HSET', key, 'left:' .. id, events) else call('HDEL', key, 'left:' .. id) end
  call('HSET', key, 'touched', NOW)
  call('PEXPIRE', key, REDRIVEN_KEPT_MS)
end

-- Begins a run. Its progress is added to that of the runs before while these redrive or some of their events are on the
-- way, else the progress begins anew. What other runs have left is forgotten: a run that goes on says it again with its
-- next step, and one whose process was killed never does.
local function beginRun(account, id, events)
  local key = P .. 'redriven:' .. account
  local p = {}
  local fields = call('HGETALL', key)
  for i = 1, #fields, 2 do p[fields[i]] = tonumber(fields[i + 1]) end
  local hasLeft = false
  for field in pairs(p) do hasLeft = hasLeft or isLeft(field) end
  local touched = p.touched or 0
  local isRunning = hasLeft and (p.stop or 0) < touched and NOW - touched < REDRIVE_SILENT_MS
  if not isRunning and (p.events or 0) - (p.delivered or 0) - (p.failed or 0) <= 0 then
    call('HDEL', key, 'at', 'events', 'delivered', 'failed', 'returned')
  end
  if events > 0 then
    for field in pairs(p) do
      if isLeft(field) then call('HDEL', key, field) end
    end
  end
  call('HSETNX', key, 'at', NOW)
  noteLeft(key, id, events)
end

-- Notes that a run which had `left` events at the beginning of its page has redriven some.
local function stepRun(account, id, left, events)
  local key = P .. 'redriven:' .. account
  noteLeft(key, id, tonumber(call('HGET', key, 'left:' .. id) or left) - events)
end
