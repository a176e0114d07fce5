-- Sums per account, packed in the hash `P sums` (../../layout.ts has their fields): undelivered events, the bytes of
-- mailboxes, resends and dead letters, and the events and bytes of queued chunks. `P overfull` has the accounts with
-- more events than the limit, where publishers refuse more, and `P heavy` those with more than 1 MB, by their bytes.
--- @include base
--- @include violations
local HEAVY_BYTES = 1000000
-- The accounts that this call counts, and by account the changes. `tables` keeps the tables from one call to the next.
local accounts, changes
local tables = {}
onCall(function() changes = nil end)

local function changesOf(account)
  if not changes then accounts, changes = {}, {} end
  local change = changes[account]
  if change then return change end
  local i = #accounts + 1
  change = tables[i] or {}
  --- @clear SUMS change
  tables[i], accounts[i], changes[account] = change, account, change
  return change
end

-- Counts undelivered events, and bytes, that an account has more or less.
local function count(account, moreEvents, moreBytes)
  local change = changesOf(account)
  change.events, change.bytes = change.events + moreEvents, change.bytes + moreBytes
end

-- The same for queued chunks.
local function countQueued(account, moreEvents, moreBytes)
  local change = changesOf(account)
  change.queuedEvents, change.queuedBytes = change.queuedEvents + moreEvents, change.queuedBytes + moreBytes
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
  if not changes then return end
  local most, kept, ended = tonumber(call('GET', P .. 'waiting-max') or math.huge), {}, {}
  for i, old in ipairs(call('HMGET', P .. 'sums', unpack(accounts))) do
    local account, events, bytes, queuedEvents, queuedBytes = accounts[i], 0, 0, 0, 0
    if old then
      --- @parse SUMS - old
    end
    local change, eventsBefore, bytesBefore = changes[account], events + queuedEvents, bytes + queuedBytes
    events, bytes = events + change.events, bytes + change.bytes
    queuedEvents, queuedBytes = queuedEvents + change.queuedEvents, queuedBytes + change.queuedBytes
    if min(events, bytes, queuedEvents, queuedBytes) < 0 then
      violation('negative-sum', account)
      events, bytes = max(0, events), max(0, bytes)
      queuedEvents, queuedBytes = max(0, queuedEvents), max(0, queuedBytes)
    end
    if events + bytes + queuedEvents + queuedBytes > 0 then
      kept[#kept + 1] = account
      kept[#kept + 1] = --- @pack SUMS -
    elseif old then
      ended[#ended + 1] = account
    end
    noteLimits(account, eventsBefore, events + queuedEvents, bytesBefore, bytes + queuedBytes, most)
  end
  if #kept > 0 then call('HSET', P .. 'sums', unpack(kept)) end
  if #ended > 0 then call('HDEL', P .. 'sums', unpack(ended)) end
end
