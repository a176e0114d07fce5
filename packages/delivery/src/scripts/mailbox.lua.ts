/** How long a worker that is not heard of keeps its destinations. */
export const LEASE_MS = 2500;

/**
 * The part of every script that knows a mailbox. KEYS[1] is the mechanism's base (below: K), KEYS[2] the shard's shared prefix (P).
 *
 *   K d:<destination>   hash: the record (account, address, active, reason, version, secrets, deleted, gone) and the mailbox's state:
 *                       owner   fencing token `<worker>.<claim>`, '' for none      ready   '1' while it stands in the ready list
 *                       win     the window: JSON list of {id, lane, elements, events, attempt, done}
 *                       ef, eu  events not yet frozen in each lane                 k       batches frozen under this owner
 *                       bf, bp, bu  breaker: failures, parking in ms, parked until lane, turn  who was served last
 *                       paused  an operator's pause: until when            drop    an operator gave up what was accepted until then
 *   K f:<destination>   list: fresh mail; an element is 8 base-36 digits of the time of acceptance, 4 digits of its count of events, the fragments
 *   K u:<destination>   list: the same for unsubscribes, which overtake
 *   K q:<destination>   list: ids of resends that are due      K xs:<destination>  set: ids of all its resends
 *   K x:<resend>        hash: a batch that failed, frozen      K due               sorted set: resends by due time
 *   K ready  list of destinations that wait for a worker       K busy    sorted set: destinations with mail, since when
 *   K parked sorted set: parked and paused destinations, until when   K paused sorted set: those that an operator paused, until when
 *   K workers  sorted set: leases; K owned:<worker> set
 *   K dl:<id>, K dlm:<id>  a dead letter, its untried mail     P dls, P dls:<account>  sorted sets: dead letters by time
 *   P undelivered  hash: undelivered events by account          P overfull  set: accounts with more of them than P waiting-max
 *
 * Rules kept here: freezing happens in place (the window counts elements at the heads of the lanes, nothing is copied); only the longest
 * done prefix of a lane is trimmed; a failed batch moves to a record of its own in the script that settles it; only an empty mailbox is
 * released, in the same script that finds it empty; every call names its token and is refused when the token is not the owner.
 */
