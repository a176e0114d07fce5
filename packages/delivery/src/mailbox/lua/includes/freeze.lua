-- Freezes new events and due resends as batches of the window `s.window`. Freezing happens in place: a batch counts
-- entries at the head of its lane, and nothing is copied.
--- @include resends
local WINDOW_MAX, ATTEMPT_MAX = 32, 65535
-- While others wait, at most one of this many requests and one carries replayed events.
local OTHERS_PER_REPLAY = 3
-- The number of the worker's call, and what the call sends: the entries or the fields of each batch, in the order of
-- the batches.
local callNumber, contents
onCall(function() callNumber, contents = '0', {} end)

local function addContents(list)
  for i = 1, #list do contents[#contents + 1] = list[i] end
end

-- Adds the fields of a resend: body, time of acceptance, webhook-id, step, search, trace contexts.
local function addResendContents(b)
  local key = K .. 'x:' .. b.id
  local x = call('HMGET', key, 'body', 'acceptedAt', 'webhookId', 'step', 'search', 'traces', 'shape')
  call('HSET', key, 'attempt', b.attempt)
  b.shape = tonumber(x[7] or s.shape)
  b.bytes = #(x[1] or '')
  budget = budget - b.bytes
  for i = 1, 6 do contents[#contents + 1] = x[i] or '' end
end

-- Adds a batch to the window. A new id contains the number of the call, so that no other call gives it to other
-- events, even after lost writes. `first`: the first entry of new events, which shows the shape of the request.
local function enter(lane, entries, events, bytes, first, id, attempt)
  s.sinceReplay = lane == 'r' and 0 or s.replayed > 0 and min(255, s.sinceReplay + 1) or 0
  s.batches = s.batches + 1
  local b = s.window[s.batches] or {}
  s.window[s.batches] = b
  if not id then
    s.frozen = s.frozen + 1
    id = s.owner .. '_' .. callNumber .. '_' .. s.frozen
  end
  b.lane, b.isSettled, b.id = lane, false, id
  b.entries, b.events, b.attempt, b.bytes = entries, events, attempt or 1, bytes
  if first then b.shape = select(2, kindOf(first)) end
  return b
end

-- Moves the oldest due resend into the window. Returns the number taken.
local function takeDue()
  while s.dueResends > 0 do
    s.dueResends = s.dueResends - 1
    local id = call('LPOP', K .. 'q:' .. s.destination)
    local x = id and call('HMGET', K .. 'x:' .. id, 'attempt', 'events')
    if x and x[1] then
      addResendContents(enter('x', 0, tonumber(x[2]), 0, nil, id, min(tonumber(x[1]) + 1, ATTEMPT_MAX)))
      s.wasResendLast = true
      return 1
    end
  end
  return 0
end

-- The number of events of an entry that fit into a body, at least one. An event costs its bytes and six more (see
-- `bodyBytes` in packages/core).
local function fitting(entry, bytesMax)
  local n, pos = 0, 0
  repeat
    pos = find(entry, '\n', pos + 1, true)
    if not pos or pos + 5 * (n + 1) > bytesMax then return max(1, n) end
    n = n + 1
  until false
end

-- The entries after position `from` for a batch of at most `batchMax` events and 1 MiB (or the destination's size
-- limit), their events and their bytes. Splits an entry that is too large alone. A request holds events of one version,
-- and notifications of version 1 leave alone.
local function gather(lane, from, batchMax)
  local bytesMax = tonumber(string.match(s.size, '^%d+')) or BATCH_BYTES_MAX
  local waiting = s[FIELD_OF[lane]]
  -- An entry holds up to 100 events, so few of them fill a small batch.
  local list, events, bytes, step, kind = {}, 0, 0, min(20, waiting, max(1, math.floor(batchMax / 50))), nil
  while events < waiting do
    local some = read(lane, from + #list, step)
    for _, entry in ipairs(some) do
      local n, own = eventsOf(entry), kindOf(entry, lane)
      if kind and (own ~= kind or own == 'n') then return list, events, bytes end
      kind = own
      if events + n > batchMax or bytes + #entry + 5 * (events + n) > bytesMax then
        if #list > 0 then return list, events, bytes end
        local fits = min(batchMax, n)
        if #entry + 5 * n > bytesMax then fits = min(fits, fitting(entry, bytesMax)) end
        if fits < n then
          local first = split(lane, from, fits)
          return { first }, fits, #first
        end
      end
      list[#list + 1] = entry
      events, bytes = events + n, bytes + #entry
    end
    if #some < step or events >= batchMax then break end
    step = max(1, min(1000, math.ceil((min(batchMax, waiting) - events) * #list / events)))
  end
  return list, events, bytes
end

local function frozenEntries(lane)
  local n = 0
  for i = 1, s.batches do if s.window[i].lane == lane then n = n + s.window[i].entries end end
  return n
end

-- Whether the entries may leave: not if the first one has waited too long, which the mailbox remembers.
local function mayLeave(lane, list)
  if not list[1] then
    violation('missing-entries', s.destination)
    local field = FIELD_OF[lane]
    s[field], s.found = 0, s.found - s[field]
    return false
  end
  s.isExpired = isTooOld(list[1])
  return not s.isExpired
end

local function served(lane, list, events, bytes)
  local field = FIELD_OF[lane]
  s[field] = max(0, s[field] - events)
  s.wasResendLast = false
  if lane ~= 'r' then s.lastLane = lane end
  budget = budget - bytes
  addContents(list)
end

local function takeBatch(lane, batchMax)
  if s[FIELD_OF[lane]] == 0 then return 0 end
  local list, events, bytes = gather(lane, frozenEntries(lane), batchMax)
  if not mayLeave(lane, list) then return 0 end
  enter(lane, #list, events, bytes, list[1])
  served(lane, list, events, bytes)
  return 1
end

-- Takes up to `places` events of a lane at once. Each becomes a batch, because they are settled one by one. An entry of
-- several events, from before the shape changed, is split.
local function takeSingles(lane, places)
  local waiting, from = s[FIELD_OF[lane]], frozenEntries(lane)
  if waiting == 0 then return 0 end
  local list = read(lane, from, min(places, WINDOW_MAX - s.batches, waiting))
  if not mayLeave(lane, list) then return 0 end
  local taken, bytes = {}, 0
  for i, entry in ipairs(list) do
    if eventsOf(entry) > 1 then
      if i > 1 then break end
      entry = split(lane, from, 1)
    end
    enter(lane, 1, 1, #entry, entry)
    taken[i], bytes = entry, bytes + #entry
    if entry ~= list[i] then break end
  end
  served(lane, taken, #taken, bytes)
  return #taken
end

-- Takes up to `places` single events, or one batch. Takes the lane that overtakes first. While both lanes hold events,
-- they alternate. Before a lane's second batch leaves, a lane must be able to fill a batch, because waiting makes
-- batches larger.
--
-- Replayed events leave while nothing else waits, or after OTHERS_PER_REPLAY other requests. Returns the number taken
-- and their lane.
local function takeNew(busy, batchMax, places, areOthersDue)
  local isSingle = s.maxEvents == 1
  local function isFullOrFirst(lane)
    -- With a size limit, the number of events does not show whether a batch is full.
    local waiting = s[FIELD_OF[lane]]
    return waiting > 0 and (isSingle or busy[lane] == 0 or waiting >= batchMax or s.size ~= '')
  end
  local function takeFrom(lane, most)
    return isSingle and takeSingles(lane, most) or not isSingle and takeBatch(lane, batchMax) or 0
  end
  local areOthersWaiting = areOthersDue or s.fresh + s.unsubscribes > 0
  if isFullOrFirst('r') and (not areOthersWaiting or s.sinceReplay >= OTHERS_PER_REPLAY) then
    local taken = takeFrom('r', areOthersWaiting and 1 or places)
    if taken > 0 or s.isExpired then return taken, 'r' end
  end
  if not (isFullOrFirst('u') or isFullOrFirst('f')) then return 0, 'f' end
  local first, second = 'u', 'f'
  -- A probe prefers an unsubscribe.
  if s.lastLane == 'u' and s.parkedUntilMs == 0 then first, second = 'f', 'u' end
  local taken = takeFrom(first, places)
  if taken == 0 and not s.isExpired then taken = takeFrom(second, places) end
  return taken, s.lastLane
end

-- The number of batches of new events and of resends that may leave: up to `window` of each kind and `most` in all. The
-- last place stays free for the other kind. While the breaker is not closed, one batch in all.
local function freePlaces(window, most, busy)
  local fresh, due = busy.f + busy.u + busy.r, busy.x
  local room = (s.parkedUntilMs > 0 and 1 or most) - fresh - due
  local forFresh, forDue = min(window - fresh, room), min(window - due, room)
  if s.parkedUntilMs == 0 and most > 1 then
    if forFresh == room and room > 0 and due == 0 and s.resends > 0 then forFresh = forFresh - 1 end
    if forDue == room and fresh == 0 then forDue = forDue - 1 end
  end
  if s.parkedUntilMs > NOW or s.batches >= WINDOW_MAX or newEvents() == 0 then forFresh = 0 end
  if s.dueResends == 0 then forDue = 0 end
  return forFresh, forDue
end

-- Freezes what may leave now, for an owner. `most` and `batchMax` are the worker's limits: of batches in flight, and of
-- events per batch. The destination has its own.
local function freeze(window, most, batchMax)
  most, batchMax = min(most, s.concurrency), min(batchMax, s.maxEvents)
  if s.pausedUntilMs > NOW or s.giveUpUntilMs > 0 or newEvents() + s.dueResends == 0 then return end
  local busy = { f = 0, u = 0, r = 0, x = 0 }
  for i = 1, s.batches do
    local b = s.window[i]
    if not b.isSettled then busy[b.lane] = busy[b.lane] + 1 end
  end
  if s.parkedUntilMs > 0 then batchMax = 1 end
  while budget > 0 and not s.isExpired do
    local forFresh, forDue = freePlaces(window, most, busy)
    local taken = 0
    if forDue > 0 and not s.wasResendLast then
      taken = takeDue()
      busy.x = busy.x + taken
    end
    if taken == 0 and forFresh > 0 then
      local lane
      taken, lane = takeNew(busy, batchMax, forDue > 0 and 1 or forFresh, forDue > 0)
      busy[lane] = busy[lane] + taken
    end
    if taken == 0 and forDue > 0 then
      taken = takeDue()
      busy.x = busy.x + taken
    end
    if taken == 0 or newEvents() + s.dueResends == 0 then return end
  end
end

-- Sends the batches in flight of an earlier owner, or of a lost reply, again. The attempt of each grows by one.
-- `known`: the ids of the batches that the caller still has.
local function resendInFlight(known)
  local at = { f = 0, u = 0, r = 0 }
  for i = 1, s.batches do
    local b = s.window[i]
    if not b.isSettled and not known[b.id] then
      b.attempt = min(b.attempt + 1, ATTEMPT_MAX)
      if b.lane == 'x' then
        addResendContents(b)
      else
        local list = read(b.lane, at[b.lane], b.entries)
        if #list < b.entries then
          violation('missing-entries', s.destination)
          b.isSettled, b.entries, s.found = true, #list, s.found - b.events
        else
          addContents(list)
          budget = budget - b.bytes
        end
      end
    end
    if b.lane ~= 'x' then at[b.lane] = at[b.lane] + b.entries end
  end
end
