--- @flags allow-oom
-- Gives up the events of an inactive or deleted destination, events that an operator gave up, or expired events. One
-- call gives up at most 1,000 events and 1 MiB per lane, or 100 resends. Events of a deleted destination are deleted,
-- others become dead letters.
--
-- ARGV: destination, token ('' for a destination without an owner), prefix of the dead letters' ids, age in ms of
-- expired events ('' for all), reason.
-- Reply: 'refused', or {more to do, dead events, deleted events, {{dead letter, events, attempts}...}, account,
-- reason}.
--- @include dead-letters
--- @include entries
--- @include forget
--- @include mailbox
--- @include redriven
--- @include resends
--- @include window
--- @constants OPERATOR_REASON
local s = load(ARGV[1])
local before = ARGV[4] ~= '' and NOW - tonumber(ARGV[4]) or nil
if s.owner ~= ARGV[2] or countInFlight(s) > 0 then return 'refused' end
trim(s)
local drop = not before and s.active and s.drop > 0
local why = ARGV[5] ~= '' and ARGV[5] or (drop and OPERATOR_REASON or s.reason)
local cutoff = before or (drop and s.drop + 1)
-- The destination was activated after the reply 'give up'. Its events stay.
if not before and s.active and not drop then return { 0, 0, 0, {}, s.account, why } end
local dead, dropped, deadLetters = 0, 0, {}

-- Returns the id of a new dead letter, adds it to the reply, and adds its events to `dead`. The caller writes the dead
-- letter.
local function reserveDeadLetterId(events, attempts)
  -- The destination counts its dead letters, so that a call repeated by a cluster's client overwrites none. The prefix
  -- is unique, so that the same holds after Redis has lost its last writes.
  local id = ARGV[3] .. redis.call('HINCRBY', K .. 'd:' .. s.d, 'letters', 1)
  deadLetters[#deadLetters + 1] = { id, events, attempts }
  dead = dead + events
  return id
end

-- Gives up a resend. Its record is renamed to become the dead letter, so that its body of up to 1 MiB is not copied. If
-- the destination is deleted, the record is deleted and its events count as dropped.
local function giveUpResend(id)
  local key = K .. 'x:' .. id
  local x = redis.call('HMGET', key, 'events', 'attempt', 'redriven')
  local events = tonumber(x[1] or 0)
  local bytes = redis.call('HSTRLEN', key, 'body')
  if x[3] then countRedriven(s.account, s.deleted and 'events' or 'failed', s.deleted and -events or events) end
  if events > 0 and s.deleted then
    dropped = dropped + events
    addAccountBytes(s.account, -bytes)
    addAccountEvents(s.account, -events)
  elseif events > 0 then
    local deadLetter = reserveDeadLetterId(events, tonumber(x[2]))
    redis.call('HDEL', key, 'step', 'search', 'attempt', 'redriven')
    redis.call('RENAME', key, K .. 'dl:' .. deadLetter)
    keepDeadLetter(s, deadLetter, s.address, events, bytes, tonumber(x[2]), why, { 'type', 'batch' })
  end
  removeResend(s, id)
end

-- The entries at the head of a lane that one call gives up: their number, their events, their bytes, and the entries.
local function readOldestEntries(lane)
  local key, n, events, bytes, group = K .. lane .. ':' .. s.d, 0, 0, 0, {}
  while true do
    -- A few at a time, because an entry may hold a hundred events.
    local some = redis.call('LRANGE', key, n, n + 19)
    for _, entry in ipairs(some) do
      local k = eventsOf(entry)
      local isTooYoung = cutoff and tonumber(string.sub(entry, 1, 8), 36) >= cutoff
      local isFull = events + k > 1000 or (n > 0 and bytes + #entry > BATCH_BYTES_MAX)
      if isTooYoung or isFull then return n, events, bytes, group end
      n, events, bytes, group[n + 1] = n + 1, events + k, bytes + #entry, entry
    end
    if #some < 20 then return n, events, bytes, group end
  end
end

local function giveUpOldest(lane)
  local n, events, bytes, group = readOldestEntries(lane)
  if n == 0 then return false end
  redis.call('LTRIM', K .. lane .. ':' .. s.d, n, -1)
  s['e' .. lane] = math.max(0, s['e' .. lane] - events)
  if s.deleted then
    dropped = dropped + events
    addAccountBytes(s.account, -bytes)
    addAccountEvents(s.account, -events)
  else
    local deadLetter = reserveDeadLetterId(events, 0)
    keepDeadLetter(s, deadLetter, s.address, events, bytes, 0, why, { 'type', 'mail', 'lane', lane })
    redis.call('RPUSH', K .. 'dlm:' .. deadLetter, unpack(group))
    redis.call('PEXPIRE', K .. 'dlm:' .. deadLetter, DEAD_LETTER_RECORDS_KEPT_MS)
  end
  return true
end

local more = false
if not before then
  local ids = redis.call('SRANDMEMBER', K .. 'xs:' .. s.d, 100)
  for _, id in ipairs(ids) do giveUpResend(id) end
  more = #ids > 0
  if #ids == 0 then redis.call('DEL', K .. 'q:' .. s.d) end
end
for _, lane in ipairs(more and {} or { 'u', 'f' }) do
  if giveUpOldest(lane) then more = true end
end
if drop and not more then forget(s, 'drop') end
save(s)
return { more and 1 or 0, dead, dropped, deadLetters, s.account, why }
