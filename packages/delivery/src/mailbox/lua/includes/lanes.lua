-- The entries of a lane: lane f begins with `s.head`, if it is not empty, and goes on in its list.
--- @include state
--- @constants BATCH_BYTES_MAX, HEAD_BYTES_MAX
-- What one call may still return, in bytes, and the first time of acceptance that has not waited too long.
local budget, oldest
onCall(function() budget, oldest = BATCH_BYTES_MAX, '' end)

local function eventsOf(entry) return tonumber(string.sub(entry, 9, 12)) end

-- The events that were accepted earlier than `ms` ago have waited too long. Times in entries sort as texts.
local function setMaxAge(ms)
  local time, digits = math.max(0, NOW - ms), '0123456789abcdefghijklmnopqrstuvwxyz'
  for _ = 1, 8 do
    local digit = time % 36 + 1
    oldest, time = string.sub(digits, digit, digit) .. oldest, math.floor(time / 36)
  end
end

local function laneKey(lane) return K .. lane .. ':' .. s.d end

-- Adds ARGV[from..to], entries with `events` events.
local function push(lane, from, to, events)
  local isFirst = lane == 'f' and s.f == 0 and s.n == 0
  if isFirst and from == to and #ARGV[from] <= HEAD_BYTES_MAX then
    s.head = ARGV[from]
  else
    for at = from, to, 1000 do redis.call('RPUSH', laneKey(lane), unpack(ARGV, at, math.min(to, at + 999))) end
  end
  s[lane] = s[lane] + events
end

-- The entries from a position, at most n.
local function read(lane, from, n)
  if lane == 'u' or s.head == '' then return redis.call('LRANGE', laneKey(lane), from, from + n - 1) end
  if from > 0 then return redis.call('LRANGE', laneKey(lane), from - 1, from + n - 2) end
  if n == 1 then return { s.head } end
  local list = redis.call('LRANGE', laneKey(lane), 0, n - 2)
  table.insert(list, 1, s.head)
  return list
end

-- Removes the first n entries.
local function cut(lane, n)
  if lane == 'f' and n > 0 and s.head ~= '' then s.head, n = '', n - 1 end
  if n > 0 then redis.call('LTRIM', laneKey(lane), n, -1) end
end

-- Cuts an entry after its first n events, for a small batch. Both parts keep the trace mark. Returns the first part.
local function split(lane, position, n)
  local entry = read(lane, position, 1)[1]
  local mark = string.sub(entry, 13, 13) == '~' and string.sub(entry, 13, 68) or ''
  local text, pos = string.sub(entry, 13 + #mark), 0
  for _ = 1, n do pos = string.find(text, '\n', pos + 1, true) end
  local at = string.sub(entry, 1, 8)
  local first = at .. string.format('%04d', n) .. mark .. string.sub(text, 1, pos - 1)
  local rest = at .. string.format('%04d', eventsOf(entry) - n) .. mark .. string.sub(text, pos + 1)
  local key, index = laneKey(lane), position
  if lane == 'f' and s.head ~= '' then index = position - 1 end
  if index < 0 then
    s.head = first
    redis.call('LPUSH', key, rest)
  else
    -- No entry is a single character, so the pivot is unique.
    redis.call('LSET', key, index, '|')
    redis.call('LINSERT', key, 'BEFORE', '|', first)
    redis.call('LSET', key, index + 1, rest)
  end
  -- The second part has its own head (12 bytes and the mark) instead of the line break.
  s.freed = s.freed + 11 + #mark
  return first
end
