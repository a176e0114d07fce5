-- Appends the groups of a chunk to their mailboxes, once per chunk and slice. Claims idle destinations while the worker
-- has room; the others wait on a ready list. An owned destination needs no wake-up, because its owner finds the events.
--
-- The job notes what has been appended, so that the note lives as long as the job. If the job lies in another shard, or
-- its producer may add it again after it is done, the note is a mark of one hour instead.
--
-- ARGV: worker, first claim number, job key ('' when it lies in another shard), mark ('' to note it in the job), slices
-- of the chunk that are appended after this call, batch max, most batches in flight, longest wait of an event in ms,
-- room for proven destinations, room for others; then per group: destination, account, lane, events, number of entries,
-- entries...
-- Reply: 'gone' (the job no longer exists, so its worker was replaced), 'again' (appended before), or {claims used,
-- dropped events, replies (includes/finish.lua), destinations that this worker owns already, claims on the short path
-- (includes/single.lua), number of destinations that were idle}. A claim on the short path is six values: number of the
-- group, number of the claim, address, version, secrets, proven. Its only batch is the group.
--- @include finish
--- @include resend-in-flight
--- @include single
--- @constants MARK_KEPT_S
local GROUPS_AT = 11
-- Most claims on the long path. Such a claim costs several times as much as an append.
local LONG_CLAIMS_MAX = 24

local w, claims, slice = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[5])
if ARGV[3] ~= '' and redis.call('EXISTS', ARGV[3]) == 0 then return 'gone' end
local isInJob, field, mark = ARGV[4] == '', CAMPAIGN and 'appendedC' or 'appendedT', K .. 'mark:' .. ARGV[4]
local done = tonumber(isInJob and redis.call('HGET', ARGV[3], field) or not isInJob and redis.call('GET', mark) or 0)

-- Notes how much is appended. A second run renews the mark.
local function noteProgress()
  if not isInJob then
    redis.call('SET', mark, math.max(done, slice), 'EX', MARK_KEPT_S)
  elseif done < slice then
    redis.call('HSET', ARGV[3], field, slice)
  end
end

if done >= slice then
  noteProgress()
  return 'again'
end

-- Reads the part of the mailbox that an append needs. The whole mailbox is read only if the destination may be claimed.
local function readForAppend(d, state, tally, mayClaim)
  if mayClaim then return load(d) end
  local v = redis.call('HMGET', state, 'owner', 'ready', 'bu', 'deleted', 'version', tally, 'paused', 'proven')
  return {
    d = d, owner = v[1] or '', ready = v[2] == '1', bu = tonumber(v[3] or 0), deleted = v[4] == '1',
    known = v[5] and true or false, [tally] = tonumber(v[6] or 0), paused = tonumber(v[7] or 0), proven = v[8] == '1',
  }
end

local used, dropped, readied, replies, mine, waiting, held = 0, 0, 0, {}, {}, {}, {}
local singles, claimed, busy = {}, {}, {}
local prefix = w .. '_'
local max = tonumber(ARGV[6])
MAX_AGE = tonumber(ARGV[8])
-- By whether the destination is proven.
local room = { [true] = tonumber(ARGV[9]), [false] = tonumber(ARGV[10]) }

-- Appends entries to a lane.
local function push(d, lane, from, to)
  local key, length = K .. lane .. ':' .. d
  for at = from, to, 1000 do length = redis.call('RPUSH', key, unpack(ARGV, at, math.min(to, at + 999))) end
  if length == to - from + 1 then busy[#busy + 1] = d end
end

local function isMine(owner) return string.sub(owner, 1, #prefix) == prefix end

-- Appends to a destination that has an owner or is on a ready list, as nearly every destination with events does. It
-- needs no wake-up, so little else is read. Returns false if the destination must take the long path.
local function appendToOwnedOrReady(d, lane, events, from, to)
  local state = K .. 'd:' .. d
  local owner, ready, active = unpack(redis.call('HMGET', state, 'owner', 'ready', 'active'))
  local isOwned = owner and owner ~= ''
  if active ~= '1' or not isOwned and ready ~= '1' then return false end
  push(d, lane, from, to)
  redis.call('HINCRBY', state, 'e' .. lane, events)
  if isOwned and isMine(owner) then mine[#mine + 1] = d end
  return true
end

-- Claims a destination for its only entry. Returns false if it must take the long path, or may not be claimed.
local function claimSingle(number, d, lane, entry)
  local v = readUsual(d)
  local isProven = v and v[PROVEN] == '1'
  if not v or v[READY] == '1' or room[isProven] <= 0 or not isBatch(entry, max) then return false end
  redis.call('RPUSH', K .. lane .. ':' .. d, entry)
  local n = claims + used
  freezeSingle(d, v, lane, entry, prefix .. n)
  used, room[isProven] = used + 1, room[isProven] - 1
  claimed[#claimed + 1], busy[#busy + 1] = d, d
  local at = #singles
  singles[at + 1], singles[at + 2], singles[at + 3] = number, n, v[ADDRESS] or ''
  singles[at + 4], singles[at + 5], singles[at + 6] = v[VERSION], v[SECRETS] or '', v[PROVEN] or ''
  return true
end

-- Appends a group on the long path. Returns false if the destination is deleted.
local function appendWhole(d, lane, events, from, to)
  local state, tally = K .. 'd:' .. d, 'e' .. lane
  local mayClaim = #replies < LONG_CLAIMS_MAX
  local s = readForAppend(d, state, tally, mayClaim and room[true] + room[false] > 0)
  if s.deleted then
    dropped = dropped + events
    return false
  end
  push(d, lane, from, to)
  local idle = s.owner == '' and not s.ready and s.bu <= NOW and s.paused <= NOW and s.known
  if idle and mayClaim and room[s.proven] > 0 then
    s[tally] = s[tally] + events
    claim(s, w, claims + used)
    used, room[s.proven] = used + 1, room[s.proven] - 1
    local out = {}
    resendInFlight(s, out, {})
    replies[#replies + 1] = serve(s, 1, tonumber(ARGV[7]), max, out, false)
    return true
  end
  if idle then
    redis.call('HSET', state, 'ready', '1', tally, s[tally] + events)
    pushReady(s)
    readied = readied + 1
  else
    redis.call('HINCRBY', state, tally, events)
    if isMine(s.owner) then mine[#mine + 1] = d end
  end
  return true
end

local function appendGroups()
  local i, number = GROUPS_AT, 0
  while ARGV[i] do
    -- The number of events stays a string, because Redis converts a number more slowly.
    local d, account, lane, events, n = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], tonumber(ARGV[i + 4])
    local from = i + 5
    i, number = from + n, number + 1
    local hasRoom = room[true] + room[false] > 0
    local maySingle = hasRoom and n == 1 and redis.call('LLEN', K .. lane .. ':' .. d) == 0
    local isAppended = maySingle and claimSingle(number, d, lane, ARGV[from])
      or appendToOwnedOrReady(d, lane, events, from, i - 1)
      or appendWhole(d, lane, events, from, i - 1)
    if isAppended then
      waiting[account] = (waiting[account] or 0) + events
      for at = from, i - 1 do held[account] = (held[account] or 0) + #ARGV[at] end
    end
  end
end

finally(appendGroups, function()
  addClaims(w, claimed)
  addBusy(busy)
  addAccountsBytes(held)
  addAccountsEvents(waiting)
end)
-- Only now, so that the groups after one that fails are not lost: the next run appends all of them.
noteProgress()
return { used, dropped, replies, mine, singles, used + readied }
