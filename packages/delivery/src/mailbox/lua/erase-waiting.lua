--- @flags allow-oom
-- Removes events from entries of a lane that are not frozen. Frozen entries stay, because a webhook-id never names two
-- contents.
--
-- ARGV: destination, account, lane; then per entry: its position from the end of the lane when it was read (-1 is the
-- last), the entry, and the entry with the events that stay ('' for none).
-- Reply: {events removed, events in flight, entries that are no longer there, entries removed}.
--- @include accounts
--- @include entries
--- @include mailbox
--- @include window
-- An entry is searched up to this number of entries before its position, because others were appended since.
local APPENDED_MAX = 10000
local s, account, lane = load(ARGV[1]), ARGV[2], ARGV[3]
local key = K .. lane .. ':' .. s.d

-- By the position of each frozen entry, from 0: whether its batch is settled.
local frozen, settled = 0, {}
for _, batch in ipairs(s.win) do
  for _ = 1, batch[LANE] == lane and batch[ENTRIES] or 0 do
    settled[frozen] = batch[SETTLED] == 1
    frozen = frozen + 1
  end
end

local function find(fromEnd, entry)
  if redis.call('LINDEX', key, fromEnd) == entry then return redis.call('LLEN', key) + fromEnd end
  return redis.call('LPOS', key, entry, 'RANK', -1, 'MAXLEN', APPENDED_MAX - fromEnd)
end

local events, bytes, inFlight, gone, emptied = 0, 0, 0, 0, 0
for i = 4, #ARGV, 3 do
  local entry, rest = ARGV[i + 1], ARGV[i + 2]
  local position = find(tonumber(ARGV[i]), entry)
  local removed = eventsOf(entry) - (rest == '' and 0 or eventsOf(rest))
  if not position then
    gone = gone + 1
  elseif position >= frozen then
    -- No entry is a single character, so the mark is unique.
    redis.call('LSET', key, position, rest == '' and '|' or rest)
    if rest == '' then emptied = emptied + 1 end
    events, bytes = events + removed, bytes + #entry - #rest
  elseif not settled[position] then
    inFlight = inFlight + removed
  end
end
if emptied > 0 then redis.call('LREM', key, -emptied, '|') end
s['e' .. lane] = math.max(0, s['e' .. lane] - events)
save(s)
addAccountBytes(account, -bytes)
addAccountEvents(account, -events)
return { events, inFlight, gone, emptied }
