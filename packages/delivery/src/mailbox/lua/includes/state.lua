-- The state of a mailbox and the record of its destination. The state is one packed text in the hash `K live`, which
-- is there while the mailbox has something to send, to wait for or to remember. The record is in two hashes: what every
-- append needs in `K records`, and what only a request needs in `K targets`. ../../layout.ts has their fields.
-- Every command loads a mailbox into the table `s`, changes it, and saves it. The writes of a call are collected, and
-- each hash gets one command at the end (run.lua).
--- @include base
--- @include clock
--- @constants IDLE, READY, OWNED, WAITING
--- @constants UNKNOWN, ACTIVE, INACTIVE, GONE, DELETED
--- @constants BACKLOG_MS
-- By the lane, the field with its unfrozen events.
local FIELD_OF = { f = 'fresh', u = 'unsubscribes', r = 'replayed' }

-- `window` keeps its tables from one mailbox to the next; the first `s.batches` count.
local s = { window = {} }
-- By destination the states that this call has changed, false for none, and the destinations in order.
local pending, order
-- What else the call writes: new first entries, destinations without one any more, and records, as arguments.
local heads, headless, records
onCall(function() pending, order, heads, headless, records = {}, {}, {}, {}, {} end)

local function clearRare()
  --- @clear RARE s
end

-- The events of all lanes that are not frozen.
local function newEvents() return s.fresh + s.unsubscribes + s.replayed end

-- Makes `s` the mailbox of a destination. `text`: its state, or nil. `record`: its record, if it has no state.
-- `s.found`: events that the mailbox has more than its state said, or fewer (violations.lua).
local function load(destination, text, record)
  s.destination, s.frozen, s.isExpired, s.settled, s.freed, s.found, s.head = destination, 0, false, 0, 0, 0, nil
  if not text then
    --- @clear HEAD s
    if record then
      --- @parse RECORD s record
    end
    return clearRare()
  end
  local at
  --- @parse HEAD s text 1 at
  for i = 1, s.batches do
    local b = s.window[i] or {}
    s.window[i] = b
    --- @parse BATCH b text at at
  end
  if not s.hasRare then return clearRare() end
  --- @parse RARE s text at
end

-- Loads one mailbox. Commands for many destinations read them together instead.
local function open(destination)
  local text = pending[destination]
  if text == nil then text = call('HGET', K .. 'live', destination) end
  load(destination, text or nil, not text and call('HGET', K .. 'records', destination) or nil)
end

local function note(text)
  if pending[s.destination] == nil then order[#order + 1] = s.destination end
  pending[s.destination] = text
end

-- Keeps the time since when the mailbox holds events. It is in `K backlog`, where the oldest are found, after
-- BACKLOG_MS, or if no worker will take it now.
local function saveAge()
  if newEvents() == 0 and s.batches == 0 then
    if s.isListed then call('ZREM', K .. 'backlog', s.destination) end
    s.holdsEventsSinceMs, s.isListed = 0, false
    return
  end
  if s.holdsEventsSinceMs == 0 then s.holdsEventsSinceMs = NOW end
  local isServed = s.status == READY or s.status == OWNED
  if s.isListed or isServed and NOW - s.holdsEventsSinceMs < BACKLOG_MS then return end
  call('ZADD', K .. 'backlog', s.holdsEventsSinceMs, s.destination)
  s.isListed = true
end

-- Saves `s` and returns its text, '' for a mailbox that needs none.
local function save()
  saveAge()
  local hasRare = --- @any RARE s
  s.hasRare = hasRare
  if s.status == IDLE and not hasRare and s.holdsEventsSinceMs == 0 then
    note(false)
    return ''
  end
  local text = --- @pack HEAD s
  for i = 1, s.batches do
    local b = s.window[i]
    text = text .. --- @pack BATCH b
  end
  if hasRare then
    text = text .. --- @pack RARE s
  end
  note(text)
  return text
end
