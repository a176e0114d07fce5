/** Reason of dead letters that an operator gave up. */
const OPERATOR_REASON = 'given up by an operator';

/**
 * One step of many drains: settles attempts, freezes the next batches, releases empty destinations.
 * ARGV: number of the call, batch max, most batches in flight, longest wait in ms, JSON list of requests; then the bodies that follow-ups name.
 * A request: {destination, token, settles, window (0: freeze nothing), leaving, breaker {failures, park, ms left or -1, version} or null,
 * gone {version, reason} or null, number of batches in flight (after a lost reply their ids), size limit {version, text} or null}.
 * Reply: {one reply per request, ids of batches that are resent to a new address}. A reply's status is 'refused' for another owner's token, and
 * 'lost' if Redis has more frozen batches than the caller knows. The caller then calls again with the ids.
 */
export const NEXT_LUA = `
local max, most = tonumber(ARGV[2]), tonumber(ARGV[3])
CALL, MAX_AGE = ARGV[1], tonumber(ARGV[4])
local replies, delivered, freed = {}, {}, {}
for i, r in ipairs(cjson.decode(ARGV[5])) do
  local s = load(r[1])
  if s.owner ~= r[2] then
    replies[i] = { r[1], 'refused', r[2] }
  elseif s.newer then
    setAside(s)
    replies[i] = { r[1], 'refused', r[2] }
  else
    settleAll(s, r[3])
    delivered[s.account] = (delivered[s.account] or 0) + (s.settled or 0)
    freed[s.account] = (freed[s.account] or 0) + (s.freed or 0)
    -- A new version of the record starts with a new breaker. Results of an older version do not count.
    if type(r[6]) == 'table' and r[6][4] == s.version then s.bf, s.bp, s.bu = r[6][1], r[6][2], r[6][3] < 0 and 0 or NOW + r[6][3] end
    if type(r[9]) == 'table' and r[9][1] == s.version then s.size = r[9][2] end
    if s.bf > 0 then s.proven = false elseif (s.settled or 0) > 0 then s.proven = true end
    if type(r[7]) == 'table' and s.version == r[7][1] and s.active then
      s.active, s.reason = false, r[7][2]
      redis.call('HSET', K .. 'd:' .. s.d, 'active', '0', 'reason', s.reason, 'gone', s.version)
      redis.call('SADD', K .. 'gone', s.d)
    end
    local out = {}
    if type(r[8]) == 'table' then
      local known = {}
      for _, id in ipairs(r[8]) do known[id] = true end
      reopen(s, out, known)
    end
    if type(r[8]) == 'number' and open(s) > r[8] then
      save(s)
      replies[i] = { r[1], 'lost', r[2], s.bf, s.bp, remaining(s.bu) }
    elseif r[4] > 0 and budget > 0 then replies[i] = serve(s, r[4], most, max, out, r[5] == 1) else replies[i] = finish(s, r[5] == 1, out) end
  end
end
for account, bytes in pairs(freed) do hold(account, bytes) end
for account, events in pairs(delivered) do count(account, -events) end
return { replies, follows }
`;

/**
 * Takes destinations that wait for a worker. ARGV: worker, first claim number, most proven destinations, most others, 1 to begin with the others, batch
 * max, most batches in flight, longest wait in ms. Reply: {proven destinations that still wait, others that do, replies}.
 */
export const TAKE_LUA = `
MAX_AGE = tonumber(ARGV[8])
local replies, claims, unread = {}, tonumber(ARGV[2]), 0
local function takeFrom(list, most)
  local used = 0
  while used < most and budget > 0 and unread < 200 do
    local d = redis.call('LPOP', K .. list)
    if not d then return end
    local s = load(d)
    s.ready = false
    if s.newer then
      setAside(s)
      unread = unread + 1
    elseif s.owner == '' then
      claim(s, ARGV[1], claims)
      claims, used = claims + 1, used + 1
      local out = {}
      if s.known and (not s.active or s.drop > 0) then unfreeze(s) else reopen(s, out, {}) end
      replies[#replies + 1] = serve(s, 1, tonumber(ARGV[7]), tonumber(ARGV[6]), out, false)
    else
      redis.call('HSET', K .. 'd:' .. d, 'ready', '')
    end
  end
end
if ARGV[5] == '1' then takeFrom('ready', tonumber(ARGV[4])) end
takeFrom('proven', tonumber(ARGV[3]))
if ARGV[5] ~= '1' then takeFrom('ready', tonumber(ARGV[4])) end
return { redis.call('LLEN', K .. 'proven'), redis.call('LLEN', K .. 'ready'), replies }
`;

