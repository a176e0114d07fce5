-- The event log's buffer: chunks whose job has ended, and outcomes of events, until an api has put both into a segment
-- (`packages/event-log`). `P log:state` has the buffer's limit while the log is on.
--- @include clock
--- @include state
--- @constants PROGRESS_KEPT_S, GAP_SEPARATOR, EVENT_KEY_CHARS, EVENT_KEY_HIGH, EVENT_KEY_LOW, LOGGED_CHUNK_BYTES
--- @constants REPLAYS_KEPT_S
-- The bytes that the buffer may still take. False while the log is off, and nil before this call has asked.
local logRoom, logMax
onCall(function() logRoom = nil end)

local function roomInLog()
  if logRoom == nil then
    local state = call('HMGET', P .. 'log:state', 'max', 'bytes', 'fullUntilMs')
    local isFull = tonumber(state[3] or 0) > NOW
    logMax = tonumber(state[1] or 0)
    logRoom = state[1] and (isFull and 0 or logMax - tonumber(state[2] or 0)) or false
  end
  return logRoom
end

local function takeRoom(bytes)
  logRoom = logRoom - bytes
  call('HINCRBY', P .. 'log:state', 'bytes', bytes)
end

-- Whether an account may add bytes. While a store is away, no account takes more than half of the buffer: the first
-- eighth is not counted, because a buffer rarely has more, and of the rest an account gets three eighths. `log-trim`
-- gives back what it removes.
local function takesShare(account, bytes)
  if bytes > logRoom then return false end
  if logRoom > logMax * 7 / 8 then return true end
  local share = tonumber(call('HGET', P .. 'log:shares', account) or 0) + bytes
  if share > logMax * 3 / 8 then return false end
  call('HSET', P .. 'log:shares', account, share)
  return true
end

-- Counts events that the log does not keep. 0: it does not keep what became of some.
local function countGap(account, events)
  local from, _, before = string.match(call('HGET', P .. 'log:gaps', account) or '', '^(%d+) (%d+) (%d+)$')
  local gap = table.concat({ from or NOW, NOW, (before or 0) + events }, GAP_SEPARATOR)
  call('HSET', P .. 'log:gaps', account, gap)
end

-- Makes the hash of a job that of a chunk in the buffer. Without the fields of its queue, a small one takes half.
local IS_OF_CHUNK = { data = true, duplicates = true, leftOut = true, processedOn = true }
local function moveChunk(jobKey, id)
  local others = {}
  for _, field in ipairs(call('HKEYS', jobKey)) do
    if not IS_OF_CHUNK[field] then others[#others + 1] = field end
  end
  call('HDEL', jobKey, unpack(others))
  call('RENAME', jobKey, P .. 'log:chunk:' .. id)
  call('RPUSH', P .. 'log:chunks', id)
end

-- Keeps the hash of a job that ends. `log`: `accounts` (name and events of each), `duplicates` (numbers of events whose
-- id was claimed before), `isRepeatable`. Returns false if the caller must delete the job.
local function keepChunk(jobKey, id, log)
  call('ZREM', P .. 'log:open', id)
  local kept = P .. 'log:kept:' .. id
  if log.isRepeatable and not call('SET', kept, '1', 'NX', 'EX', PROGRESS_KEPT_S) then return false end
  local room = roomInLog()
  if not room then return false end
  local bytes, taken, leftOut, events = LOGGED_CHUNK_BYTES + call('HSTRLEN', jobKey, 'data'), 0, {}, 0
  for _, one in ipairs(log.accounts) do events = events + one[2] end
  for _, one in ipairs(log.accounts) do
    if bytes <= room and takesShare(one[1], math.ceil(bytes * one[2] / events)) then
      taken = taken + 1
    else
      countGap(one[1], one[2])
      leftOut[#leftOut + 1] = one[1]
    end
  end
  if taken == 0 then return false end
  if log.duplicates ~= '' then call('HSET', jobKey, 'duplicates', log.duplicates) end
  if #leftOut > 0 then call('HSET', jobKey, 'leftOut', cjson.encode(leftOut)) end
  moveChunk(jobKey, id)
  takeRoom(bytes)
  return true
end

-- The replay in a mark (`replayMark` in packages/core). Nil for trace contexts.
local function replayIn(mark) return string.match(mark or '', 'replay%-(%w+)') end

-- Counts what became of the events of a replay, nil for none. A redrive takes its events back from the dead ones.
local function countReplayed(replay, result, events)
  if not replay then return end
  local key = P .. 'log:replay:' .. replay
  call('HINCRBY', key, result == 'waiting' and 'dead' or result, result == 'waiting' and -events or events)
  call('EXPIRE', key, REPLAYS_KEPT_S)
end

-- Notes what became of events at the destination `s`. `sent`: see `outcomeText` in ../../outcome-text.ts.
local function noteOutcome(result, account, attempt, sent)
  if not roomInLog() then return end
  local _, last, replay = find(sent, '\n(%w+)\n')
  countReplayed(replay, result, (#sent - (last or 0)) / EVENT_KEY_CHARS)
  local atMs, destination = NOW, s.destination
  local record = --- @pack OUTCOME -
  if not takesShare(account, #record) then return countGap(account, 0) end
  call('RPUSH', P .. 'log:outcomes', record)
  takeRoom(#record)
end

-- The text that names an event in an outcome: the id of version 2, the hash of version 1, or the stem of the
-- `webhook-id` of a notification (`eventKeyText` in packages/core).
local function eventKeyOf(text)
  if sub(text, 4, 4) == '_' then return string.match(text, '^%l+_[^_\n]+_[^_\n]+') or '' end
  local isVersion2 = sub(text, 3, 3) == 'v'
  local from = isVersion2 and 20 or 10
  return sub(text, from, (find(text, isVersion2 and '","module":"' or '","event":"', from, true) or 0) - 1)
end

-- The key of the text that names an event (`eventKey` in packages/core).
local function keyOf(text)
  local high, low, bytes = 1, 1, { string.byte(text, 1, -1) }
  for i = 1, #bytes do
    high, low = (high * EVENT_KEY_HIGH + bytes[i]) % 4294967296, (low * EVENT_KEY_LOW + bytes[i]) % 4294967296
  end
  return string.format('%08x%08x', high, low)
end

-- What `noteOutcome` takes, for texts that hold events, one per line. `mark`: their trace contexts, or a replay's mark.
local function sentOf(webhookId, texts, mark)
  local keys = {}
  local function add(text) keys[#keys + 1] = keyOf(eventKeyOf(text)) end
  for _, text in ipairs(texts) do
    if sub(text, 4, 4) == '_' then
      add(text)
    else
      for line in string.gmatch(text, '[^\n]+') do add(line) end
    end
  end
  return webhookId .. '\n' .. (replayIn(mark) or '') .. '\n' .. table.concat(keys)
end

-- The same, for entries of a lane that were never sent.
local function sentOfEntries(entries)
  local texts = {}
  for i, entry in ipairs(entries) do texts[i] = sub(entry, sub(entry, 13, 13) == '~' and 69 or 13) end
  return sentOf('', texts, sub(entries[1] or '', 13, 68))
end
