-- The state of a mailbox and the record of its destination. The state is one packed text in the hash `K live`, which
-- is there while the mailbox has something to send, to wait for or to remember. The record is in two hashes: what every
-- append needs in `K records`, and what only a request needs in `K targets`. ../README.md describes them, and
-- ../../state.ts and ../../records.ts read them.
-- Every command loads a mailbox into the table `s`, changes it, and saves it. The writes of a call are collected, and
-- each hash gets one command at the end (run.lua).
--- @include base
--- @include clock
--- @constants IDLE, READY, OWNED, WAITING
--- @constants UNKNOWN, ACTIVE, INACTIVE, GONE, DELETED
--- @constants BACKLOG_MS
-- Status, record, last lane (1: u), whether a resend was served last, whether it is proven, which parts follow (RARE,
-- LISTED, WITH_HEAD), unfrozen events of the lanes f and u, version and revision of the record, since when it holds
-- events, the owner's token, and the number of batches.
local HEAD = '>BBBBBBI4I4I6I4I6Bc0B'
local F_AT, U_AT, SINCE_AT, OWNER_AT = 7, 11, 25, 32
-- Lane, whether it is settled, entries, events, attempt, bytes, id.
local BATCH = '>c1BI2I2I2I4Bc0'
-- Due resends, all resends, failures in a row, parking in ms, parked until, paused until, by whom, events given up
-- until, size limit, position of "send now", last error.
local RARE = '>I4I4I2I4I6I6BI6Bc0Bc0I2c0'
local HAS_RARE, IS_LISTED, HAS_HEAD = 1, 2, 4
-- What it is (UNKNOWN to DELETED), proven, version, revision.
local RECORD = '>BBI6I4'

-- `win` keeps its tables from one mailbox to the next; the first `s.n` count.
local s = { win = {} }
-- By destination the states that this call has changed, false for none, and the destinations in order.
local pending, order
-- What else the call writes: new first entries, destinations without one any more, and records, as arguments.
local heads, headless, records
onCall(function() pending, order, heads, headless, records = {}, {}, {}, {}, {} end)

local function noRare()
  s.due, s.kept, s.failures, s.park, s.parkedUntil, s.pausedUntil, s.pausedBy, s.drop = 0, 0, 0, 0, 0, 0, 0, 0
  s.size, s.sendNow, s.error = '', '', ''
end

-- Makes `s` the mailbox of a destination. `text`: its state, or nil. `record`: its record, if it has no state.
-- `s.found`: events that the mailbox has more than its state said, or fewer (violations.lua).
local function load(d, text, record)
  s.d, s.frozen, s.isExpired, s.settled, s.freed, s.found = d, 0, false, 0, 0, 0
  if not text then
    s.status, s.last, s.turn, s.listed, s.hasHead, s.head = IDLE, 0, 0, false, false, nil
    s.f, s.u, s.since, s.owner, s.n = 0, 0, 0, '', 0
    s.record, s.proven, s.version, s.revision = UNKNOWN, 0, 0, 0
    if record then s.record, s.proven, s.version, s.revision = parse(RECORD, record) end
    return noRare()
  end
  local parts, at
  s.status, s.record, s.last, s.turn, s.proven, parts, s.f, s.u, s.version, s.revision, s.since, s.owner, s.n, at =
    parse(HEAD, text)
  s.hasHead, s.head = parts >= HAS_HEAD, nil
  s.listed = parts % HAS_HEAD >= IS_LISTED
  for i = 1, s.n do
    local b = s.win[i] or {}
    s.win[i] = b
    b.lane, b.settled, b.entries, b.events, b.attempt, b.bytes, b.id, at = parse(BATCH, text, at)
  end
  if parts % 2 == 0 then return noRare() end
  s.due, s.kept, s.failures, s.park, s.parkedUntil, s.pausedUntil, s.pausedBy, s.drop, s.size, s.sendNow, s.error =
    parse(RARE, text, at)
end

-- Loads one mailbox. Commands for many destinations read them together instead.
local function open(d)
  local text = pending[d]
  if text == nil then text = call('HGET', K .. 'live', d) end
  load(d, text or nil, not text and call('HGET', K .. 'records', d) or nil)
end

local function note(text)
  if pending[s.d] == nil then order[#order + 1] = s.d end
  pending[s.d] = text
end

-- Keeps the time since when the mailbox holds events. It is in `K backlog`, where the oldest are found, after
-- BACKLOG_MS, or if no worker will take it now.
local function saveAge()
  if s.f + s.u == 0 and s.n == 0 then
    if s.listed then call('ZREM', K .. 'backlog', s.d) end
    s.since, s.listed = 0, false
    return
  end
  if s.since == 0 then s.since = NOW end
  local isServed = s.status == READY or s.status == OWNED
  if s.listed or isServed and NOW - s.since < BACKLOG_MS then return end
  call('ZADD', K .. 'backlog', s.since, s.d)
  s.listed = true
end

-- Saves `s` and returns its text, '' for a mailbox that needs none.
local function save()
  saveAge()
  local isRare = s.kept > 0 or s.due > 0 or s.failures > 0 or s.parkedUntil > 0 or s.pausedUntil > 0 or s.drop > 0
    or s.size ~= '' or s.sendNow ~= ''
  if s.status == IDLE and not isRare and s.since == 0 then
    note(false)
    return ''
  end
  local text = pack(HEAD, s.status, s.record, s.last, s.turn, s.proven,
    (isRare and HAS_RARE or 0) + (s.listed and IS_LISTED or 0) + (s.hasHead and HAS_HEAD or 0), s.f, s.u, s.version,
    s.revision, s.since, #s.owner, s.owner, s.n)
  for i = 1, s.n do
    local b = s.win[i]
    text = text .. pack(BATCH, b.lane, b.settled, b.entries, b.events, b.attempt, b.bytes, #b.id, b.id)
  end
  if isRare then
    text = text .. pack(RARE, s.due, s.kept, s.failures, s.park, s.parkedUntil, s.pausedUntil, s.pausedBy,
      s.drop, #s.size, s.size, #s.sendNow, s.sendNow, #s.error, s.error)
  end
  note(text)
  return text
end