/** A gap between two heartbeats of all workers. In a longer one, leases of living workers may have ended, because no worker could renew. */
const STALL_MS = 1500;
/** After this delay a heartbeat does the work of a wake-up job. The job is lost, or delayed by another worker's clock. */
const LATE_MS = 250;
/** After this delay the job counts as lost. */
const LOST_MS = 5000;

/**
 * A worker's heartbeat. It renews the lease, puts back destinations of dead workers (200 per call), and wakes overdue resends (100) and parked
 * destinations (50) by Redis's clock. It also removes expired dead letters (50). After a stall of Redis or a step of its clock, workers that were
 * alive before get the time of two heartbeats. Otherwise the first one to return would take over from all others.
 *
 * ARGV: worker, lease in ms ('0' gives it up), milliseconds between heartbeats, 1 to keep the scripts' time (see `clock.lua.ts`).
 * Reply: {proven destinations that wait, others that wait, destinations put back, 1 when no dead worker is left, lost wake-ups of resends, lost wake-ups
 * of parked destinations, newest format of the mailboxes left to a newer version or 0, NOW, Redis's time, `P clock`, 1 unless there was a gap}.
 */
export const BEAT_LUA = `
local moved, whole = 0, 1
if ARGV[4] == '1' then moveBase() end
local workers, beat = K .. 'workers', K .. 'beat'
local before = tonumber(redis.call('GET', beat) or NOW)
redis.call('SET', beat, NOW)
if math.abs(NOW - before) > ${STALL_MS} then
  local till = NOW + 2 * tonumber(ARGV[3])
  for _, alive in ipairs(redis.call('ZRANGEBYSCORE', workers, before, '+inf')) do redis.call('ZADD', workers, till, alive) end
end
if ARGV[2] ~= '0' then redis.call('ZADD', workers, NOW + tonumber(ARGV[2]), ARGV[1]) else redis.call('ZADD', workers, 0, ARGV[1]) end
local dead = redis.call('ZRANGEBYSCORE', workers, '-inf', NOW, 'LIMIT', 0, 1)[1]
if dead then
  for _, d in ipairs(redis.call('SPOP', K .. 'owned:' .. dead, 200)) do
    local s = load(d)
    if s.newer and worker(s.owner) == dead then
      setAside(s)
    elseif s.owner ~= '' and worker(s.owner) == dead then
      s.owner = ''
      queueReady(s)
      save(s)
      moved = moved + 1
    end
  end
  if redis.call('SCARD', K .. 'owned:' .. dead) == 0 then redis.call('ZREM', workers, dead) end
  whole = redis.call('ZCOUNT', workers, '-inf', NOW) == 0 and 1 or 0
end
local function overdue(list, most) return redis.call('ZRANGEBYSCORE', K .. list, '-inf', NOW - ${LATE_MS}, 'WITHSCORES', 'LIMIT', 0, most) end
local function isLost(till) return tonumber(till) < NOW - ${LOST_MS} and 1 or 0 end
local resends, parkings = 0, 0
local due = overdue('due', 100)
for i = 1, #due, 2 do
  local d = redis.call('HGET', K .. 'x:' .. due[i], 'dest')
  if d then
    wake(d, due[i])
    resends = resends + isLost(due[i + 1])
  else
    redis.call('ZREM', K .. 'due', due[i])
  end
end
local parked = overdue('parked', 50)
for i = 1, #parked, 2 do parkings = parkings + wake(parked[i], '') * isLost(parked[i + 1]) end
expireDeadLetters(50)
-- Mailboxes that an older version left to this one.
for _, member in ipairs(redis.call('ZRANGEBYSCORE', K .. 'newer', '-inf', FORMAT, 'LIMIT', 0, 100)) do
  redis.call('ZREM', K .. 'newer', member)
  local owner, d = string.match(member, '^(%S*) (.*)$')
  local s = load(d)
  if s.owner == owner and s.newer then
    setAside(s)
  elseif s.owner == owner then
    if owner ~= '' then disown(s) end
    s.ready = true
    pushReady(s)
    save(s)
  end
end
local newest = redis.call('ZREVRANGE', K .. 'newer', 0, 0, 'WITHSCORES')[2] or 0
return { redis.call('LLEN', K .. 'proven'), redis.call('LLEN', K .. 'ready'), moved, whole, resends, parkings, tonumber(newest), NOW, RAW, BASE, STEADY and 1 or 0 }
`;

/** Puts back a destination that its owner does not know, because the reply to the claim was lost. ARGV: destination, token. Reply: 1 when done. */
export const ABANDON_LUA = `
local s = load(ARGV[1])
if s.owner == '' or s.owner ~= ARGV[2] or s.newer then return 0 end
disown(s)
queueReady(s)
save(s)
return 1
`;

