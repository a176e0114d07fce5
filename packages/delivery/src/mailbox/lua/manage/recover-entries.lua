--- @flags allow-oom
-- Counts entries that no state counts, so that they are sent. Half of an append left them.
-- ARGV: destinations. Reply: the events in these entries.
--- @include run
--- @include lanes
--- @include records
--- @include wake
local events = 0

local function recover(destination)
  open(destination)
  for _, lane in ipairs({ 'f', 'u', 'r' }) do
    if s[FIELD_OF[lane]] == 0 then checkLane(lane, call('LLEN', laneKey(lane))) end
  end
  local target = s.found > 0 and readTarget(destination)
  if not target then return end
  count(target.account, s.found, s.freed)
  events = events + s.found
  wakeLoaded(false)
  save()
end

run(function() for i = 1, #ARGV do recover(ARGV[i]) end end)
return events
