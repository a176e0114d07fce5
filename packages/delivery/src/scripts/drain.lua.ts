/** Why mail is dead that an operator gave up. */
const OPERATOR_REASON = 'given up by an operator';

/**
 * One step of many drains: settle what was answered, freeze what comes next, release what is empty.
 * ARGV[1]: JSON list of {destination, token, settles, slots, batch max, leaving, breaker {failures, park, ms left or -1, version} or null, gone {version, reason} or null,
 * how many batches are in flight, or after a call whose reply was lost their ids, size limit {version, text} or null};
 * the bodies that follow-ups name stand in the later arguments. Reply: one reply a request; 'refused' for another's token, 'lost' when
 * more was frozen than the caller knows of (it asks again with the ids).
 */
export const NEXT_LUA = `
local replies, delivered = {}, {}
for i, r in ipairs(cjson.decode(ARGV[1])) do
  local s = load(r[1])
  if s.owner ~= r[2] then
    replies[i] = { r[1], 'refused', r[2] }
  else
    settleAll(s, r[3])
    delivered[s.account] = (delivered[s.account] or 0) + (s.settled or 0)
    -- A record that was changed meanwhile has had its breaker reset: what an older version did counts no more.
    if type(r[7]) == 'table' and r[7][4] == s.version then s.bf, s.bp, s.bu = r[7][1], r[7][2], r[7][3] < 0 and 0 or NOW + r[7][3] end
    if type(r[10]) == 'table' and r[10][1] == s.version then s.size = r[10][2] end
    if type(r[8]) == 'table' and s.version == r[8][1] and s.active then
      s.active, s.reason = false, r[8][2]
      redis.call('HSET', K .. 'd:' .. s.d, 'active', '0', 'reason', s.reason, 'gone', s.version)
      redis.call('SADD', K .. 'gone', s.d)
    end
    local out = {}
    if type(r[9]) == 'table' then
      local known = {}
      for _, id in ipairs(r[9]) do known[id] = true end
      reopen(s, out, known)
    end
    if type(r[9]) == 'number' and open(s) > r[9] then
      save(s)
      replies[i] = { r[1], 'lost', r[2], s.bf, s.bp, remaining(s.bu) }
    elseif r[4] > 0 and budget > 0 then replies[i] = serve(s, r[4], r[5], out, r[6] == 1) else replies[i] = finish(s, r[6] == 1, out) end
  end
end
for account, events in pairs(delivered) do count(account, -events) end
return replies
`;

/** Takes up to n destinations that wait for a worker. ARGV: worker, first claim number, n, batch max. Reply: {still waiting, reply...}. */
export const TAKE_LUA = `
local replies, used = {}, 0
while used < tonumber(ARGV[3]) and budget > 0 do
  local d = redis.call('LPOP', K .. 'ready')
  if not d then break end
  local s = load(d)
  s.ready = false
  if s.owner == '' then
    claim(s, ARGV[1], tonumber(ARGV[2]) + used)
    used = used + 1
    local out = {}
    if s.known and (not s.active or s.drop > 0) then unfreeze(s) else reopen(s, out, {}) end
    replies[#replies + 1] = serve(s, 1 - open(s), tonumber(ARGV[4]), out, false)
  else
    redis.call('HSET', K .. 'd:' .. d, 'ready', '')
  end
end
return { redis.call('LLEN', K .. 'ready'), used, replies }
`;

/**
 * Renews a worker's lease, and puts back what dead workers owned, 200 destinations a call. ARGV: worker, lease in ms ('0' gives it up).
 * Reply: {destinations that wait, put back, were all of the dead done}.
 */
export const BEAT_LUA = `
local moved, whole = 0, 1
if ARGV[2] ~= '0' then redis.call('ZADD', K .. 'workers', NOW + tonumber(ARGV[2]), ARGV[1]) else redis.call('ZADD', K .. 'workers', 0, ARGV[1]) end
local dead = redis.call('ZRANGEBYSCORE', K .. 'workers', '-inf', NOW, 'LIMIT', 0, 1)[1]
if dead then
  for _, d in ipairs(redis.call('SPOP', K .. 'owned:' .. dead, 200)) do
    local s = load(d)
    if s.owner ~= '' and worker(s.owner) == dead then
      s.owner = ''
      queueReady(s)
      save(s)
      moved = moved + 1
    end
  end
  if redis.call('SCARD', K .. 'owned:' .. dead) == 0 then redis.call('ZREM', K .. 'workers', dead) end
  whole = redis.call('ZCOUNT', K .. 'workers', '-inf', NOW) == 0 and 1 or 0
end
return { redis.call('LLEN', K .. 'ready'), moved, whole }
`;

/** Puts back a destination whose owner lives but does not know of it (the reply of its claim was lost). ARGV: destination, token. Reply: 1 when done. */
export const ABANDON_LUA = `
local s = load(ARGV[1])
if s.owner == '' or s.owner ~= ARGV[2] then return 0 end
disown(s)
queueReady(s)
save(s)
return 1
`;

/**
 * Lets a destination be looked at: a resend is due, a parking is over, the record changed, or the reconciler found it.
 * ARGV: destination, resend ('' none). Reply: 1 when something was to do. Jobs are delayed by workers' clocks: one that comes too early by Redis's
 * is refused, or a worker whose clock is ahead would burn the schedule. The reconciler goes by Redis's clock, and wakes what was refused.
 */
