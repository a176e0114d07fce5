-- Wakes a mailbox for a wake-up job, a heartbeat or the reconciler. In this order:
-- - A resend that the caller names moves from `due` to the due resends of the mailbox. If it is not due, nothing
--   happens.
-- - A mailbox that is owned or ready, and one without a record, is only removed from `parked`.
-- - An active one that is parked or paused stays in `parked` until its time. A due resend wakes a parked one early, but
--   not a paused one. Batches of an earlier owner, and events to give up, do not wait.
-- - One with nothing to send or to give up is removed from `parked` once its time has come.
-- - Every other one goes to a ready list.
-- A parking that ends later than it may last ends now: the clock of Redis went back meanwhile.
--- @include owner
--- @include resends
-- Workers' clocks delay the wake-up jobs. A job that is too early by Redis's clock does nothing, so that a fast clock
-- cannot skip the schedule. A heartbeat then does its work in time.
local EARLY_MS = 1000

local function wait(till)
  s.status = WAITING
  call('ZADD', K .. 'parked', 'NX', till, s.destination)
end

-- Returns whether the mailbox, which is loaded, was put on a ready list. `isForResend`: a resend has become due.
local function wakeLoaded(isForResend)
  if s.status == OWNED or s.status == READY or s.record == UNKNOWN then
    call('ZREM', K .. 'parked', s.destination)
    if s.status == WAITING then s.status = IDLE end
    return false
  end
  if s.parkedUntilMs > NOW + s.parkMs then s.parkedUntilMs = NOW end
  local isPaused = s.record == ACTIVE and s.pausedUntilMs > NOW
  if s.record == ACTIVE and s.giveUpUntilMs == 0 and s.batches == 0 then
    local till = (isPaused or s.dueResends == 0) and max(s.parkedUntilMs, s.pausedUntilMs) or 0
    if till > NOW + EARLY_MS then
      wait(till)
      return false
    end
  end
  -- A resend never wakes a paused destination. The end of the pause does.
  if isForResend and isPaused then return false end
  local isEmpty = s.batches == 0 and newEvents() == 0 and s.dueResends == 0
  if isEmpty and not isPaused and (s.record == ACTIVE or s.resends == 0) then
    if s.parkedUntilMs <= NOW then
      s.status = IDLE
      call('ZREM', K .. 'parked', s.destination)
    end
    return false
  end
  queueReady()
  return true
end

-- `id`: the resend, '' for none. Returns 1 when the mailbox was put on a ready list, else 0. To be called in `run`.
local function wake(destination, id)
  if id ~= '' then
    local due = call('ZSCORE', K .. 'due', id)
    if not due or tonumber(due) > NOW + EARLY_MS then return 0 end
  end
  open(destination)
  if id ~= '' then
    call('ZREM', K .. 'due', id)
    queueDue(id)
  end
  local isWoken = wakeLoaded(id ~= '')
  save()
  return isWoken and 1 or 0
end
