--- @flags allow-oom
-- Removes events from entries of a lane that are not frozen. Frozen entries stay, because a webhook-id never names two
-- contents.
--
-- ARGV: destination, account, lane; then per entry: its position from the end of the lane when it was read (-1 is the
-- last), the entry, and the entry with the events that stay ('' for none).
-- Reply: {events removed, events in flight, entries that are no longer there, entries removed}.
--- @include lanes
--- @include log
--- @include run
-- An entry is searched up to this number of entries before its position, because others were appended since.
local APPENDED_MAX = 10000
local account, lane = ARGV[2], ARGV[3]
open(ARGV[1])
local key, field, first = laneKey(lane), FIELD_OF[lane], lane == 'f' and s.hasHead and 1 or 0

-- By the position of each frozen entry, from 0: whether its batch is settled.
local frozen, settled = 0, {}
for i = 1, s.batches do
  local b = s.window[i]
  for _ = 1, b.lane == lane and b.entries or 0 do
    settled[frozen] = b.isSettled
    frozen = frozen + 1
  end
end

-- The position of an entry in the lane, from 0.
local function positionOf(fromEnd, entry)
  local position
  if call('LINDEX', key, fromEnd) == entry then
    position = call('LLEN', key) + fromEnd
  else
    position = call('LPOS', key, entry, 'RANK', -1, 'MAXLEN', APPENDED_MAX - fromEnd)
  end
  if position then return position + first end
  return first == 1 and head() == entry and 0 or nil
end

local emptied = 0
local function replace(position, rest)
  if position < first then
    if rest == '' then removeHead() else setHead(rest) end
    return
  end
  -- No entry is a single character, so the mark is unique.
  call('LSET', key, position - first, rest == '' and '|' or rest)
  if rest == '' then emptied = emptied + 1 end
end

local events, bytes, inFlight, gone, removedEntries = 0, 0, 0, 0, 0
run(function()
  for i = 4, #ARGV, 3 do
    local entry, rest = ARGV[i + 1], ARGV[i + 2]
    local position = positionOf(tonumber(ARGV[i]), entry)
    local removed = eventsOf(entry) - (rest == '' and 0 or eventsOf(rest))
    if not position then
      gone = gone + 1
    elseif position >= frozen then
      replace(position, rest)
      if rest == '' then removedEntries = removedEntries + 1 end
      events, bytes = events + removed, bytes + #entry - #rest
      if lane == 'r' then countReplayed(replayIn(sub(entry, 13, 68)), 'discarded', removed) end
    elseif not settled[position] then
      inFlight = inFlight + removed
    end
  end
  if emptied > 0 then call('LREM', key, -emptied, '|') end
  s[field] = max(0, s[field] - events)
  count(account, -events, -bytes)
  save()
end)
return { events, inFlight, gone, removedEntries }