export const WAKE_LUA = `
local EARLY_MS = 1000
local d, id = ARGV[1], ARGV[2]
if id ~= '' then
  local due = redis.call('ZSCORE', K .. 'due', id)
  if not due or tonumber(due) > NOW + EARLY_MS then return 0 end
  redis.call('ZREM', K .. 'due', id)
  redis.call('RPUSH', K .. 'q:' .. d, id)
end
local s = load(d)
if s.owner ~= '' or s.ready or not s.known then return 0 end
if s.active and s.drop == 0 and #s.win == 0 then
  local till = (s.paused > NOW or not holdsDue(s)) and math.max(s.bu, s.paused) or 0
  if till > NOW + EARLY_MS then
    redis.call('ZADD', K .. 'parked', 'NX', till, d)
    return 0
  end
end
-- Paused: the end of the pause brings it back.
if id ~= '' and s.active and s.paused > NOW then return 0 end
if s.paused <= NOW and #s.win == 0 and not holdsMail(s) and not holdsDue(s) and (s.active or redis.call('SCARD', K .. 'xs:' .. d) == 0) then
  redis.call('ZREM', K .. 'busy', d)
  redis.call('ZREM', K .. 'parked', d)
  return 0
end
queueReady(s)
save(s)
return 1
`;

/**
 * Gives up what waits at an inactive or deleted destination, what an operator gave up, or what is older than a moment, a step at a time (1,000 events, 100 resends).
 * ARGV: destination, token ('' when nobody may own it), dead letters' id prefix, older than (ms; '' for everything), reason.
 * Reply: 'refused', or {more to do, dead events, dropped events, {{dead letter, events, attempts}...}, account, reason}.
 */
export const PURGE_LUA = `
local s = load(ARGV[1])
local before = ARGV[4] ~= '' and tonumber(ARGV[4]) or nil
if s.owner ~= ARGV[2] or open(s) > 0 then return 'refused' end
trim(s)
local drop = not before and s.active and s.drop > 0
local why = ARGV[5] ~= '' and ARGV[5] or (drop and '${OPERATOR_REASON}' or s.reason)
local cutoff = before or (drop and s.drop + 1)
-- Switched on again since its owner was told to give up its mail: there is nothing to give up any more.
if not before and s.active and not drop then return { 0, 0, 0, {}, s.account, why } end
local dead, dropped, letters = 0, 0, {}
local function letter(events, attempts, extra)
  -- Numbered by the destination, never by the call: one that runs twice, or again under the same token, must not overwrite a letter.
  local id = ARGV[3] .. redis.call('HINCRBY', K .. 'd:' .. s.d, 'letters', 1)
  keepDeadLetter(s, id, events, attempts, why, extra)
  letters[#letters + 1] = { id, events, attempts }
  dead = dead + events
end
local left = 100
if not before then
  local ids = redis.call('SRANDMEMBER', K .. 'xs:' .. s.d, left)
  for _, id in ipairs(ids) do
    local x = redis.call('HMGET', K .. 'x:' .. id, 'events', 'attempt', 'wid', 'body', 'at', 'error', 'traces')
    local events = tonumber(x[1] or 0)
    if events > 0 then
      if s.deleted then dropped = dropped + events; count(s.account, -events) else letter(events, tonumber(x[2]), { 'type', 'batch', 'wid', x[3], 'body', x[4], 'at', x[5] or '', x[7] and 'traces' or nil, x[7] or nil }) end
    end
    dropResend(s, id)
  end
  left = left - #ids
  if #ids == 0 then redis.call('DEL', K .. 'q:' .. s.d) end
end
local again = left < 100
for _, lane in ipairs({ 'u', 'f' }) do
  local key = K .. lane .. ':' .. s.d
  local n, events, bytes, group, full = 0, 0, 0, {}, again
  while not full do
    -- A few at a time: an element may hold a hundred events.
    local some = redis.call('LRANGE', key, n, n + 19)
    full = #some < 20
    for _, element in ipairs(some) do
      local k = eventsOf(element)
      if (cutoff and tonumber(string.sub(element, 1, 8), 36) >= cutoff) or events + k > 1000 or (n > 0 and bytes + #element > BODY_MAX) then
        full = true
        break
      end
      n, events, bytes, group[n + 1] = n + 1, events + k, bytes + #element, element
    end
  end
  if not again then
    if n > 0 then
      redis.call('LTRIM', key, n, -1)
      s['e' .. lane] = math.max(0, s['e' .. lane] - events)
      if s.deleted then
        dropped = dropped + events
        count(s.account, -events)
      else
        letter(events, 0, { 'type', 'mail', 'lane', lane })
        redis.call('RPUSH', K .. 'dlm:' .. letters[#letters][1], unpack(group))
        redis.call('PEXPIRE', K .. 'dlm:' .. letters[#letters][1], 604800000)
      end
      again = true
    end
  end
end
if drop and not again then forget(s, 'drop') end
save(s)
return { again and 1 or 0, dead, dropped, letters, s.account, why }
`;
