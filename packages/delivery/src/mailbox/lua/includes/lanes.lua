-- The entries of a lane. The first entry of an empty mailbox, if it is small, is in the hash `K heads`, and lane f goes
-- on in its list: most mailboxes then need no list.
--- @include state
--- @include violations
--- @constants BATCH_BYTES_MAX, HEAD_BYTES_MAX, SINGLE_SHAPE, BATCH_SHAPE
-- What one call may still return, in bytes, and the first time of acceptance that has not waited too long.
local budget, oldest
onCall(function() budget = BATCH_BYTES_MAX end)

local function eventsOf(entry) return tonumber(sub(entry, 9, 12)) end

-- The events that were accepted earlier than `ms` ago have waited too long.
local function setMaxAge(ms) oldest = NOW - ms end

local function isTooOld(entry) return tonumber(sub(entry, 1, 8), 36) < oldest end

-- What an entry holds: 'n', a notification of version 1 after the line with its webhook-id (`msg_...`), or events of
-- version '1' or '2'. Events of different replays, in lane r, are of different kinds. Second, the shape of requests
-- with it: those of version 1 leave as the specification says.
local function kindOf(entry, lane)
  local at = sub(entry, 13, 13) == '~' and 69 or 13
  if sub(entry, at + 3, at + 3) == '_' then return 'n', SINGLE_SHAPE end
  local replay = lane == 'r' and sub(entry, 13, 68) or ''
  if sub(entry, at, at + 2) == '{"v' then return '2' .. replay, s.shape end
  return '1' .. replay, BATCH_SHAPE
end

local function setHead(entry)
  s.hasHead, s.head = true, entry
  heads[#heads + 1] = s.destination
  heads[#heads + 1] = entry
end

local function removeHead()
  s.hasHead, s.head = false, nil
  headless[#headless + 1] = s.destination
end

local function head()
  s.head = s.head or call('HGET', K .. 'heads', s.destination)
  return s.head
end

local function laneKey(lane) return K .. lane .. ':' .. s.destination end

-- A lane without new events had `before` entries. If its frozen batches have fewer, half of an append left the others:
-- they count from now on, so that they are sent.
local function checkLane(lane, before)
  local field, frozen = FIELD_OF[lane], lane == 'f' and s.hasHead and -1 or 0
  for i = 1, s.batches do
    if s.window[i].lane == lane then frozen = frozen + s.window[i].entries end
  end
  if before <= frozen then return end
  violation('extra-entries', s.destination)
  for _, entry in ipairs(call('LRANGE', laneKey(lane), frozen, before - 1)) do
    local events = eventsOf(entry)
    s[field], s.found, s.freed = s[field] + events, s.found + events, s.freed + #entry
  end
end

-- Adds ARGV[from..to], entries with `events` events.
local function push(lane, from, to, events)
  local field, isFirst = FIELD_OF[lane], lane == 'f' and s.fresh == 0 and s.batches == 0
  if isFirst and from == to and #ARGV[from] <= HEAD_BYTES_MAX then
    setHead(ARGV[from])
  else
    local entries
    for at = from, to, 1000 do entries = call('RPUSH', laneKey(lane), unpack(ARGV, at, min(to, at + 999))) end
    if s[field] == 0 then checkLane(lane, entries - (to - from + 1)) end
  end
  s[field] = s[field] + events
end

-- The entries from a position, at most n.
local function read(lane, from, n)
  if lane ~= 'f' or not s.hasHead then return call('LRANGE', laneKey(lane), from, from + n - 1) end
  if from > 0 then return call('LRANGE', laneKey(lane), from - 1, from + n - 2) end
  if n == 1 then return { head() } end
  local list = call('LRANGE', laneKey(lane), 0, n - 2)
  table.insert(list, 1, head())
  return list
end

-- Removes the first n entries.
local function removeFirst(lane, n)
  if lane == 'f' and n > 0 and s.hasHead then
    removeHead()
    n = n - 1
  end
  if n > 0 then call('LTRIM', laneKey(lane), n, -1) end
end

-- Splits an entry into parts of n events, for small batches, so that each event is copied once however small they are.
-- All parts keep the trace mark. Returns the first part.
local function split(lane, position, n)
  local entry = read(lane, position, 1)[1]
  local mark = sub(entry, 13, 13) == '~' and sub(entry, 13, 68) or ''
  local text, left, from = sub(entry, 13 + #mark), eventsOf(entry), 1
  local at, parts = sub(entry, 1, 8), {}
  repeat
    local events, to = min(n, left), from - 1
    -- A probe takes one event, and the requests after it take many.
    if n == 1 and parts[1] then events = left end
    if events < left then
      for _ = 1, events do to = find(text, '\n', to + 1, true) end
    else
      to = #text + 1
    end
    parts[#parts + 1] = at .. string.format('%04d', events) .. mark .. sub(text, from, to - 1)
    left, from = left - events, to + 1
  until left == 0
  local key, index, first = laneKey(lane), position, 1
  if lane == 'f' and s.hasHead then index = position - 1 end
  if index < 0 then
    setHead(parts[1])
    call('LPUSH', key, '|')
    index, first = 0, 2
  else
    call('LSET', key, index, '|')
  end
  -- No entry is a single character, so the pivot is unique.
  for i = first, #parts - 1 do call('LINSERT', key, 'BEFORE', '|', parts[i]) end
  call('LSET', key, index + #parts - first, parts[#parts])
  -- Each part has its own head (12 bytes and the mark) instead of a line break.
  s.freed = s.freed + (#parts - 1) * (11 + #mark)
  return parts[1]
end
