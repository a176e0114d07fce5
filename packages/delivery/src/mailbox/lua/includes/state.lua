-- The state of a mailbox and the record of its destination. The state is one packed text in the hash `K live`, which
-- is there while the mailbox has something to send, to wait for or to remember. The record is one packed text in the
-- hash `K records`, which the api writes. ../README.md describes both, ../../state.ts and ../../records.ts read them.
-- Every command loads a mailbox into the table `s`, changes it, and saves it. The writes of a call are collected, and
-- each hash gets one command at the end (run.lua).
--- @include base
--- @include clock
--- @constants IDLE, READY, OWNED, WAITING
--- @constants UNKNOWN, ACTIVE, INACTIVE, GONE, DELETED
--- @constants BACKLOG_MS
-- Status, record, last lane (1: u), whether a resend was served last, whether it is proven, which parts follow (RARE,
-- LISTED), unfrozen events of the lanes f and u, version and revision of the record, since when it holds events, the
-- owner's token, the first entry of lane f, and the number of batches.
local HEAD = '>BBBBBBI4I4I4I4I6Bc0I2c0B'
local F_AT, U_AT, SINCE_AT, OWNER_AT = 7, 11, 23, 30
-- Lane, whether it is settled, entries, events, attempt, bytes, id.
local BATCH = '>c1BI2I2I2I4Bc0'
-- Due resends, all resends, failures in a row, parking in ms, parked until, paused until, by whom, events given up
-- until, size limit, position of "send now", last error.
local RARE = '>I4I4I2I4I6I6BI6Bc0Bc0I2c0'
local HAS_RARE, IS_LISTED = 1, 2
-- What it is (UNKNOWN to DELETED), proven, version, revision; then account, address and reason; then the credentials.
local RECORD, RECORD_TEXTS = '>BBI4I4', '>I2c0I2c0I2c0'
local TEXTS_AT = 11

local s
-- By destination the states that this call has changed, false for none. `order`: the destinations.
local pending, order
onCall(function()
  s, pending, order = { win = {} }, {}, {}
end)

local function noRare()
  s.due, s.kept, s.failures, s.park, s.parkedUntil, s.pausedUntil, s.pausedBy, s.drop = 0, 0, 0, 0, 0, 0, 0, 0
  s.size, s.sendNow, s.error = '', '', ''
end

-- Makes `s` the mailbox of a destination. `text`: its state, or nil. `record`: its record, if it has no state.
local function load(d, text, record)
  s.d, s.frozen, s.isExpired, s.settled, s.freed = d, 0, false, 0, 0
  if not text then
    s.status, s.last, s.turn, s.listed, s.f, s.u, s.since, s.owner, s.head, s.n = IDLE, 0, 0, false, 0, 0, 0, '', '', 0
    s.record, s.proven, s.version, s.revision = UNKNOWN, 0, 0, 0
    if record then s.record, s.proven, s.version, s.revision = struct.unpack(RECORD, record) end
    return noRare()
  end
  local parts, at
  s.status, s.record, s.last, s.turn, s.proven, parts, s.f, s.u, s.version, s.revision, s.since, s.owner, s.head, s.n,
    at = struct.unpack(HEAD, text)
  s.listed = parts >= IS_LISTED
  for i = 1, s.n do
    local b = s.win[i] or {}
    s.win[i] = b
    b.lane, b.settled, b.entries, b.events, b.attempt, b.bytes, b.id, at = struct.unpack(BATCH, text, at)
  end
  if parts % 2 == 0 then return noRare() end
  s.due, s.kept, s.failures, s.park, s.parkedUntil, s.pausedUntil, s.pausedBy, s.drop, s.size, s.sendNow, s.error =
    struct.unpack(RARE, text, at)
end

-- Loads one mailbox. Commands for many destinations read them together instead.
local function open(d)
  local text = pending[d]
  if text == nil then text = redis.call('HGET', K .. 'live', d) end
  load(d, text or nil, not text and redis.call('HGET', K .. 'records', d) or nil)
end

local function note(text)
  if pending[s.d] == nil then order[#order + 1] = s.d end
  pending[s.d] = text
end

-- Keeps the time since when the mailbox holds events. After BACKLOG_MS, or while it waits, it is in `K backlog`, where
-- the oldest are found.
local function saveAge()
  if s.f + s.u == 0 and s.n == 0 then
    if s.listed then redis.call('ZREM', K .. 'backlog', s.d) end
    s.since, s.listed = 0, false
    return
  end
  if s.since == 0 then s.since = NOW end
  if s.listed or s.status ~= WAITING and NOW - s.since < BACKLOG_MS then return end
  redis.call('ZADD', K .. 'backlog', s.since, s.d)
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
  local text = struct.pack(HEAD, s.status, s.record, s.last, s.turn, s.proven,
    (isRare and HAS_RARE or 0) + (s.listed and IS_LISTED or 0), s.f, s.u, s.version, s.revision, s.since,
    #s.owner, s.owner, #s.head, s.head, s.n)
  for i = 1, s.n do
    local b = s.win[i]
    text = text .. struct.pack(BATCH, b.lane, b.settled, b.entries, b.events, b.attempt, b.bytes, #b.id, b.id)
  end
  if isRare then
    text = text .. struct.pack(RARE, s.due, s.kept, s.failures, s.park, s.parkedUntil, s.pausedUntil, s.pausedBy,
      s.drop, #s.size, s.size, #s.sendNow, s.sendNow, #s.error, s.error)
  end
  note(text)
  return text
end
