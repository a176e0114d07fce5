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

-- Notes a step of a run, and adds `events` to those that are not redriven yet ('left'). The progress of a new run is
-- added to that of the runs before while these redrive or some of their events are on the way, else it begins anew.
local function countRun(account, id, events)
  local key = P .. 'redriven:' .. account
  local p = call('HMGET', key, 'run', 'events', 'delivered', 'failed', 'left', 'touched', 'stop')
  local left, touched, stop = tonumber(p[5] or 0), tonumber(p[6] or 0), tonumber(p[7] or 0)
  if p[1] ~= id then
    local isRunning = left > 0 and stop < touched and NOW - touched < REDRIVE_SILENT_MS
    if not isRunning then
      left = 0
      if tonumber(p[2] or 0) - tonumber(p[3] or 0) - tonumber(p[4] or 0) <= 0 then
        call('HDEL', key, 'at', 'events', 'delivered', 'failed', 'returned')
      end
    end
    call('HSET', key, 'run', id)
    call('HSETNX', key, 'at', NOW)
  end
  call('HSET', key, 'left', max(0, left + events), 'touched', NOW)
  call('PEXPIRE', key, REDRIVEN_KEPT_MS)
end
