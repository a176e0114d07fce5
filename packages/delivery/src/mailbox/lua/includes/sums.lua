-- Sums per account, packed in the hash `P sums` (../../sums.ts reads them): undelivered events, the bytes of mailboxes,
-- resends and dead letters, and the events and bytes of queued chunks. `P overfull` has the accounts with more events
-- than the limit, where publishers refuse more, and `P heavy` those with more than 1 MB, by their bytes.
--- @include base
--- @include violations
local SUMS, HEAVY_BYTES = '>I4I6I4I6', 1000000
-- The accounts that this call counts, their places in the lists, and the changes.
local places, accounts, eventChanges, byteChanges, queuedEventChanges, queuedByteChanges
onCall(function() places = nil end)

local function placeOf(account)
  if not places then
    places, accounts = {}, {}
    eventChanges, byteChanges, queuedEventChanges, queuedByteChanges = {}, {}, {}, {}
  end
  local i = places[account]
  if i then return i end
  i = #accounts + 1
  places[account], accounts[i] = i, account
  eventChanges[i], byteChanges[i], queuedEventChanges[i], queuedByteChanges[i] = 0, 0, 0, 0
  return i
end

-- Counts undelivered events, and bytes, that an account has more or less.
local function count(account, moreEvents, moreBytes)
  local i = placeOf(account)
  eventChanges[i], byteChanges[i] = eventChanges[i] + moreEvents, byteChanges[i] + moreBytes
end

-- The same for queued chunks.
local function countQueued(account, moreEvents, moreBytes)
  local i = placeOf(account)
  queuedEventChanges[i], queuedByteChanges[i] = queuedEventChanges[i] + moreEvents, queuedByteChanges[i] + moreBytes
end

local function noteLimits(account, eventsBefore, eventsNow, bytesBefore, bytesNow, most)
  if eventsBefore <= most and eventsNow > most then
    call('SADD', P .. 'overfull', account)
  elseif eventsBefore > most and eventsNow <= most then
    call('SREM', P .. 'overfull', account)
  end
  if bytesNow > HEAVY_BYTES then
    call('ZADD', P .. 'heavy', bytesNow, account)
  elseif bytesBefore > HEAVY_BYTES then
    call('ZREM', P .. 'heavy', account)
  end
end

-- Writes the sums. One that became 0 has no field.
local function writeSums()
  if not places then return end
  local most, kept, ended = tonumber(call('GET', P .. 'waiting-max') or math.huge), {}, {}
  for i, old in ipairs(call('HMGET', P .. 'sums', unpack(accounts))) do
    local account, e, b, qe, qb = accounts[i], 0, 0, 0, 0
    if old then e, b, qe, qb = parse(SUMS, old) end
    if min(e + eventChanges[i], b + byteChanges[i], qe + queuedEventChanges[i], qb + queuedByteChanges[i]) < 0 then
      violation('negative-sum', account)
    end
    local e2, b2 = max(0, e + eventChanges[i]), max(0, b + byteChanges[i])
    local qe2, qb2 = max(0, qe + queuedEventChanges[i]), max(0, qb + queuedByteChanges[i])
    if e2 + b2 + qe2 + qb2 > 0 then
      kept[#kept + 1] = account
      kept[#kept + 1] = pack(SUMS, e2, b2, qe2, qb2)
    elseif old then
      ended[#ended + 1] = account
    end
    noteLimits(account, e + qe, e2 + qe2, b + qb, b2 + qb2, most)
  end
  if #kept > 0 then call('HSET', P .. 'sums', unpack(kept)) end
  if #ended > 0 then call('HDEL', P .. 'sums', unpack(ended)) end
end
