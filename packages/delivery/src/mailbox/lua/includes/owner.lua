-- Claims and releases mailboxes. An owner's token is `<worker>_<number of the claim>`. A worker whose lease has ended
-- claims nothing: the search for its mailboxes (takeover.lua) may have passed the place of a new claim.
--- @include state
--- @constants LEASE_MS, OWNER_AT
-- Whether a worker has a lease. One that has sent no heartbeat yet gets one, because nobody would notice its death.
local function mayClaim(w)
  local till = call('ZSCORE', K .. 'workers', w)
  if not till then call('ZADD', K .. 'workers', NOW + LEASE_MS, w) end
  return not till or tonumber(till) > NOW
end

local function endPause()
  s.pausedUntilMs, s.pausedBy = 0, 0
  call('ZREM', K .. 'paused', s.destination)
end

local function claim(token)
  s.status, s.owner = OWNED, token
  if s.parkedUntilMs > 0 or s.pausedUntilMs > 0 then call('ZREM', K .. 'parked', s.destination) end
  if s.pausedUntilMs > 0 and s.pausedUntilMs <= NOW then endPause() end
end

local function release(status) s.status, s.owner = status, '' end

-- The ready lists, where workers take mailboxes. Proven destinations have a separate list, so that receivers that hang
-- do not delay them.
local function pushReady()
  local isFirst = call('RPUSH', K .. (s.isProven and 'proven' or 'ready'), s.destination) == 1
  if isFirst then call('PUBLISH', K .. 'ready', '1') end
end

local function queueReady()
  if s.status == READY then return end
  release(READY)
  pushReady()
end

-- The same, unless a worker owns it. That worker sees what has changed with its next step.
local function makeReady()
  if s.status ~= OWNED then queueReady() end
end

-- Loads each of a page of the live mailboxes that the worker owns, and calls `visit`. Returns the cursor of the next
-- page.
local function visitOwned(w, cursor, size, visit)
  local page, prefix = call('HSCAN', K .. 'live', cursor, 'COUNT', size), w .. '_'
  for i = 1, #page[2], 2 do
    local destination, text = page[2][i], page[2][i + 1]
    if pending[destination] ~= nil then text = pending[destination] end
    if text and find(text, prefix, OWNER_AT, true) == OWNER_AT then
      load(destination, text)
      visit()
    end
  end
  return page[1]
end
