-- Ends a step of a drain: releases or parks the destination, or continues. Saves the mailbox and returns the reply:
-- {destination, status, token, breaker failures, parking in ms, remaining ms of the parking, address, version, secrets,
-- account, size limit, 1 if proven, batches...}. `DrainStatus` in ../replies.ts explains each status.
--- @include contents
--- @include freeze
--- @include ownership
--- @include ready
--- @include resends-due
--- @include tombstone
--- @include window
-- Times cross to workers as remaining milliseconds, because their clocks differ. -1 for none.
local function remaining(till) return till > 0 and math.max(0, till - NOW) or -1 end

local function finish(s, isReleasing, out)
  local status = 'ok'
  local token = s.owner
  local till = s.bu
  local mustGoOn = continueSendNow(s)
  if countInFlight(s) == 0 then
    local hasNew, hasDue = holdsNewEvents(s), mustGoOn or holdsDue(s)
    local paused = s.active and s.paused > NOW
    local isGivenUp = s.known and (not s.active or s.drop > 0)
    if isGivenUp and (hasNew or hasDue or redis.call('SCARD', K .. 'xs:' .. s.d) > 0) then
      status = 'give up'
    elseif not s.deleted and (paused or (s.bu > NOW and not hasDue)) then
      -- Parked even without events, so that the probe's job exists when events arrive.
      release(s)
      if paused then till = s.paused end
      redis.call('ZADD', K .. 'parked', till, s.d)
      if not hasNew then redis.call('ZREM', K .. 'busy', s.d) end
      status = 'parked'
    elseif not hasNew and not hasDue then
      release(s)
      redis.call('ZREM', K .. 'busy', s.d)
      if s.drop > 0 then forget(s, 'drop') end
      s.ef, s.eu = 0, 0
      status = 'idle'
    elseif not s.known then
      release(s)
      status = 'unknown'
    elseif s.expired then
      status = 'expired'
    elseif isReleasing then
      release(s)
      queueReady(s)
      status = 'released'
    else
      -- After lost writes the counters may differ from the lists, and events in the lists must be found.
      if s.ef + s.eu == 0 then
        s.ef, s.eu = redis.call('LLEN', K .. 'f:' .. s.d), redis.call('LLEN', K .. 'u:' .. s.d)
      end
      status = 'again'
    end
  end
  save(s)
  if s.deleted and status == 'idle' then keepTombstone(s) end
  local reply = { s.d, status, token }
  if status ~= 'idle' then reply[4], reply[5], reply[6] = s.bf, s.bp, remaining(till) end
  if #out > 0 then
    reply[7], reply[8], reply[9], reply[10] = s.address, s.version, s.secrets, s.account
    reply[11], reply[12] = s.size, s.proven and 1 or 0
    for _, b in ipairs(out) do reply[#reply + 1] = b end
  end
  return reply
end

local function serve(s, window, most, max, out, isReleasing)
  if s.known and s.active and not isReleasing then freeze(s, window, most, max, out) end
  return finish(s, isReleasing, out)
end