/** See `wake`. ARGV: destination, resend ('' none). Reply: 1 when the destination was put on the ready list. */
export const WAKE_LUA = `return wake(ARGV[1], ARGV[2])`;

/**
 * Gives up the events of an inactive or deleted destination, events that an operator gave up, or expired events. One call gives up at most 1,000 events
 * and 1 MiB per lane, or 100 resends.
 * ARGV: destination, token ('' for a destination without an owner), prefix of the dead letters' ids, age in ms of expired events ('' for all), reason.
 * Reply: 'refused', or {more to do, dead events, dropped events, {{dead letter, events, attempts}...}, account, reason}.
 */
export const PURGE_LUA = `
local s = load(ARGV[1])
local before = ARGV[4] ~= '' and NOW - tonumber(ARGV[4]) or nil
if s.newer or s.owner ~= ARGV[2] or open(s) > 0 then return 'refused' end
trim(s)
local drop = not before and s.active and s.drop > 0
local why = ARGV[5] ~= '' and ARGV[5] or (drop and '${OPERATOR_REASON}' or s.reason)
local cutoff = before or (drop and s.drop + 1)
-- The destination was activated after the reply 'purge'. Its events stay.
if not before and s.active and not drop then return { 0, 0, 0, {}, s.account, why } end
local dead, dropped, letters = 0, 0, {}
local function newLetter(events, attempts)
  -- The destination counts its dead letters, so that a call repeated by a cluster's client overwrites none. The prefix is unique, so that the same holds
  -- after Redis has lost its last writes.
  local id = ARGV[3] .. redis.call('HINCRBY', K .. 'd:' .. s.d, 'letters', 1)
  letters[#letters + 1] = { id, events, attempts }
  dead = dead + events
  return id
end

-- Renames a resend's record to make it the dead letter. Its body of up to 1 MiB is not copied.
local function giveUpResend(id)
  local key = K .. 'x:' .. id
  local x = redis.call('HMGET', key, 'events', 'attempt', 'error', 'v')
  if isNewer(x[4]) then s.v, s.newer = x[4], true; return end
  local events = tonumber(x[1] or 0)
  local bytes = redis.call('HSTRLEN', key, 'body')
  if events > 0 and s.deleted then
    dropped = dropped + events
    hold(s.account, -bytes)
    count(s.account, -events)
  elseif events > 0 then
    local letter = newLetter(events, tonumber(x[2]))
    redis.call('HDEL', key, 'step', 'refused', 'split', 'search', 'attempt')
    redis.call('RENAME', key, K .. 'dl:' .. letter)
    keepDeadLetter(s, letter, s.address, events, bytes, tonumber(x[2]), why, { 'type', 'batch' })
  end
  dropResend(s, id)
end

-- The entries at the head of a lane that one step gives up: their number, their events, their bytes, and the entries.
local function oldest(lane)
  local key, n, events, bytes, group = K .. lane .. ':' .. s.d, 0, 0, 0, {}
  while true do
    -- A few at a time, because an entry may hold a hundred events.
    local some = redis.call('LRANGE', key, n, n + 19)
    for _, element in ipairs(some) do
      local k = eventsOf(element)
      if (cutoff and tonumber(string.sub(element, 1, 8), 36) >= cutoff) or events + k > 1000 or (n > 0 and bytes + #element > BODY_MAX) then return n, events, bytes, group end
      n, events, bytes, group[n + 1] = n + 1, events + k, bytes + #element, element
    end
    if #some < 20 then return n, events, bytes, group end
  end
end

local more = false
if not before then
  local ids = redis.call('SRANDMEMBER', K .. 'xs:' .. s.d, 100)
  for _, id in ipairs(ids) do giveUpResend(id) end
  more = #ids > 0 and not s.newer
  if #ids == 0 then redis.call('DEL', K .. 'q:' .. s.d) end
end
for _, lane in ipairs((more or s.newer) and {} or { 'u', 'f' }) do
  local n, events, bytes, group = oldest(lane)
  if n > 0 then
    redis.call('LTRIM', K .. lane .. ':' .. s.d, n, -1)
    s['e' .. lane] = math.max(0, s['e' .. lane] - events)
    if s.deleted then
      dropped = dropped + events
      hold(s.account, -bytes)
      count(s.account, -events)
    else
      local letter = newLetter(events, 0)
      keepDeadLetter(s, letter, s.address, events, bytes, 0, why, { 'type', 'mail', 'lane', lane })
      redis.call('RPUSH', K .. 'dlm:' .. letter, unpack(group))
      redis.call('PEXPIRE', K .. 'dlm:' .. letter, RECORD_KEPT_MS)
    end
    more = true
  end
end
if drop and not more and not s.newer then forget(s, 'drop') end
save(s)
return { more and 1 or 0, dead, dropped, letters, s.account, why }
`;
