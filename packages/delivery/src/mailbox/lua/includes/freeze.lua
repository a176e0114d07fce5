-- Freezes new events and due resends as batches of the window. Freezing happens in place: the window says which entries
-- at the head of a lane belong to which batch, and nothing is copied.
--- @include accounts
--- @include clock
--- @include contents
--- @include mailbox
--- @include resend-batch
--- @include window
local WINDOW_MAX = 32
-- Set by the command: the number of the worker's call, and the longest wait of an event in ms.
local CALL, MAX_AGE
onCall(function() CALL, MAX_AGE = '0', math.huge end)

-- Moves the oldest due resend into the window. Returns whether there was one.
local function takeDue(s, out)
  while true do
    local id = redis.call('LPOP', K .. 'q:' .. s.d)
    if not id then return false end
    s.queued = s.queued and s.queued - 1
    local x = redis.call('HMGET', K .. 'x:' .. id, 'attempt', 'events')
    if x[1] then
      local batch = { id, 'x', 0, tonumber(x[2]), tonumber(x[1]) + 1, 0 }
      s.win[#s.win + 1] = batch
      s.changed = true
      out[#out + 1] = resendOf(batch)
      s.turn = 'x'
      return true
    end
  end
end

-- Cuts an entry of the lane after its first n events, for a small batch. Both parts keep the trace mark.
local function splitEntry(s, lane, position, n)
  local key = K .. lane .. ':' .. s.d
  local entry = redis.call('LINDEX', key, position)
  local at, total = string.sub(entry, 1, 8), eventsOf(entry)
  local mark = string.sub(entry, 13, 13) == '~' and string.sub(entry, 13, 68) or ''
  local text = string.sub(entry, 13 + #mark)
  local pos = 0
  for _ = 1, n do pos = string.find(text, '\n', pos + 1, true) end
  -- No entry is a single character, so the pivot is unique.
  redis.call('LSET', key, position, '|')
  redis.call('LINSERT', key, 'BEFORE', '|', at .. string.format('%04d', n) .. mark .. string.sub(text, 1, pos - 1))
  redis.call('LSET', key, position + 1, at .. string.format('%04d', total - n) .. mark .. string.sub(text, pos + 1))
  -- The second part has its own head (12 bytes and the mark) instead of the line break.
  addAccountBytes(s.account, 11 + #mark)
end

-- The number of events of an entry that fit into a body, at least one. An event costs its bytes and six more (see
-- `bodyBytes` in packages/core).
local function fitting(entry, bytesMax)
  local n, pos = 0, 0
  repeat
    pos = string.find(entry, '\n', pos + 1, true)
    if not pos or pos + 5 * (n + 1) > bytesMax then return math.max(1, n) end
    n = n + 1
  until false
end

-- The entries after position 'from' for a batch of at most max events and 1 MiB (or the destination's size limit), and
-- the number of their events. If the first entry alone is too large, the third result is the number of its events that
-- fit.
local function gather(s, lane, from, max)
  local key, list, events, bytes, step = K .. lane .. ':' .. s.d, {}, 0, 0, 10
  local bytesMax = tonumber(string.match(s.size, '^%d+')) or BATCH_BYTES_MAX
  while true do
    local some = redis.call('LRANGE', key, from + #list, from + #list + step - 1)
    for _, entry in ipairs(some) do
      local n = eventsOf(entry)
      local cost = #entry + 5 * n
      if events + n > max or bytes + cost > bytesMax then
        if #list > 0 then return list, events, 0 end
        local fits = math.min(max, n)
        if cost > bytesMax then fits = math.min(fits, fitting(entry, bytesMax)) end
        if fits < n then return list, 0, fits end
      end
      events, bytes = events + n, bytes + cost
      list[#list + 1] = entry
    end
    if #some < step or events >= max then return list, events, 0 end
    step = math.max(1, math.min(1000, math.ceil((max - events) * #list / events)))
  end
end

local function countFrozenEntries(s, lane)
  local n = 0
  for _, batch in ipairs(s.win) do if batch[LANE] == lane then n = n + batch[ENTRIES] end end
  return n
end

-- Adds a batch to the window. Its id contains the number of the call, so that no other call gives this id to other
-- events, even after lost writes.
local function enter(s, lane, entries, events, bytes)
  s.frozen = s.frozen + 1
  local batch = { s.owner .. '_' .. CALL .. '_' .. s.frozen, lane, entries, events, 1, 0, bytes }
  s.win[#s.win + 1] = batch
  s.changed = true
  s.lane, s.turn = lane, ''
  s['e' .. lane] = math.max(0, s['e' .. lane] - events)
  return batch
end

-- Whether an event has waited too long to be sent.
local function isExpired(entry) return tonumber(string.sub(entry, 1, 8), 36) < NOW - MAX_AGE end

-- Like `isExpired`, and also marks the mailbox.
local function hasExpired(s, entry)
  if not isExpired(entry) then return false end
  s.expired = true
  return true
end

local function takeBatch(s, lane, max, out)
  local from = countFrozenEntries(s, lane)
  local entries, events, some = gather(s, lane, from, max)
  if some > 0 then
    splitEntry(s, lane, from, some)
    entries, events = read(s, lane, from, 1), some
  end
  if #entries == 0 then s['e' .. lane] = 0; return 0 end
  if hasExpired(s, entries[1]) then return 0 end
  local bytes = 0
  for _, entry in ipairs(entries) do bytes = bytes + #entry end
  budget = budget - bytes
  local batch = enter(s, lane, #entries, events, bytes)
  out[#out + 1] = { batch[ID], lane, 1, events, entries }
  return 1
end

-- Reads several notifications at once. Each becomes a batch, because notifications are settled one by one.
local function takeNotifications(s, most, out)
  local entries = read(s, 'f', countFrozenEntries(s, 'f'), math.min(most, WINDOW_MAX - #s.win))
  if #entries == 0 then s.ef = 0; return 0 end
  if hasExpired(s, entries[1]) then return 0 end
  for _, entry in ipairs(entries) do
    out[#out + 1] = { enter(s, 'f', 1, 1, #entry)[ID], 'f', 1, 1, { entry } }
  end
  return #entries
end

-- Takes unsubscribes first. While both lanes hold events, they alternate, with full batches or not. Before a lane's
-- second batch leaves, one lane must be able to fill a batch, because waiting makes batches larger.
local function takeCampaign(s, busy, max, out)
  local mayLeave = false
  for _, lane in ipairs({ 'u', 'f' }) do
    local waiting = s['e' .. lane]
    -- With a size limit, the number of events does not show whether a batch is full.
    if waiting > 0 and (busy[lane] == 0 or waiting >= max or s.size ~= '') then mayLeave = true end
  end
  if not mayLeave then return 0 end
  local first, second = 'u', 'f'
  -- A probe prefers an unsubscribe.
  if s.lane == 'u' and s.bu == 0 then first, second = 'f', 'u' end
  local taken = s['e' .. first] > 0 and takeBatch(s, first, max, out) or 0
  if taken == 0 and not s.expired and s['e' .. second] > 0 then taken = takeBatch(s, second, max, out) end
  if taken > 0 then busy[s.lane] = busy[s.lane] + 1 end
  return taken
end

-- The number of batches of new events and of resends that may leave: up to 'window' of each kind and 'most' in all. The
-- last place stays free for the other kind. While the breaker is not closed, one batch in all.
local function places(s, window, most, fresh, due)
  local room = (s.bu > 0 and 1 or most) - fresh - due
  local forFresh, forDue = math.min(window - fresh, room), math.min(window - due, room)
  if s.bu == 0 and most > 1 then
    if forFresh == room and room > 0 and due == 0 and redis.call('SCARD', K .. 'xs:' .. s.d) > 0 then
      forFresh = forFresh - 1
    end
    if forDue == room and fresh == 0 then forDue = forDue - 1 end
  end
  return forFresh, forDue
end

local function freeze(s, window, most, max, out)
  if s.paused > NOW or s.drop > 0 then return end
  local busy = { f = 0, u = 0, x = 0 }
  for _, batch in ipairs(s.win) do if batch[SETTLED] == 0 then busy[batch[LANE]] = busy[batch[LANE]] + 1 end end
  if s.bu > 0 then max = 1 end
  local parked = s.bu > NOW
  while budget > 0 and not s.expired do
    local forFresh, forDue = places(s, window, most, busy.f + busy.u, busy.x)
    if parked or #s.win >= WINDOW_MAX then forFresh = 0 end
    if forDue > 0 and not holdsDue(s) then forDue = 0 end
    local taken = 0
    if forDue > 0 and s.turn ~= 'x' and takeDue(s, out) then
      taken, busy.x = 1, busy.x + 1
    elseif forFresh > 0 and CAMPAIGN then
      taken = takeCampaign(s, busy, max, out)
    elseif forFresh > 0 and s.ef > 0 then
      taken = takeNotifications(s, forDue > 0 and 1 or forFresh, out)
      busy.f = busy.f + taken
    end
    if taken == 0 and forDue > 0 and takeDue(s, out) then taken, busy.x = 1, busy.x + 1 end
    if taken == 0 then return end
  end
end
