--- @flags allow-oom
-- Writes a destination's record, but never an older version over a newer one, and none over a deleted one unless the
-- store has the destination again. A new address or an activation resets the breaker and the size limit. Queues the
-- mailbox if it holds events, so that a worker sends them or, for an inactive destination, gives them up. A customer
-- may deactivate a destination while Redis is at its memory limit.
-- ARGV: destination, account, address, active, reason, version, credentials, 1 if the store has it again. Reply:
-- `written`, `same`, or the version that the store must have at least: that of the newer record, or the one after that
-- of the deleted record.
--- @include run
--- @include owner
--- @include records
local account, address, reason, version, credentials = ARGV[2], ARGV[3], ARGV[5], tonumber(ARGV[6]), ARGV[7]
local what = ARGV[4] == '1' and ACTIVE or INACTIVE
open(ARGV[1])
if s.record == DELETED and ARGV[8] ~= '1' then return s.version + 1 end
local old, was = {}, s.record
old.account, old.address, old.reason, old.credentials = readTarget(s.d)
if old.account then
  if s.version > version then return s.version end
  -- The receiver answered 410 to this version. Only a newer version may activate the destination again.
  if was == GONE and s.version == version then
    what, account, address, reason = GONE, old.account, old.address, old.reason
  end
end
-- The api compares all records with its store regularly. Most have not changed.
local isSameReceiver = old.account == account and old.address == address and was == what and old.reason == reason
if isSameReceiver and s.version == version and old.credentials == credentials then return 'same' end

-- A pause and an operator's give-up survive a new address, but not an activation or deactivation.
local function startAnew(isSwitched)
  s.failures, s.park, s.parkedUntil, s.size, s.proven, s.error = 0, 0, 0, '', 0, ''
  if isSwitched then
    s.drop, s.sendNow = 0, ''
    if s.pausedUntil > 0 then endPause() end
  end
  if s.pausedUntil <= NOW then
    call('ZREM', K .. 'parked', s.d)
    if s.status == WAITING then release(IDLE) end
  end
end

run(function()
  if was == DELETED then call('ZREM', K .. 'deleted', s.d) end
  local isActive = what == ACTIVE
  local isSwitched = was == DELETED or isActive ~= (was == ACTIVE)
  local isOther = not old.account or old.address ~= address or isSwitched
  if isOther then startAnew(isSwitched) end
  writeRecord(what, version, account, address, reason, credentials)
  local holdsEvents = s.f + s.u > 0 or s.due > 0 or s.n > 0 or not isActive and s.kept > 0
  if isOther and holdsEvents then offer() end
  save()
end)
return 'written'
