-- Wakes a destination for a wake-up job, a heartbeat or the reconciler. In this order:
-- - A resend that the caller names moves from `due` to the due resends of the destination. If it is not due,
--   nothing happens.
-- - An owned destination, one on a ready list, and one without a record are only removed from `parked`.
-- - An active destination that is parked or paused stays in `parked` until its time. A due resend wakes a parked one
--   early, but not a paused one. Batches of an earlier owner, and events to give up, do not wait.
-- - A mailbox with nothing to send or to give up is removed from `busy`, and from `parked` once its time has come.
-- - Every other destination goes to a ready list.
--- @include clock
--- @include contents
--- @include mailbox
--- @include ready
-- Workers' clocks delay the wake-up jobs. A job that is too early by Redis's clock does nothing, so that a fast clock
-- cannot skip the schedule. A heartbeat then does its work in time.
local EARLY_MS = 1000

-- `id`: the resend, '' for none. Returns 1 when the destination was put on a ready list, else 0.
local function wake(d, id)
  if id ~= '' then
    local due = redis.call('ZSCORE', K .. 'due', id)
    if not due or tonumber(due) > NOW + EARLY_MS then return 0 end
  end
  local s = load(d)
  if id ~= '' then
    redis.call('ZREM', K .. 'due', id)
    redis.call('RPUSH', K .. 'q:' .. d, id)
  end
  if s.owner ~= '' or s.ready or not s.known then
    redis.call('ZREM', K .. 'parked', d)
    return 0
  end
  if s.active and s.drop == 0 and #s.win == 0 then
    local till = (s.paused > NOW or not holdsDue(s)) and math.max(s.bu, s.paused) or 0
    if till > NOW + EARLY_MS then
      redis.call('ZADD', K .. 'parked', 'NX', till, d)
      return 0
    end
  end
  -- A resend never wakes a paused destination. The end of the pause does.
  if id ~= '' and s.active and s.paused > NOW then return 0 end
  local isEmpty = #s.win == 0 and not holdsNewEvents(s) and not holdsDue(s)
  if s.paused <= NOW and isEmpty and (s.active or redis.call('SCARD', K .. 'xs:' .. d) == 0) then
    redis.call('ZREM', K .. 'busy', d)
    -- Until then, an event that comes does not put it on a ready list. A heartbeat finds it in `parked`.
    if s.bu <= NOW then redis.call('ZREM', K .. 'parked', d) end
    return 0
  end
  queueReady(s)
  save(s)
  return 1
end
