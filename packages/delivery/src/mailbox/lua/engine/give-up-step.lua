--- @flags allow-oom
-- Gives up the events of an inactive or deleted destination, events that an operator gave up, or expired events. One
-- call gives up at most 1,000 events and 1 MiB per lane, or 100 resends. Events of a deleted destination are deleted,
-- others become dead letters.
--
-- ARGV: destination, token ('' for a mailbox without an owner), prefix of the dead letters' ids, age in ms of expired
-- events ('' for all), reason.
-- Reply: 'refused', or {more to do, dead events, deleted events, {{dead letter, events, attempts}...}, {account,
-- reason}}.
--- @include run
--- @include finish
--- @include settle
--- @include records
--- @constants OPERATOR_REASON
open(ARGV[1])
if s.owner ~= ARGV[2] or countInFlight() > 0 then return 'refused' end
local before = ARGV[4] ~= '' and NOW - tonumber(ARGV[4]) or nil
local target = readTarget(s.destination) or { account = '', address = '', reason = '' }
local account, address = target.account, target.address
local isByOperator = not before and s.record == ACTIVE and s.giveUpUntilMs > 0
local why = ARGV[5] ~= '' and ARGV[5] or (isByOperator and OPERATOR_REASON or target.reason)
local cutoff = before or isByOperator and s.giveUpUntilMs + 1
-- The destination was activated after the reply 'give up'. Its events stay.
if not before and s.record <= ACTIVE and not isByOperator then return { 0, 0, 0, {}, { account, why } } end
local dead, discarded, deadLetters, number = 0, 0, {}, 0

-- Returns the id of a new dead letter, adds it to the reply, and adds its events to `dead`. The caller writes the dead
-- letter. The prefix is unique, but a cluster's client may repeat the call, which must not overwrite a dead letter.
local function reserveDeadLetterId(events, attempts)
  local id
  repeat
    number = number + 1
    id = ARGV[3] .. number
  until call('EXISTS', K .. 'dl:' .. id) == 0
  deadLetters[#deadLetters + 1] = { id, events, attempts }
  dead = dead + events
  return id
end

local function discard(events, bytes)
  discarded = discarded + events
  count(account, -events, -bytes)
end

-- Gives up a resend. Its record is renamed to become the dead letter, so that its body of up to 1 MiB is not copied.
local function giveUpResend(id)
  local key, isDeleted = K .. 'x:' .. id, s.record == DELETED
  local x = call('HMGET', key, 'events', 'attempt', 'redriven')
  local events, attempts, bytes = tonumber(x[1] or 0), tonumber(x[2]), call('HSTRLEN', key, 'body')
  if events > 0 and roomInLog() then
    local kept = call('HMGET', key, 'webhookId', 'body', 'traces')
    local sent = sentOf(kept[1] or '', { kept[2] or '' }, kept[3])
    noteOutcome(isDeleted and 'discarded' or 'dead', account, attempts, sent)
  end
  if x[3] then countRedriven(account, isDeleted and 'events' or 'failed', isDeleted and -events or events) end
  if events > 0 and isDeleted then
    discard(events, bytes)
  elseif events > 0 then
    local deadLetter = reserveDeadLetterId(events, attempts)
    call('HDEL', key, 'step', 'search', 'attempt', 'redriven')
    call('RENAME', key, K .. 'dl:' .. deadLetter)
    keepDeadLetter(deadLetter, account, address, events, bytes, attempts, why, { 'type', 'batch' })
  end
  removeResend(id)
end

-- The first entries of a lane that one call gives up, of one version, their events, their bytes and their shape.
local function oldestEntries(lane)
  local list, events, bytes, kind, shape = {}, 0, 0, nil, nil
  while true do
    -- A few at a time, because an entry may hold a hundred events.
    local some = read(lane, #list, 20)
    for _, entry in ipairs(some) do
      local n, own, ownShape = eventsOf(entry), kindOf(entry, lane)
      local isTooYoung = cutoff and tonumber(sub(entry, 1, 8), 36) >= cutoff
      local isFull = events + n > 1000 or #list > 0 and bytes + #entry > BATCH_BYTES_MAX
      if isTooYoung or isFull or kind and own ~= kind then return list, events, bytes, shape end
      kind, shape = own, ownShape
      list[#list + 1], events, bytes = entry, events + n, bytes + #entry
    end
    if #some < 20 then return list, events, bytes, shape end
  end
end

local function giveUpOldest(lane)
  local list, events, bytes, shape = oldestEntries(lane)
  if #list == 0 then return false end
  removeFirst(lane, #list)
  local field = FIELD_OF[lane]
  s[field] = max(0, s[field] - events)
  if roomInLog() then noteOutcome(s.record == DELETED and 'discarded' or 'dead', account, 0, sentOfEntries(list)) end
  if s.record == DELETED then
    discard(events, bytes)
  else
    local deadLetter = reserveDeadLetterId(events, 0)
    keepDeadLetter(deadLetter, account, address, events, bytes, 0, why,
      { 'type', 'entries', 'lane', lane, 'shape', shape })
    call('RPUSH', K .. 'dlm:' .. deadLetter, unpack(list))
    call('PEXPIRE', K .. 'dlm:' .. deadLetter, DEAD_LETTER_RECORDS_KEPT_MS)
  end
  return true
end

local more = false
run(function()
  trim()
  if not before then
    local ids = call('SRANDMEMBER', K .. 'xs:' .. s.destination, 100)
    for _, id in ipairs(ids) do giveUpResend(id) end
    more = #ids > 0
    if #ids == 0 then
      call('DEL', K .. 'q:' .. s.destination)
      s.dueResends = 0
    end
  end
  for _, lane in ipairs(more and {} or { 'u', 'f', 'r' }) do
    if giveUpOldest(lane) then more = true end
  end
  if isByOperator and not more then s.giveUpUntilMs = 0 end
  save()
end)
return { more and 1 or 0, dead, discarded, deadLetters, { account, why } }
