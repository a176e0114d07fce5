--- @flags allow-oom
-- Writes a destination's record, but never an older version over a newer one, and none over a deleted one unless the
-- store has the destination again. A new address or an activation resets the breaker and the size limit. Queues the
-- mailbox if it holds events, so that a worker sends them or, for an inactive destination, gives them up. A record
-- without an address keeps the last one, for the dead letters. A customer may deactivate a destination while Redis is
-- at its memory limit.
-- ARGV: destination, 1 if it is active, 1 if the store has it again, then the fields of NEW_RECORD (../../layout.ts).
-- Reply: `written`, `same`, or the version that the store must have at least: that of the newer record, or the one
-- after that of the deleted record.
--- @include run
--- @include owner
--- @include records
local given, what = {}, ARGV[2] == '1' and ACTIVE or INACTIVE
--- @arguments NEW_RECORD given 4
open(ARGV[1])
if s.record == DELETED and ARGV[3] ~= '1' then return s.version + 1 end
local old, was = readTarget(s.destination), s.record
if old then
  if given.address == '' then given.address = old.address end
  --- @copy GIVEN s old
  if old.version > given.version then return old.version end
  -- The receiver answered 410 to this version. Only a newer version may activate the destination again.
  if was == GONE and old.version == given.version then
    what, given.account, given.address, given.reason = GONE, old.account, old.address, old.reason
  end
end
-- The api compares all records with its store regularly. Most have not changed.
local isSame = old and was == what
for field, value in pairs(given) do isSame = isSame and old[field] == value end
if isSame then return 'same' end

-- A pause and an operator's give-up survive a new address, but not an activation or deactivation.
local function startAnew(isSwitched)
  s.failures, s.parkMs, s.parkedUntilMs, s.size, s.isProven, s.error = 0, 0, 0, '', false, ''
  if isSwitched then
    s.giveUpUntilMs, s.sendNow = 0, ''
    if s.pausedUntilMs > 0 then endPause() end
  end
  if s.pausedUntilMs <= NOW then
    call('ZREM', K .. 'parked', s.destination)
    if s.status == WAITING then release(IDLE) end
  end
end

run(function()
  if was == DELETED then call('ZREM', K .. 'deleted', s.destination) end
  local isActive = what == ACTIVE
  local isSwitched = was == DELETED or isActive ~= (was == ACTIVE)
  local isOther = not old or old.address ~= given.address or isSwitched
  if isOther then startAnew(isSwitched) end
  --- @copy GIVEN given s
  writeRecord(what, given)
  local holdsEvents = newEvents() > 0 or s.dueResends > 0 or s.batches > 0
  if isOther and (holdsEvents or not isActive and s.resends > 0) then makeReady() end
  save()
end)
return 'written'
