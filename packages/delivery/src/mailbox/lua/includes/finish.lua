-- Ends a step of a drain: releases or parks the mailbox, or goes on. Saves it and adds to the reply: the status
-- (`DrainStatus` in ../../replies.ts), the state ('' for a mailbox that has none), the number of batches in the window
-- before the call froze more, the number of contents, and the contents (freeze.lua).
--- @include freeze
--- @include in-flight-to-resends
--- @include owner
local replies, batchesBefore
onCall(function() replies, batchesBefore = {}, 0 end)

local function countInFlight()
  local n = 0
  for i = 1, s.batches do if not s.window[i].isSettled then n = n + 1 end end
  return n
end

local function reply(status, text)
  replies[#replies + 1] = status
  replies[#replies + 1] = text
  replies[#replies + 1] = batchesBefore
  replies[#replies + 1] = #contents
  for i = 1, #contents do replies[#replies + 1] = contents[i] end
  contents = {}
end

local function finish(isReleasing)
  local mustGoOn = continueSendNow()
  if countInFlight() > 0 then return reply('ok', save()) end
  local status
  local hasNew, hasDue = newEvents() > 0, mustGoOn or s.dueResends > 0
  local isPaused = s.record == ACTIVE and s.pausedUntilMs > NOW
  local isGivenUp = s.record > ACTIVE or s.record == ACTIVE and s.giveUpUntilMs > 0
  if isGivenUp and (hasNew or s.dueResends > 0 or s.resends > 0) then
    status = 'give up'
  elseif s.record ~= DELETED and (isPaused or s.parkedUntilMs > NOW and not hasDue) then
    -- Parked even without events, so that the probe's job exists when events arrive.
    release(WAITING)
    call('ZADD', K .. 'parked', isPaused and s.pausedUntilMs or s.parkedUntilMs, s.destination)
    status = 'parked'
  elseif not hasNew and not hasDue then
    release(IDLE)
    s.giveUpUntilMs = 0
    if s.record == DELETED then clearRare() end
    status = 'idle'
  elseif s.record == UNKNOWN then
    release(IDLE)
    status = 'unknown'
  elseif s.isExpired then
    status = 'expired'
  elseif isReleasing then
    queueReady()
    status = 'released'
  else
    status = 'again'
  end
  reply(status, save())
end

-- `window`: most batches of new events, and most resends. `most`: most batches in all. `batchMax`: most events of a
-- batch.
local function serve(window, most, batchMax, isReleasing)
  if s.record == ACTIVE and not isReleasing then freeze(window, most, batchMax) end
  finish(isReleasing)
end

local NONE = {}

-- Claims the mailbox and freezes its first batches. Batches in flight of an earlier owner are sent again, or become
-- resends if their destination gives up its events.
local function claimAndServe(token, most, batchMax)
  claim(token)
  if s.batches > 0 then
    if s.record > ACTIVE or s.giveUpUntilMs > 0 then inFlightToResends() else resendInFlight(NONE) end
  end
  batchesBefore = s.batches
  serve(1, most, batchMax, false)
end