export const MAILBOX_LUA = `
local K, P = KEYS[1], KEYS[2]
local CAMPAIGN = string.sub(K, -2) == 'c:'
local WINDOW_MAX = 32
local BODY_MAX = 1048576
local budget = 4194304
local leased = false
local clock = redis.call('TIME')
local NOW = clock[1] * 1000 + math.floor(clock[2] / 1000)

-- What a step changes is written, and nothing else: each field costs as much as a small command.
local FIELDS = { 'owner', 'win', 'ef', 'eu', 'k', 'bf', 'bp', 'bu', 'lane', 'turn', 'ready', 'active', 'address', 'version', 'secrets', 'account', 'paused', 'drop' }

local function load(d)
  local key = K .. 'd:' .. d
  local v = redis.call('HMGET', key, unpack(FIELDS))
  local s = { d = d, was = v, owner = v[1] or '', win = (v[2] and v[2] ~= '') and cjson.decode(v[2]) or {}, ef = tonumber(v[3] or 0), eu = tonumber(v[4] or 0),
    k = tonumber(v[5] or 0), bf = tonumber(v[6] or 0), bp = tonumber(v[7] or 0), bu = tonumber(v[8] or 0), lane = v[9] or 'f', turn = v[10] or '',
    ready = v[11] == '1', active = v[12] == '1', address = v[13] or '', known = v[14] and true or false, version = v[14] or '0', secrets = v[15] or '',
    account = v[16] or '', paused = tonumber(v[17] or 0), drop = tonumber(v[18] or 0), deleted = false, reason = '' }
  if s.known and not s.active then
    local more = redis.call('HMGET', key, 'deleted', 'reason')
    s.deleted, s.reason = more[1] == '1', more[2] or ''
  end
  return s
end

local function save(s)
  local v, changed = s.was, {}
  local function put(name, value)
    changed[#changed + 1] = name
    changed[#changed + 1] = value
  end
  if s.owner ~= (v[1] or '') then put('owner', s.owner) end
  if s.moved then put('win', #s.win > 0 and cjson.encode(s.win) or '') end
  for i = 3, 8 do
    local name = FIELDS[i]
    if s[name] ~= tonumber(v[i] or 0) then put(name, s[name]) end
  end
  if s.lane ~= (v[9] or 'f') then put('lane', s.lane) end
  if s.turn ~= (v[10] or '') then put('turn', s.turn) end
  if s.ready ~= (v[11] == '1') then put('ready', s.ready and '1' or '') end
  if #changed > 0 then redis.call('HSET', K .. 'd:' .. s.d, unpack(changed)) end
end

local function lanes(s) return K .. 'f:' .. s.d, K .. 'u:' .. s.d end

-- Only campaigns have unsubscribes.
local function holdsMail(s)
  local f, u = lanes(s)
  return redis.call('LLEN', f) > 0 or (CAMPAIGN and redis.call('LLEN', u) > 0)
end

local function holdsDue(s)
  if not s.queued then s.queued = redis.call('LLEN', K .. 'q:' .. s.d) end
  return s.queued > 0
end

local function queueDue(s, id)
  redis.call('RPUSH', K .. 'q:' .. s.d, id)
  s.queued = nil
end

local function pushReady(d)
  if redis.call('RPUSH', K .. 'ready', d) == 1 then redis.call('PUBLISH', K .. 'ready', '1') end
end

local function queueReady(s)
  if s.ready or s.owner ~= '' then return end
  s.ready = true
  pushReady(s.d)
end

-- An operator's word that counts no more.
local function forget(s, field)
  s[field] = 0
  redis.call('HDEL', K .. 'd:' .. s.d, field)
  if field ~= 'paused' then return end
  redis.call('ZREM', K .. 'paused', s.d)
  redis.call('ZREM', K .. 'parked', s.d)
end

local function worker(token) return string.match(token, '^[^.]+') end

local function claim(s, w, n, isBusy)
  s.owner = w .. '.' .. n
  s.k = 0
  -- The worker may have been reaped meanwhile, or not have beaten yet: without a lease nobody would notice its death.
  if not leased then redis.call('ZADD', K .. 'workers', 'NX', NOW + ${LEASE_MS}, w) end
  leased = true
  redis.call('SADD', K .. 'owned:' .. w, s.d)
  if not isBusy then redis.call('ZADD', K .. 'busy', 'NX', NOW, s.d) end
  if s.bu > 0 or s.paused > 0 then redis.call('ZREM', K .. 'parked', s.d) end
  if s.paused > 0 and s.paused <= NOW then forget(s, 'paused') end
end

local function disown(s)
  redis.call('SREM', K .. 'owned:' .. worker(s.owner), s.d)
  s.owner = ''
end

local function open(s)
  local n = 0
  for _, e in ipairs(s.win) do if e[6] == 0 then n = n + 1 end end
  return n
end

local function trim(s)
  local cut, blocked, kept = { f = 0, u = 0 }, {}, {}
  for _, e in ipairs(s.win) do
    if e[6] == 1 and (e[2] == 'x' or not blocked[e[2]]) then
      if e[2] ~= 'x' then cut[e[2]] = cut[e[2]] + e[3] end
    else
      kept[#kept + 1] = e
      if e[2] ~= 'x' then blocked[e[2]] = true end
    end
  end
  if #kept < #s.win then s.win, s.moved = kept, true end
  for lane, n in pairs(cut) do if n > 0 then redis.call('LTRIM', K .. lane .. ':' .. s.d, n, -1) end end
end

local waitingMax
-- Counts an account's undelivered events, and notes when they cross the limit that the publishers refuse at.
local function count(account, events)
  if events == 0 or account == '' then return end
  waitingMax = waitingMax or tonumber(redis.call('GET', P .. 'waiting-max') or math.huge)
  local now = redis.call('HINCRBY', P .. 'undelivered', account, events)
  local before = now - events
  if now <= 0 then redis.call('HDEL', P .. 'undelivered', account) end
  if before <= waitingMax and now > waitingMax then redis.call('SADD', P .. 'overfull', account) end
  if before > waitingMax and now <= waitingMax then redis.call('SREM', P .. 'overfull', account) end
end

local function keepDeadLetter(s, id, events, attempts, why, extra)
  local key = K .. 'dl:' .. id
  redis.call('HSET', key, 'account', s.account, 'dest', s.d, 'address', s.address, 'events', events, 'attempts', attempts, 'error', why, 'time', NOW, unpack(extra))
  redis.call('PEXPIRE', key, 604800000)
  local member = (CAMPAIGN and 'c' or 't') .. id
  for _, list in ipairs({ P .. 'dls', P .. 'dls:' .. s.account }) do
    redis.call('ZADD', list, NOW, member)
    redis.call('ZREMRANGEBYSCORE', list, '-inf', NOW - 604800000)
    redis.call('PEXPIRE', list, 604800000)
  end
  count(s.account, -events)
end

local function dropResend(s, id)
  redis.call('DEL', K .. 'x:' .. id)
  redis.call('SREM', K .. 'xs:' .. s.d, id)
  redis.call('ZREM', K .. 'due', id)
end

-- A settle: {id, delivered, {follow-up...}, attempt}: a resend keeps its id, so a settle told twice must not meet its next freezing. A follow-up: {type x|q|d, id, wid, step, refused, split, events, attempt, error, wait, body argument, at}.
local function settle(s, o, opened)
  local e = opened[o[1]]
  if not e or e[5] ~= o[4] or e[6] == 1 then return end
  e[6] = 1
  s.moved = true
  s.settled = (s.settled or 0) + o[2]
  local same = false
  for _, f in ipairs(o[3]) do
    if f[1] == 'd' then
      keepDeadLetter(s, f[2], f[7], f[8], f[9], { 'type', 'batch', 'wid', f[3], 'body', ARGV[f[11]], 'at', f[12] })
    else
      if f[2] == o[1] and e[2] == 'x' then
        same = true
        redis.call('HSET', K .. 'x:' .. f[2], 'step', f[4], 'refused', f[5], 'split', f[6], 'error', f[9])
      else
        redis.call('HSET', K .. 'x:' .. f[2], 'dest', s.d, 'wid', f[3], 'step', f[4], 'refused', f[5], 'split', f[6], 'events', f[7], 'attempt', f[8],
          'error', f[9], 'body', ARGV[f[11]], 'at', f[12])
        redis.call('SADD', K .. 'xs:' .. s.d, f[2])
      end
      if f[1] == 'q' then queueDue(s, f[2]) else redis.call('ZADD', K .. 'due', NOW + f[10], f[2]) end
    end
  end
  if e[2] == 'x' and not same then dropResend(s, o[1]) end
end

local function settleAll(s, settles)
  if #settles == 0 then return end
  local opened = {}
  for _, e in ipairs(s.win) do if e[6] == 0 then opened[e[1]] = e end end
  for _, o in ipairs(settles) do settle(s, o, opened) end
  trim(s)
end

local function eventsOf(element) return tonumber(string.sub(element, 9, 12)) end

-- Every string that enters Lua is hashed byte by byte: elements are read once, and handed on as they are.
local function read(s, lane, from, n)
  local elements = redis.call('LRANGE', K .. lane .. ':' .. s.d, from, from + n - 1)
  for _, element in ipairs(elements) do budget = budget - #element end
  return elements
end

-- What the worker gets of a batch: id, lane, attempt, events, elements; of a resend id, 'x', attempt, events, body, time, wid, step, refused, split.
local function resendOf(s, e)
  local x = redis.call('HMGET', K .. 'x:' .. e[1], 'at', 'body', 'wid', 'step', 'refused', 'split')
  redis.call('HSET', K .. 'x:' .. e[1], 'attempt', e[5])
  budget = budget - #(x[2] or '')
  return { e[1], 'x', e[5], e[4], x[2] or '', x[1] or '', x[3] or '', x[4] or '0', x[5] or '0', x[6] or '' }
end

local function takeDue(s, out)
  while true do
    local id = redis.call('LPOP', K .. 'q:' .. s.d)
    if not id then return false end
    s.queued = s.queued and s.queued - 1
    local x = redis.call('HMGET', K .. 'x:' .. id, 'attempt', 'events')
    if x[1] then
      local e = { id, 'x', 0, tonumber(x[2]), tonumber(x[1]) + 1, 0 }
      s.win[#s.win + 1] = e
      s.moved = true
      out[#out + 1] = resendOf(s, e)
      s.turn = 'x'
      return true
    end
  end
end

-- Cuts the first n events off the lane's first element, so that a small batch can be made of it.
local function splitHead(s, lane, n)
  local key = K .. lane .. ':' .. s.d
  local element = redis.call('LPOP', key)
  local at, total, text = string.sub(element, 1, 8), eventsOf(element), string.sub(element, 13)
  local pos = 0
  for _ = 1, n do pos = string.find(text, '\\n', pos + 1, true) end
  redis.call('LPUSH', key, at .. string.format('%04d', total - n) .. string.sub(text, pos + 1), at .. string.format('%04d', n) .. string.sub(text, 1, pos - 1))
end

-- The elements from 'from' on that make a batch of at most max events and 1 MiB, how many events that is, and, when the first alone is
-- too much, how many events it holds.
local function gather(s, lane, from, max)
  local key, list, events, bytes, step = K .. lane .. ':' .. s.d, {}, 0, 0, 10
  while true do
    local some = redis.call('LRANGE', key, from + #list, from + #list + step - 1)
    for _, element in ipairs(some) do
      local n = eventsOf(element)
      if events + n > max or (#list > 0 and bytes + #element > BODY_MAX) then return list, events, n end
      events, bytes = events + n, bytes + #element
      list[#list + 1] = element
    end
    if #some < step or events >= max then return list, events, 0 end
    step = math.max(1, math.min(1000, math.ceil((max - events) * #list / events)))
  end
end

local function frozenElements(s, lane)
  local n = 0
  for _, e in ipairs(s.win) do if e[2] == lane then n = n + e[3] end end
  return n
end

local function enter(s, lane, elements, events)
  s.k = s.k + 1
  local e = { s.owner .. '.' .. s.k, lane, elements, events, 1, 0 }
  s.win[#s.win + 1] = e
  s.moved = true
  s.lane, s.turn = lane, ''
  s['e' .. lane] = math.max(0, s['e' .. lane] - events)
  return e
end

local function takeBatch(s, lane, max, out)
  local from = frozenElements(s, lane)
  local elements, events, blocking = gather(s, lane, from, max)
  if #elements == 0 and blocking > 0 then
    if from > 0 then return 0 end
    splitHead(s, lane, max)
    elements, events = read(s, lane, 0, 1), max
  end
  if #elements == 0 then s['e' .. lane] = 0; return 0 end
  local e = enter(s, lane, #elements, events)
  out[#out + 1] = { e[1], lane, 1, events, elements }
  for _, element in ipairs(elements) do budget = budget - #element end
  return 1
end

-- Notifications are settled one by one: each is a batch of its own, but they are read together.
local function takeNotifications(s, most, out)
  local elements = read(s, 'f', frozenElements(s, 'f'), math.min(most, WINDOW_MAX - #s.win))
  if #elements == 0 then s.ef = 0 end
  for _, element in ipairs(elements) do out[#out + 1] = { enter(s, 'f', 1, 1)[1], 'f', 1, 1, { element } } end
  return #elements
end

-- Freezes up to 'slots' batches. A second campaign batch leaves only when it is full: until then, waiting makes it fuller.
local function freeze(s, slots, max, out)
  if s.paused > NOW or s.drop > 0 then return end
  local flying = open(s)
  if s.bu > 0 then slots, max = math.min(slots, 1 - flying), 1 end
  local parked = s.bu > NOW
  local due = slots > 0 and holdsDue(s)
  while slots > 0 and #s.win < WINDOW_MAX and budget > 0 do
    local taken = (due and s.turn ~= 'x' and takeDue(s, out)) and 1 or 0
    if taken == 0 and not parked then
      if CAMPAIGN then
        -- Unsubscribes first; while both lanes hold mail, they take turns. A probe is an unsubscribe where there is one.
        local first, second = 'u', 'f'
        if s.lane == 'u' and s.bu == 0 then first, second = 'f', 'u' end
        local enough = flying > 0 and max or 1
        if s['e' .. first] >= enough then taken = takeBatch(s, first, max, out) end
        if taken == 0 and s['e' .. second] >= enough then taken = takeBatch(s, second, max, out) end
      elseif s.ef > 0 then
        taken = takeNotifications(s, due and 1 or slots, out)
      end
    end
    if taken == 0 and due then taken = takeDue(s, out) and 1 or 0 end
    if taken == 0 then return end
    flying, slots = flying + taken, slots - taken
  end
end

-- The window of an inactive destination is dissolved: what an earlier owner left open is mail again, to be given up, and is not sent.
local function unfreeze(s)
  for _, lane in ipairs({ 'f', 'u' }) do
    local key, kept, at = K .. lane .. ':' .. s.d, {}, 0
    for _, e in ipairs(s.win) do
      if e[2] == lane then
        if e[6] == 0 then
          for _, element in ipairs(redis.call('LRANGE', key, at, at + e[3] - 1)) do kept[#kept + 1] = element end
          s['e' .. lane] = s['e' .. lane] + e[4]
        end
        at = at + e[3]
      end
    end
    if at > 0 then redis.call('LTRIM', key, at, -1) end
    for i = #kept, 1, -1 do redis.call('LPUSH', key, kept[i]) end
  end
  for _, e in ipairs(s.win) do if e[2] == 'x' and e[6] == 0 then queueDue(s, e[1]) end end
  s.win, s.moved = {}, true
end

-- Batches that an earlier owner left open, or whose freezing never reached this one, are sent again, their attempt one higher.
local function reopen(s, out, known)
  local at = { f = 0, u = 0 }
  for _, e in ipairs(s.win) do
    if e[6] == 0 and not known[e[1]] then
      e[5] = e[5] + 1
      s.moved = true
      if e[2] == 'x' then
        out[#out + 1] = resendOf(s, e)
      else
        out[#out + 1] = { e[1], e[2], e[5], e[4], read(s, e[2], at[e[2]], e[3]) }
      end
    end
    if e[2] ~= 'x' then at[e[2]] = at[e[2]] + e[3] end
  end
end

-- Ends a step: releases, parks, hands over, or goes on. Saves the state; returns the reply.
local function finish(s, leaving, out)
  local status = 'ok'
  local token = s.owner
  local till = s.bu
  if open(s) == 0 then
    local mail, due = holdsMail(s), holdsDue(s)
    local paused = s.active and s.paused > NOW
    if s.known and (not s.active or s.drop > 0) and (mail or due or redis.call('SCARD', K .. 'xs:' .. s.d) > 0) then
      status = 'purge'
    elseif paused or (s.bu > NOW and not due) then
      -- Parked also when nothing waits: what comes later finds the probe's job there.
      disown(s)
      if paused then till = s.paused end
      redis.call('ZADD', K .. 'parked', till, s.d)
      if not mail then redis.call('ZREM', K .. 'busy', s.d) end
      status = 'parked'
    elseif not mail and not due then
      disown(s)
      redis.call('ZREM', K .. 'busy', s.d)
      if s.deleted then redis.call('EXPIRE', K .. 'd:' .. s.d, 604800) end
      if s.drop > 0 then forget(s, 'drop') end
      s.ef, s.eu = 0, 0
      status = 'idle'
    elseif not s.known then
      disown(s)
      status = 'unknown'
    elseif leaving then
      disown(s)
      queueReady(s)
      status = 'left'
    else
      -- The counters may have drifted from the lists (Redis lost its last second): what is there must be found.
      if s.ef + s.eu == 0 then s.ef, s.eu = redis.call('LLEN', K .. 'f:' .. s.d), redis.call('LLEN', K .. 'u:' .. s.d) end
      status = 'again'
    end
  end
  save(s)
  local reply = { s.d, status, token }
  if status ~= 'idle' then reply[4], reply[5], reply[6] = s.bf, s.bp, till end
  if #out > 0 then
    reply[7], reply[8], reply[9], reply[10] = s.address, s.version, s.secrets, s.account
    for _, b in ipairs(out) do reply[#reply + 1] = b end
  end
  return reply
end

local function serve(s, slots, max, out, leaving)
  if s.known and s.active and not leaving then freeze(s, slots, max, out) end
  return finish(s, leaving, out)
end
`;
