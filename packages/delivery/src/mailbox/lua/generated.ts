// Generated from the *.lua files in this folder by `npm run lua`. Do not edit.

export const PARTS = {
  'abandon': `local s = load(ARGV[1])
if s.owner == '' or s.owner ~= ARGV[2] or s.newer then return 0 end
release(s)
queueReady(s)
save(s)
return 1
`,
  'add-counts': `for i, key in ipairs(KEYS) do
  local added = tonumber(ARGV[2 * i + 1])
  if redis.call('HINCRBY', key, ARGV[2 * i], added) == added then redis.call('EXPIRE', key, ARGV[1]) end
end
`,
  'add-rows': `local kept, keptBytes, ttl, at = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), 4
for _, key in ipairs(KEYS) do
  local last, length = at + tonumber(ARGV[at]), 0
  for from = at + 1, last, 1000 do
    length = redis.call('LPUSH', key, unpack(ARGV, from, math.min(last, from + 999)))
  end
  if length > kept + 500 then redis.call('LTRIM', key, 0, kept - 1) end
  local bytes = redis.call('MEMORY', 'USAGE', key, 'SAMPLES', 5) or 0
  if bytes > keptBytes then
    redis.call('LTRIM', key, 0, math.floor(redis.call('LLEN', key) * 0.9 * keptBytes / bytes))
  end
  if redis.call('TTL', key) < ttl - 86400 then redis.call('EXPIRE', key, ttl) end
  at = last + 1
end
`,
  'append': `local GROUPS_AT = 11
local MARK_KEPT_S = 3600
local w, claims, part = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[5])
if ARGV[3] ~= '' and redis.call('EXISTS', ARGV[3]) == 0 then return 'gone' end
if isNewer(redis.call('GET', P .. 'format')) then
  local at = GROUPS_AT
  while ARGV[at] do
    local v = redis.call('HGET', K .. 'd:' .. ARGV[at], 'v')
    if isNewer(v) then return { 'newer', tonumber(v) } end
    at = at + 5 + tonumber(ARGV[at + 4])
  end
end
local done
if ARGV[4] == '' then
  local field = CAMPAIGN and 'appendedC' or 'appendedT'
  done = tonumber(redis.call('HGET', ARGV[3], field) or 0)
  if done < part then redis.call('HSET', ARGV[3], field, part) end
else
  local mark = K .. 'mark:' .. ARGV[4]
  done = tonumber(redis.call('GET', mark) or 0)
  redis.call('SET', mark, math.max(done, part), 'EX', MARK_KEPT_S)
end
if done >= part then return 'again' end
local function peek(d, state, tally)
  local v = redis.call('HMGET', state, 'owner', 'ready', 'bu', 'deleted', 'version', tally, 'paused', 'proven')
  return {
    d = d, owner = v[1] or '', ready = v[2] == '1', bu = tonumber(v[3] or 0), deleted = v[4] == '1',
    known = v[5] and true or false, [tally] = tonumber(v[6] or 0), paused = tonumber(v[7] or 0), proven = v[8] == '1',
  }
end
local used, dropped, replies, mine, waiting, held = 0, 0, {}, {}, {}, {}
local prefix = w .. '.'
MAX_AGE = tonumber(ARGV[8])
local room = { [true] = tonumber(ARGV[9]), [false] = tonumber(ARGV[10]) }
local i = GROUPS_AT
while ARGV[i] do
  local d, account, lane, events, n = ARGV[i], ARGV[i + 1], ARGV[i + 2], tonumber(ARGV[i + 3]), tonumber(ARGV[i + 4])
  local from = i + 5
  i = from + n
  local state, tally = K .. 'd:' .. d, 'e' .. lane
  local s = room[true] + room[false] > 0 and load(d) or peek(d, state, tally)
  if s.deleted then
    dropped = dropped + events
  else
    local key, length = K .. lane .. ':' .. d, 0
    for at = from, i - 1, 1000 do length = redis.call('RPUSH', key, unpack(ARGV, at, math.min(i - 1, at + 999))) end
    waiting[account] = (waiting[account] or 0) + events
    for at = from, i - 1 do held[account] = (held[account] or 0) + #ARGV[at] end
    if length == n then redis.call('ZADD', K .. 'busy', 'NX', NOW, d) end
    local idle = s.owner == '' and not s.ready and s.bu <= NOW and s.paused <= NOW and s.known
    if idle and room[s.proven] > 0 then
      s[tally] = s[tally] + events
      claim(s, w, claims + used, true)
      used, room[s.proven] = used + 1, room[s.proven] - 1
      local out = {}
      reopen(s, out, {})
      replies[#replies + 1] = serve(s, 1, tonumber(ARGV[7]), tonumber(ARGV[6]), out, false)
    elseif idle then
      redis.call('HSET', state, 'ready', '1', tally, s[tally] + events)
      pushReady(s)
    else
      if s.known then
        redis.call('HINCRBY', state, tally, events)
      else
        redis.call('HSET', state, tally, s[tally] + events, 'v', FORMAT)
      end
      if string.sub(s.owner, 1, #prefix) == prefix then mine[#mine + 1] = d end
    end
  end
end
for account, bytes in pairs(held) do hold(account, bytes) end
for account, events in pairs(waiting) do count(account, events) end
return { used, dropped, replies, mine }
`,
  'claim-ids': `local KEPT_S = 86400
local duplicates = {}
for i = 2, #ARGV, 2 do
  local key = P .. 'id:' .. ARGV[i] .. ':' .. ARGV[i + 1]
  if not redis.call('SET', key, ARGV[1], 'NX', 'EX', KEPT_S) and redis.call('GET', key) ~= ARGV[1] then
    duplicates[#duplicates + 1] = i / 2 - 1
  end
end
return duplicates
`,
  'discard': `local letters, events = 0, 0
for i = 2, #ARGV do
  local key, member = K .. 'dl:' .. ARGV[i], ARGV[1] .. ARGV[i]
  local account, held, bytes, v = unpack(redis.call('HMGET', key, 'account', 'events', 'bytes', 'v'))
  if not account then redis.call('ZREM', P .. 'dls', member) end
  if account and not isNewer(v) then
    redis.call('ZREM', P .. 'dls', member)
    redis.call('ZREM', P .. 'dls:' .. account, member)
    redis.call('UNLINK', key, K .. 'dlm:' .. ARGV[i])
    addToSum('held', account, -tonumber(bytes or 0))
    letters, events = letters + 1, events + tonumber(held)
  end
end
return { letters, events }
`,
  'give-up': `if not s.active then return 'inactive' end
if #s.win == 0 and not holdsMail(s) and redis.call('SCARD', K .. 'xs:' .. s.d) == 0 then return 'empty' end
s.drop = NOW
redis.call('HSET', K .. 'd:' .. s.d, 'drop', NOW)
queueReady(s)
save(s)
return 'dropped'
`,
  'heartbeat': `local DEAD_LETTERS_KEPT_MS = 604800000
local STALL_MS = 1500
local LATE_MS = 250
local LOST_MS = 5000
local isSteady = math.abs(RAW - AT) <= GAP_MS
local function moveBase()
  if not isSteady then return end
  local less = math.min(math.abs(SHIFT), math.floor(math.max(0, RAW - AT) / 10))
  redis.call('SET', P .. 'clock', RAW .. ' ' .. (SHIFT > 0 and SHIFT - less or SHIFT + less))
end
local function expireDeadLetters(n)
  local expired = redis.call('ZRANGEBYSCORE', P .. 'dls', '-inf', NOW - DEAD_LETTERS_KEPT_MS, 'LIMIT', 0, n)
  for _, member in ipairs(expired) do
    local base, id = P .. string.sub(member, 1, 1) .. ':', string.sub(member, 2)
    local account, bytes, v = unpack(redis.call('HMGET', base .. 'dl:' .. id, 'account', 'bytes', 'v'))
    if not isNewer(v) then
      if account then
        hold(account, -tonumber(bytes or 0))
        redis.call('ZREM', P .. 'dls:' .. account, member)
      end
      redis.call('UNLINK', base .. 'dl:' .. id, base .. 'dlm:' .. id)
      redis.call('ZREM', P .. 'dls', member)
    end
  end
end
if ARGV[4] == '1' then moveBase() end
local workers, beat = K .. 'workers', K .. 'beat'
local before = tonumber(redis.call('GET', beat) or NOW)
redis.call('SET', beat, NOW)
if math.abs(NOW - before) > STALL_MS then
  local till = NOW + 2 * tonumber(ARGV[3])
  for _, alive in ipairs(redis.call('ZRANGEBYSCORE', workers, before, '+inf')) do
    redis.call('ZADD', workers, till, alive)
  end
end
redis.call('ZADD', workers, ARGV[2] ~= '0' and NOW + tonumber(ARGV[2]) or 0, ARGV[1])
local moved, isComplete = 0, 1
local dead = redis.call('ZRANGEBYSCORE', workers, '-inf', NOW, 'LIMIT', 0, 1)[1]
if dead then
  for _, d in ipairs(redis.call('SPOP', K .. 'owned:' .. dead, 200)) do
    local s = load(d)
    if s.newer and worker(s.owner) == dead then
      leaveToNewer(s)
    elseif s.owner ~= '' and worker(s.owner) == dead then
      s.owner = ''
      queueReady(s)
      save(s)
      moved = moved + 1
    end
  end
  if redis.call('SCARD', K .. 'owned:' .. dead) == 0 then redis.call('ZREM', workers, dead) end
  isComplete = redis.call('ZCOUNT', workers, '-inf', NOW) == 0 and 1 or 0
end
local function overdue(list, most)
  return redis.call('ZRANGEBYSCORE', K .. list, '-inf', NOW - LATE_MS, 'WITHSCORES', 'LIMIT', 0, most)
end
local function isLost(till) return tonumber(till) < NOW - LOST_MS and 1 or 0 end
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
for _, member in ipairs(redis.call('ZRANGEBYSCORE', K .. 'newer', '-inf', FORMAT, 'LIMIT', 0, 100)) do
  redis.call('ZREM', K .. 'newer', member)
  local owner, d = string.match(member, '^(%S*) (.*)$')
  local s = load(d)
  if s.owner == owner and s.newer then
    leaveToNewer(s)
  elseif s.owner == owner then
    if owner ~= '' then release(s) end
    s.ready = true
    pushReady(s)
    save(s)
  end
end
local newest = redis.call('ZREVRANGE', K .. 'newer', 0, 0, 'WITHSCORES')[2] or 0
return {
  redis.call('LLEN', K .. 'proven'), redis.call('LLEN', K .. 'ready'), moved, isComplete, resends, parkings,
  tonumber(newest), NOW, RAW, BASE, isSteady and 1 or 0,
}
`,
  'includes/account-sums': `local HEAVY_BYTES = 1000000
local function addToSum(name, account, bytes)
  if bytes == 0 or account == '' then return end
  local now = redis.call('HINCRBY', P .. name, account, bytes)
  if now <= 0 then redis.call('HDEL', P .. name, account) end
  if now > HEAVY_BYTES then
    redis.call('ZADD', P .. 'heavy-' .. name, now, account)
  elseif now - bytes > HEAVY_BYTES then
    redis.call('ZREM', P .. 'heavy-' .. name, account)
  end
end
`,
  'includes/accounts': `local function hold(account, bytes) addToSum('held', account, bytes) end
local waitingMax
local function count(account, events)
  if events == 0 or account == '' then return end
  waitingMax = waitingMax or tonumber(redis.call('GET', P .. 'waiting-max') or math.huge)
  local now = redis.call('HINCRBY', P .. 'undelivered', account, events)
  local before = now - events
  if now <= 0 then
    redis.call('HDEL', P .. 'undelivered', account)
    local bytes = tonumber(redis.call('HGET', P .. 'held', account) or 0)
    if bytes ~= 0 and redis.call('EXISTS', P .. 'dls:' .. account) == 0 then hold(account, -bytes) end
  end
  if before <= waitingMax and now > waitingMax then redis.call('SADD', P .. 'overfull', account) end
  if before > waitingMax and now <= waitingMax then
    local queued = tonumber(redis.call('HGET', P .. 'queued-events', account) or 0)
    if now + queued <= waitingMax then redis.call('SREM', P .. 'overfull', account) end
  end
end
`,
  'includes/base': `local K, P = KEYS[1], KEYS[2]
local CAMPAIGN = string.sub(K, -2) == 'c:'
`,
  'includes/clock': `local GAP_MS = 1500
local time = redis.call('TIME')
local RAW = time[1] * 1000 + math.floor(time[2] / 1000)
local BASE = redis.call('GET', P .. 'clock') or ''
local AT, SHIFT = string.match(BASE, '^(%S+) (%S+)$')
AT, SHIFT = tonumber(AT or RAW), tonumber(SHIFT or 0)
local NOW = SHIFT + math.max(AT - GAP_MS, math.min(RAW, AT + GAP_MS))
`,
  'includes/contents': `local function holdsMail(s)
  if redis.call('LLEN', K .. 'f:' .. s.d) > 0 then return true end
  return CAMPAIGN and redis.call('LLEN', K .. 'u:' .. s.d) > 0
end
local function holdsDue(s)
  if not s.queued then s.queued = redis.call('LLEN', K .. 'q:' .. s.d) end
  return s.queued > 0
end
local function queueDue(s, id)
  redis.call('RPUSH', K .. 'q:' .. s.d, id)
  s.queued = nil
end
`,
  'includes/dead-letters': `local DEAD_LETTER_RECORDS_KEPT_MS = 3196800000
local function keepDeadLetter(s, id, address, events, bytes, attempts, why, extra)
  local key = K .. 'dl:' .. id
  redis.call('HSET', key, 'account', s.account, 'dest', s.d, 'address', address, 'events', events, 'bytes', bytes,
    'attempts', attempts, 'error', why, 'time', NOW, 'v', FORMAT, unpack(extra))
  redis.call('PEXPIRE', key, DEAD_LETTER_RECORDS_KEPT_MS)
  local member = (CAMPAIGN and 'c' or 't') .. id
  for _, list in ipairs({ P .. 'dls', P .. 'dls:' .. s.account }) do
    redis.call('ZADD', list, NOW, member)
    redis.call('PEXPIRE', list, DEAD_LETTER_RECORDS_KEPT_MS)
  end
  count(s.account, -events)
end
`,
  'includes/entries': `local BODY_MAX = 1048576
local budget = 1048576
local function eventsOf(element) return tonumber(string.sub(element, 9, 12)) end
local function read(s, lane, from, n)
  local elements = redis.call('LRANGE', K .. lane .. ':' .. s.d, from, from + n - 1)
  for _, element in ipairs(elements) do budget = budget - #element end
  return elements
end
`,
  'includes/finish': `local DELETED_KEPT_S = 604800
local function remaining(till) return till > 0 and math.max(0, till - NOW) or -1 end
local function finish(s, leaving, out)
  local status = 'ok'
  local token = s.owner
  local till = s.bu
  if open(s) == 0 then
    local mail, due = holdsMail(s), holdsDue(s)
    local paused = s.active and s.paused > NOW
    local isGivenUp = s.known and (not s.active or s.drop > 0)
    if s.newer then
      release(s)
      leaveToNewer(s)
      status = 'left'
    elseif isGivenUp and (mail or due or redis.call('SCARD', K .. 'xs:' .. s.d) > 0) then
      status = 'purge'
    elseif not s.deleted and (paused or (s.bu > NOW and not due)) then
      release(s)
      if paused then till = s.paused end
      redis.call('ZADD', K .. 'parked', till, s.d)
      if not mail then redis.call('ZREM', K .. 'busy', s.d) end
      status = 'parked'
    elseif not mail and not due then
      release(s)
      redis.call('ZREM', K .. 'busy', s.d)
      if s.deleted then redis.call('EXPIRE', K .. 'd:' .. s.d, DELETED_KEPT_S) end
      if s.drop > 0 then forget(s, 'drop') end
      s.ef, s.eu = 0, 0
      status = 'idle'
    elseif not s.known then
      release(s)
      status = 'unknown'
    elseif s.expired then
      status = 'expired'
    elseif leaving then
      release(s)
      queueReady(s)
      status = 'left'
    else
      if s.ef + s.eu == 0 then
        s.ef, s.eu = redis.call('LLEN', K .. 'f:' .. s.d), redis.call('LLEN', K .. 'u:' .. s.d)
      end
      status = 'again'
    end
  end
  save(s)
  local reply = { s.d, status, token }
  if status ~= 'idle' then reply[4], reply[5], reply[6] = s.bf, s.bp, remaining(till) end
  if #out > 0 then
    reply[7], reply[8], reply[9], reply[10] = s.address, s.version, s.secrets, s.account
    reply[11], reply[12] = s.size, s.proven and 1 or 0
    for _, b in ipairs(out) do reply[#reply + 1] = b end
  end
  return reply
end
local function serve(s, window, most, max, out, leaving)
  if s.known and s.active and not leaving then freeze(s, window, most, max, out) end
  return finish(s, leaving, out)
end
`,
  'includes/forget': `local function forget(s, field)
  s[field] = 0
  redis.call('HDEL', K .. 'd:' .. s.d, field)
  if field ~= 'paused' then return end
  redis.call('ZREM', K .. 'paused', s.d)
  redis.call('ZREM', K .. 'parked', s.d)
end
`,
  'includes/format': `local FORMAT = 2
local function isNewer(v) return v and tonumber(v) > FORMAT end
local function refuseNewer(what, v)
  local reads = ', but this version of Mailhook reads the formats 1 to ' .. FORMAT
  return redis.error_reply('NEWERFORMAT ' .. what .. ' has format ' .. v .. reads .. '. A newer version must do this')
end
`,
  'includes/freeze': `local WINDOW_MAX = 32
local CALL, MAX_AGE = '0', math.huge
local function takeDue(s, out)
  while true do
    local id = redis.call('LPOP', K .. 'q:' .. s.d)
    if not id then return false end
    s.queued = s.queued and s.queued - 1
    local x = redis.call('HMGET', K .. 'x:' .. id, 'attempt', 'events', 'v')
    if isNewer(x[3]) then
      redis.call('LPUSH', K .. 'q:' .. s.d, id)
      s.v, s.newer, s.queued = x[3], true, nil
      return false
    end
    if x[1] then
      local e = { id, 'x', 0, tonumber(x[2]), tonumber(x[1]) + 1, 0 }
      s.win[#s.win + 1] = e
      s.changed = true
      out[#out + 1] = resendOf(e)
      s.turn = 'x'
      return true
    end
  end
end
local function splitElement(s, lane, position, n)
  local key = K .. lane .. ':' .. s.d
  local element = redis.call('LINDEX', key, position)
  local at, total = string.sub(element, 1, 8), eventsOf(element)
  local mark = string.sub(element, 13, 13) == '~' and string.sub(element, 13, 68) or ''
  local text = string.sub(element, 13 + #mark)
  local pos = 0
  for _ = 1, n do pos = string.find(text, '\\n', pos + 1, true) end
  redis.call('LSET', key, position, '|')
  redis.call('LINSERT', key, 'BEFORE', '|', at .. string.format('%04d', n) .. mark .. string.sub(text, 1, pos - 1))
  redis.call('LSET', key, position + 1, at .. string.format('%04d', total - n) .. mark .. string.sub(text, pos + 1))
  hold(s.account, 11 + #mark)
end
local function fitting(element, bytesMax)
  local n, pos = 0, 0
  repeat
    pos = string.find(element, '\\n', pos + 1, true)
    if not pos or pos + 5 * (n + 1) > bytesMax then return math.max(1, n) end
    n = n + 1
  until false
end
local function gather(s, lane, from, max)
  local key, list, events, bytes, step = K .. lane .. ':' .. s.d, {}, 0, 0, 10
  local bytesMax = tonumber(string.match(s.size, '^%d+')) or BODY_MAX
  while true do
    local some = redis.call('LRANGE', key, from + #list, from + #list + step - 1)
    for _, element in ipairs(some) do
      local n = eventsOf(element)
      local cost = #element + 5 * n
      if events + n > max or bytes + cost > bytesMax then
        if #list > 0 then return list, events, 0 end
        local fits = math.min(max, n)
        if cost > bytesMax then fits = math.min(fits, fitting(element, bytesMax)) end
        if fits < n then return list, 0, fits end
      end
      events, bytes = events + n, bytes + cost
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
local function enter(s, lane, elements, events, bytes)
  s.frozen = s.frozen + 1
  local e = { s.owner .. '.' .. CALL .. '.' .. s.frozen, lane, elements, events, 1, 0, bytes }
  s.win[#s.win + 1] = e
  s.changed = true
  s.lane, s.turn = lane, ''
  s['e' .. lane] = math.max(0, s['e' .. lane] - events)
  return e
end
local function hasExpired(s, element)
  if tonumber(string.sub(element, 1, 8), 36) >= NOW - MAX_AGE then return false end
  s.expired = true
  return true
end
local function takeBatch(s, lane, max, out)
  local from = frozenElements(s, lane)
  local elements, events, some = gather(s, lane, from, max)
  if some > 0 then
    splitElement(s, lane, from, some)
    elements, events = read(s, lane, from, 1), some
  end
  if #elements == 0 then s['e' .. lane] = 0; return 0 end
  if hasExpired(s, elements[1]) then return 0 end
  local bytes = 0
  for _, element in ipairs(elements) do bytes = bytes + #element end
  budget = budget - bytes
  local e = enter(s, lane, #elements, events, bytes)
  out[#out + 1] = { e[1], lane, 1, events, elements }
  return 1
end
local function takeNotifications(s, most, out)
  local elements = read(s, 'f', frozenElements(s, 'f'), math.min(most, WINDOW_MAX - #s.win))
  if #elements == 0 then s.ef = 0; return 0 end
  if hasExpired(s, elements[1]) then return 0 end
  for _, element in ipairs(elements) do
    out[#out + 1] = { enter(s, 'f', 1, 1, #element)[1], 'f', 1, 1, { element } }
  end
  return #elements
end
local function takeCampaign(s, busy, max, out)
  local mayLeave = false
  for _, lane in ipairs({ 'u', 'f' }) do
    local waiting = s['e' .. lane]
    if waiting > 0 and (busy[lane] == 0 or waiting >= max or s.size ~= '') then mayLeave = true end
  end
  if not mayLeave then return 0 end
  local first, second = 'u', 'f'
  if s.lane == 'u' and s.bu == 0 then first, second = 'f', 'u' end
  local taken = s['e' .. first] > 0 and takeBatch(s, first, max, out) or 0
  if taken == 0 and not s.expired and s['e' .. second] > 0 then taken = takeBatch(s, second, max, out) end
  if taken > 0 then busy[s.lane] = busy[s.lane] + 1 end
  return taken
end
local function places(s, window, most, fresh, due)
  local room = (s.bu > 0 and 1 or most) - fresh - due
  local forFresh, forDue = math.min(window - fresh, room), math.min(window - due, room)
  if s.bu == 0 and most > 1 then
    if forFresh == room and room > 0 and due == 0 and redis.call('SCARD', K .. 'xs:' .. s.d) > 0 then
      forFresh = forFresh - 1
    end
    if forDue == room and fresh == 0 then forDue = forDue - 1 end
  end
  return forFresh, forDue
end
local function freeze(s, window, most, max, out)
  if s.paused > NOW or s.drop > 0 then return end
  local busy = { f = 0, u = 0, x = 0 }
  for _, e in ipairs(s.win) do if e[6] == 0 then busy[e[2]] = busy[e[2]] + 1 end end
  if s.bu > 0 then max = 1 end
  local parked = s.bu > NOW
  while budget > 0 and not s.expired do
    local forFresh, forDue = places(s, window, most, busy.f + busy.u, busy.x)
    if parked or #s.win >= WINDOW_MAX then forFresh = 0 end
    if forDue > 0 and not holdsDue(s) then forDue = 0 end
    local taken = 0
    if forDue > 0 and s.turn ~= 'x' and takeDue(s, out) then
      taken, busy.x = 1, busy.x + 1
    elseif s.newer then
      return
    elseif forFresh > 0 and CAMPAIGN then
      taken = takeCampaign(s, busy, max, out)
    elseif forFresh > 0 and s.ef > 0 then
      taken = takeNotifications(s, forDue > 0 and 1 or forFresh, out)
      busy.f = busy.f + taken
    end
    if taken == 0 and forDue > 0 and takeDue(s, out) then taken, busy.x = 1, busy.x + 1 end
    if taken == 0 then return end
  end
end
`,
  'includes/mailbox': `local FIELDS = {
  'owner', 'win', 'ef', 'eu', 'bf', 'bp', 'bu', 'lane', 'turn', 'ready',
  'active', 'address', 'version', 'secrets', 'account', 'paused', 'drop', 'size', 'proven', 'v',
}
local function load(d)
  local key = K .. 'd:' .. d
  local v = redis.call('HMGET', key, unpack(FIELDS))
  local s = {
    d = d, was = v, owner = v[1] or '', win = (v[2] and v[2] ~= '') and cjson.decode(v[2]) or {},
    ef = tonumber(v[3] or 0), eu = tonumber(v[4] or 0),
    bf = tonumber(v[5] or 0), bp = tonumber(v[6] or 0), bu = tonumber(v[7] or 0),
    lane = v[8] or 'f', turn = v[9] or '', ready = v[10] == '1',
    active = v[11] == '1', address = v[12] or '', known = v[13] and true or false, version = v[13] or '0',
    secrets = v[14] or '', account = v[15] or '', paused = tonumber(v[16] or 0), drop = tonumber(v[17] or 0),
    size = v[18] or '', proven = v[19] == '1', v = v[20], newer = isNewer(v[20]),
    deleted = false, reason = '', frozen = 0,
  }
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
  if s.changed then put('win', #s.win > 0 and cjson.encode(s.win) or '') end
  for i = 3, 7 do
    local name = FIELDS[i]
    if s[name] ~= tonumber(v[i] or 0) then put(name, s[name]) end
  end
  if s.lane ~= (v[8] or 'f') then put('lane', s.lane) end
  if s.turn ~= (v[9] or '') then put('turn', s.turn) end
  if s.ready ~= (v[10] == '1') then put('ready', s.ready and '1' or '') end
  if s.size ~= (v[18] or '') then put('size', s.size) end
  if s.proven ~= (v[19] == '1') then put('proven', s.proven and '1' or '') end
  if s.v ~= v[20] then put('v', s.v) end
  if #changed > 0 then redis.call('HSET', K .. 'd:' .. s.d, unpack(changed)) end
end
`,
  'includes/newer': `local function leaveToNewer(s) redis.call('ZADD', K .. 'newer', s.v, s.owner .. ' ' .. s.d) end
`,
  'includes/operator': `local s = load(ARGV[1])
if s.newer then return refuseNewer('the destination', s.v) end
if not s.known or s.deleted then return 'unknown' end
`,
  'includes/ownership': `local LEASE_MS = 2500
local leased = false
local function worker(token) return string.match(token, '^[^.]+') end
local function claim(s, w, n, isBusy)
  s.owner = w .. '.' .. n
  if tonumber(s.v or 1) < FORMAT then s.v = tostring(FORMAT) end
  if not leased then redis.call('ZADD', K .. 'workers', 'NX', NOW + LEASE_MS, w) end
  leased = true
  redis.call('SADD', K .. 'owned:' .. w, s.d)
  if not isBusy then redis.call('ZADD', K .. 'busy', 'NX', NOW, s.d) end
  if s.bu > 0 or s.paused > 0 then redis.call('ZREM', K .. 'parked', s.d) end
  if s.paused > 0 and s.paused <= NOW then forget(s, 'paused') end
end
local function release(s)
  redis.call('SREM', K .. 'owned:' .. worker(s.owner), s.d)
  s.owner = ''
end
`,
  'includes/ready': `local function pushReady(s)
  local isFirst = redis.call('RPUSH', K .. (s.proven and 'proven' or 'ready'), s.d) == 1
  if isFirst then redis.call('PUBLISH', K .. 'ready', '1') end
end
local function queueReady(s)
  if s.ready or s.owner ~= '' then return end
  s.ready = true
  pushReady(s)
end
`,
  'includes/reopen': `local function reopen(s, out, known)
  local at = { f = 0, u = 0 }
  for _, e in ipairs(s.win) do
    if e[6] == 0 and not known[e[1]] then
      e[5] = e[5] + 1
      s.changed = true
      if e[2] == 'x' then
        out[#out + 1] = resendOf(e)
      else
        out[#out + 1] = { e[1], e[2], e[5], e[4], read(s, e[2], at[e[2]], e[3]) }
      end
    end
    if e[2] ~= 'x' then at[e[2]] = at[e[2]] + e[3] end
  end
end
`,
  'includes/resend-batch': `local function resendOf(e)
  local key = K .. 'x:' .. e[1]
  local x = redis.call('HMGET', key, 'at', 'body', 'wid', 'step', 'refused', 'split', 'search', 'traces')
  redis.call('HSET', key, 'attempt', e[5])
  e[7] = #(x[2] or '')
  budget = budget - e[7]
  return {
    e[1], 'x', e[5], e[4], x[2] or '', x[1] or '',
    x[3] or '', x[4] or '0', x[5] or '0', x[6] or '', x[7] or '', x[8] or nil,
  }
end
`,
  'includes/resends': `local function removeResend(s, id)
  redis.call('DEL', K .. 'x:' .. id)
  redis.call('SREM', K .. 'xs:' .. s.d, id)
  redis.call('ZREM', K .. 'due', id)
end
`,
  'includes/settle': `local resentElsewhere = {}
local function settle(s, o, opened)
  local e = opened[o[1]]
  if not e or e[5] ~= o[4] or e[6] == 1 then return end
  e[6] = 1
  s.changed = true
  s.settled = (s.settled or 0) + o[2]
  local bytes = -(e[7] or 0)
  local tried = o[5]
  local isJudged = tried and tried[3] == 1 and tried[2] ~= s.version and s.active
  if isJudged then resentElsewhere[#resentElsewhere + 1] = o[1] end
  local same = false
  for _, f in ipairs(o[3]) do
    if f[1] == 'd' and not isJudged then
      local body = ARGV[f[11]]
      bytes = bytes + #body
      local extra = { 'type', 'batch', 'wid', f[3], 'body', body, 'at', f[12] }
      keepDeadLetter(s, f[2], tried[1], f[7], #body, f[8], f[9], extra)
      if f[14] then redis.call('HSET', K .. 'dl:' .. f[2], 'traces', f[14]) end
    else
      local key = K .. 'x:' .. f[2]
      if f[2] == o[1] and e[2] == 'x' then
        same = true
        bytes = bytes + (e[7] or 0)
        redis.call('HSET', key, 'step', f[4], 'refused', f[5], 'split', f[6], 'search', f[13],
          'error', f[9], 'v', FORMAT)
      else
        bytes = bytes + #ARGV[f[11]]
        redis.call('HSET', key, 'dest', s.d, 'wid', f[3], 'step', f[4], 'refused', f[5], 'split', f[6], 'search', f[13],
          'events', f[7], 'attempt', f[8], 'error', f[9], 'body', ARGV[f[11]], 'at', f[12], 'v', FORMAT)
        if f[14] then redis.call('HSET', key, 'traces', f[14]) end
        redis.call('SADD', K .. 'xs:' .. s.d, f[2])
      end
      if f[1] ~= 'x' then queueDue(s, f[2]) else redis.call('ZADD', K .. 'due', NOW + f[10], f[2]) end
    end
  end
  if e[2] == 'x' and not same then removeResend(s, o[1]) end
  s.freed = (s.freed or 0) + bytes
end
local function settleAll(s, settles)
  if #settles == 0 then return end
  local opened = {}
  for _, e in ipairs(s.win) do if e[6] == 0 then opened[e[1]] = e end end
  for _, o in ipairs(settles) do settle(s, o, opened) end
  trim(s)
end
`,
  'includes/unfreeze': `local KEPT_TRACES_MAX, TRACE_SEPARATOR = 32, ' '
local function keepFrozen(s, e, elements)
  local texts, traces, seen = {}, {}, {}
  for i, element in ipairs(elements) do
    local marked = string.sub(element, 13, 13) == '~'
    texts[i] = string.sub(element, marked and 69 or 13)
    local context = marked and string.sub(element, 14, 68)
    if context and not seen[context] and #traces < KEPT_TRACES_MAX then
      seen[context] = true
      traces[#traces + 1] = context
    end
  end
  local body, key = table.concat(texts, '\\n'), K .. 'x:' .. e[1]
  hold(s.account, #body - (e[7] or #body))
  local wid = CAMPAIGN and 'msg_' .. e[1] or string.match(body, '^[^\\n]*')
  local at = string.sub(elements[1] or '', 1, 8)
  redis.call('HSET', key, 'dest', s.d, 'wid', wid, 'step', 0, 'refused', 1, 'split', '', 'events', e[4],
    'attempt', e[5], 'error', 'its worker ended while it was in flight', 'body', body, 'at', at, 'v', FORMAT)
  if #traces > 0 then redis.call('HSET', key, 'traces', table.concat(traces, TRACE_SEPARATOR)) end
  redis.call('SADD', K .. 'xs:' .. s.d, e[1])
  queueDue(s, e[1])
end
local function unfreeze(s)
  local at = { f = 0, u = 0 }
  for _, e in ipairs(s.win) do
    local lane = e[2]
    if lane == 'x' then
      if e[6] == 0 then queueDue(s, e[1]) end
    else
      if e[6] == 0 then keepFrozen(s, e, read(s, lane, at[lane], e[3])) end
      at[lane] = at[lane] + e[3]
    end
  end
  for lane, n in pairs(at) do if n > 0 then redis.call('LTRIM', K .. lane .. ':' .. s.d, n, -1) end end
  s.win, s.changed = {}, true
end
`,
  'includes/wake': `local EARLY_MS = 1000
local function wake(d, id)
  if id ~= '' then
    local due = redis.call('ZSCORE', K .. 'due', id)
    if not due or tonumber(due) > NOW + EARLY_MS then return 0 end
  end
  local s = load(d)
  if s.newer then return 0 end
  if id ~= '' then
    redis.call('ZREM', K .. 'due', id)
    redis.call('RPUSH', K .. 'q:' .. d, id)
  end
  if s.owner ~= '' or s.ready or not s.known then
    redis.call('ZREM', K .. 'parked', d)
    return 0
  end
  if s.active and s.drop == 0 and #s.win == 0 then
    local till = (s.paused > NOW or not holdsDue(s)) and math.max(s.bu, s.paused) or 0
    if till > NOW + EARLY_MS then
      redis.call('ZADD', K .. 'parked', 'NX', till, d)
      return 0
    end
  end
  if id ~= '' and s.active and s.paused > NOW then return 0 end
  local isEmpty = #s.win == 0 and not holdsMail(s) and not holdsDue(s)
  if s.paused <= NOW and isEmpty and (s.active or redis.call('SCARD', K .. 'xs:' .. d) == 0) then
    redis.call('ZREM', K .. 'busy', d)
    redis.call('ZREM', K .. 'parked', d)
    return 0
  end
  queueReady(s)
  save(s)
  return 1
end
`,
  'includes/window': `local function open(s)
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
  if #kept < #s.win then s.win, s.changed = kept, true end
  for lane, n in pairs(cut) do if n > 0 then redis.call('LTRIM', K .. lane .. ':' .. s.d, n, -1) end end
end
`,
  'next': `local max, most = tonumber(ARGV[2]), tonumber(ARGV[3])
CALL, MAX_AGE = ARGV[1], tonumber(ARGV[4])
local replies, delivered, freed = {}, {}, {}
local function applyResults(s, r)
  if type(r[6]) == 'table' and r[6][4] == s.version then
    s.bf, s.bp, s.bu = r[6][1], r[6][2], r[6][3] < 0 and 0 or NOW + r[6][3]
  end
  if type(r[9]) == 'table' and r[9][1] == s.version then s.size = r[9][2] end
  if s.bf > 0 then s.proven = false elseif (s.settled or 0) > 0 then s.proven = true end
  if type(r[7]) == 'table' and s.version == r[7][1] and s.active then
    s.active, s.reason = false, r[7][2]
    redis.call('HSET', K .. 'd:' .. s.d, 'active', '0', 'reason', s.reason, 'gone', s.version)
    redis.call('SADD', K .. 'gone', s.d)
  end
end
for i, r in ipairs(cjson.decode(ARGV[5])) do
  local s = load(r[1])
  if s.owner ~= r[2] then
    replies[i] = { r[1], 'refused', r[2] }
  elseif s.newer then
    leaveToNewer(s)
    replies[i] = { r[1], 'refused', r[2] }
  else
    settleAll(s, r[3])
    delivered[s.account] = (delivered[s.account] or 0) + (s.settled or 0)
    freed[s.account] = (freed[s.account] or 0) + (s.freed or 0)
    applyResults(s, r)
    local out = {}
    if type(r[8]) == 'table' then
      local known = {}
      for _, id in ipairs(r[8]) do known[id] = true end
      reopen(s, out, known)
    end
    if type(r[8]) == 'number' and open(s) > r[8] then
      save(s)
      replies[i] = { r[1], 'lost', r[2], s.bf, s.bp, remaining(s.bu) }
    elseif r[4] > 0 and budget > 0 then
      replies[i] = serve(s, r[4], most, max, out, r[5] == 1)
    else
      replies[i] = finish(s, r[5] == 1, out)
    end
  end
end
for account, bytes in pairs(freed) do hold(account, bytes) end
for account, events in pairs(delivered) do count(account, -events) end
return { replies, resentElsewhere }
`,
  'now': `return NOW
`,
  'pause': `if not s.active then return 'inactive' end
s.paused = tonumber(ARGV[2])
redis.call('HSET', K .. 'd:' .. s.d, 'paused', ARGV[2])
redis.call('ZADD', K .. 'paused', ARGV[2], s.d)
redis.call('ZREMRANGEBYSCORE', K .. 'paused', '-inf', NOW)
queueReady(s)
save(s)
return 'paused'
`,
  'probe': `if not s.active then return 'inactive' end
if s.paused > NOW then return 'paused' end
if s.bu <= NOW then return 'not parked' end
s.bu = NOW
if not holdsMail(s) and not holdsDue(s) then
  local id = redis.call('SRANDMEMBER', K .. 'xs:' .. s.d)
  if id and redis.call('ZREM', K .. 'due', id) == 1 then queueDue(s, id) end
end
queueReady(s)
save(s)
return 'probed'
`,
  'purge': `local OPERATOR_REASON = 'given up by an operator'
local s = load(ARGV[1])
local before = ARGV[4] ~= '' and NOW - tonumber(ARGV[4]) or nil
if s.newer or s.owner ~= ARGV[2] or open(s) > 0 then return 'refused' end
trim(s)
local drop = not before and s.active and s.drop > 0
local why = ARGV[5] ~= '' and ARGV[5] or (drop and OPERATOR_REASON or s.reason)
local cutoff = before or (drop and s.drop + 1)
if not before and s.active and not drop then return { 0, 0, 0, {}, s.account, why } end
local dead, dropped, letters = 0, 0, {}
local function newLetter(events, attempts)
  local id = ARGV[3] .. redis.call('HINCRBY', K .. 'd:' .. s.d, 'letters', 1)
  letters[#letters + 1] = { id, events, attempts }
  dead = dead + events
  return id
end
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
  removeResend(s, id)
end
local function oldest(lane)
  local key, n, events, bytes, group = K .. lane .. ':' .. s.d, 0, 0, 0, {}
  while true do
    local some = redis.call('LRANGE', key, n, n + 19)
    for _, element in ipairs(some) do
      local k = eventsOf(element)
      local isTooYoung = cutoff and tonumber(string.sub(element, 1, 8), 36) >= cutoff
      local isFull = events + k > 1000 or (n > 0 and bytes + #element > BODY_MAX)
      if isTooYoung or isFull then return n, events, bytes, group end
      n, events, bytes, group[n + 1] = n + 1, events + k, bytes + #element, element
    end
    if #some < 20 then return n, events, bytes, group end
  end
end
local function giveUpOldest(lane)
  local n, events, bytes, group = oldest(lane)
  if n == 0 then return false end
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
    redis.call('PEXPIRE', K .. 'dlm:' .. letter, DEAD_LETTER_RECORDS_KEPT_MS)
  end
  return true
end
local more = false
if not before then
  local ids = redis.call('SRANDMEMBER', K .. 'xs:' .. s.d, 100)
  for _, id in ipairs(ids) do giveUpResend(id) end
  more = #ids > 0 and not s.newer
  if #ids == 0 then redis.call('DEL', K .. 'q:' .. s.d) end
end
for _, lane in ipairs((more or s.newer) and {} or { 'u', 'f' }) do
  if giveUpOldest(lane) then more = true end
end
if drop and not more and not s.newer then forget(s, 'drop') end
save(s)
return { more and 1 or 0, dead, dropped, letters, s.account, why }
`,
  'queued': `local max = tonumber(redis.call('GET', P .. 'waiting-max') or math.huge)
for i = 1, #ARGV, 3 do
  local account = ARGV[i]
  local events = redis.call('HINCRBY', P .. 'queued-events', account, ARGV[i + 1])
  addToSum('queued', account, tonumber(ARGV[i + 2]))
  if events > max / 8 and events + tonumber(redis.call('HGET', P .. 'undelivered', account) or 0) > max then
    redis.call('SADD', P .. 'overfull', account)
  end
end
`,
  'raise-format': `local stored = tonumber(redis.call('GET', KEYS[1]) or 0)
if stored < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1]) end
return stored
`,
  'recount-queued': `for _, queue in ipairs(ARGV) do
  for _, list in ipairs({ 'wait', 'active', 'paused' }) do
    if redis.call('LLEN', queue .. list) > 0 then return 0 end
  end
  for _, set in ipairs({ 'delayed', 'prioritized' }) do
    if redis.call('ZCARD', queue .. set) > 0 then return 0 end
  end
end
local forgotten = redis.call('HLEN', P .. 'queued-events')
redis.call('UNLINK', P .. 'queued', P .. 'queued-events', P .. 'heavy-queued')
local max = tonumber(redis.call('GET', P .. 'waiting-max') or math.huge)
for _, account in ipairs(forgotten > 0 and redis.call('SMEMBERS', P .. 'overfull') or {}) do
  if tonumber(redis.call('HGET', P .. 'undelivered', account) or 0) <= max then
    redis.call('SREM', P .. 'overfull', account)
  end
end
return forgotten
`,
  'redrive': `local DEAD_LETTERS_KEPT_MS = 604800000
local key = K .. 'dl:' .. ARGV[1]
local l = redis.call('HMGET', key,
  'dest', 'account', 'type', 'wid', 'body', 'at', 'events', 'attempts', 'lane', 'traces', 'time', 'v')
if not l[1] or tonumber(l[11]) <= NOW - DEAD_LETTERS_KEPT_MS then return 0 end
if isNewer(l[12]) then return refuseNewer('the dead letter', l[12]) end
local s = load(l[1])
if s.newer then return refuseNewer('the destination', s.v) end
if not s.known or not s.active then return 0 end
local member = (CAMPAIGN and 'c' or 't') .. ARGV[1]
if l[3] == 'mail' then
  local from, lane = K .. 'dlm:' .. ARGV[1], K .. l[9] .. ':' .. s.d
  for at = 0, redis.call('LLEN', from) - 1, 1000 do
    redis.call('RPUSH', lane, unpack(redis.call('LRANGE', from, at, at + 999)))
  end
  redis.call('DEL', from)
  redis.call('HINCRBY', K .. 'd:' .. s.d, 'e' .. l[9], l[7])
  s = load(l[1])
else
  local resend = K .. 'x:' .. ARGV[2]
  redis.call('HSET', resend, 'dest', s.d, 'wid', l[4], 'step', 0, 'refused', 1, 'split', '', 'events', l[7],
    'attempt', l[8], 'error', '', 'body', l[5], 'at', l[6], 'v', FORMAT)
  if l[10] then redis.call('HSET', resend, 'traces', l[10]) end
  redis.call('SADD', K .. 'xs:' .. s.d, ARGV[2])
  redis.call('RPUSH', K .. 'q:' .. s.d, ARGV[2])
end
count(s.account, tonumber(l[7]))
redis.call('ZADD', K .. 'busy', NOW, s.d)
redis.call('DEL', key)
redis.call('ZREM', P .. 'dls', member)
redis.call('ZREM', P .. 'dls:' .. l[2], member)
if s.paused <= NOW and (s.bu <= NOW or l[3] ~= 'mail') then
  queueReady(s)
  save(s)
end
return 1
`,
  'remove-destination': `local DELETED_KEPT_S = 604800
local d, key = ARGV[1], K .. 'd:' .. ARGV[1]
if redis.call('EXISTS', key) == 0 then return 0 end
local v = redis.call('HGET', key, 'v')
if isNewer(v) then return refuseNewer('the destination', v) end
redis.call('HSET', key, 'deleted', '1', 'active', '0', 'reason', 'the subscription was deleted', 'secrets', '')
redis.call('ZREM', K .. 'parked', d)
redis.call('ZREM', K .. 'paused', d)
local s = load(d)
if s.owner == '' and (holdsMail(s) or holdsDue(s) or #s.win > 0 or redis.call('SCARD', K .. 'xs:' .. d) > 0) then
  queueReady(s)
  save(s)
elseif s.owner == '' then
  redis.call('EXPIRE', key, DELETED_KEPT_S)
end
return 1
`,
  'resume': `if s.paused <= NOW then return 'not paused' end
forget(s, 'paused')
queueReady(s)
save(s)
return 'resumed'
`,
  'save-destination': `local d, key = ARGV[1], K .. 'd:' .. ARGV[1]
local old = redis.call('HMGET', key,
  'version', 'deleted', 'address', 'active', 'gone', 'paused', 'account', 'reason', 'secrets', 'v')
if isNewer(old[10]) then return refuseNewer('the destination', old[10]) end
if old[2] == '1' then return 0 end
local isSameReceiver = old[7] == ARGV[2] and old[3] == ARGV[3] and old[4] == ARGV[4] and old[8] == ARGV[5]
if isSameReceiver and old[1] == ARGV[6] and old[9] == ARGV[7] then return 1 end
local version = tonumber(ARGV[6])
if old[1] and tonumber(old[1]) > version then return 0 end
local active, reason = ARGV[4], ARGV[5]
if old[5] and tonumber(old[5]) == version then
  redis.call('HSET', key, 'secrets', ARGV[7])
  return 1
end
redis.call('HSET', key, 'account', ARGV[2], 'address', ARGV[3], 'active', active, 'reason', reason, 'version', version,
  'secrets', ARGV[7])
if not old[1] then redis.call('HSET', key, 'v', FORMAT) end
local changed = old[3] ~= ARGV[3] or old[4] ~= active
if changed then
  redis.call('HSET', key, 'bf', 0, 'bp', 0, 'bu', 0, 'size', '', 'proven', '')
  if old[4] ~= active then
    redis.call('HDEL', key, 'paused', 'drop')
    redis.call('ZREM', K .. 'paused', d)
  end
  if old[4] ~= active or tonumber(old[6] or 0) <= NOW then redis.call('ZREM', K .. 'parked', d) end
end
if changed or not old[1] then
  local s = load(d)
  local holdsEvents = holdsMail(s) or holdsDue(s) or #s.win > 0
  if s.owner == '' and (holdsEvents or (not s.active and redis.call('SCARD', K .. 'xs:' .. d) > 0)) then
    queueReady(s)
    save(s)
  end
end
return 1
`,
  'set-clock': `if BASE ~= ARGV[1] or math.abs(RAW - tonumber(ARGV[2])) > GAP_MS then return 0 end
redis.call('SET', P .. 'clock', RAW .. ' ' .. ARGV[3])
return 1
`,
  'take': `MAX_AGE = tonumber(ARGV[8])
local UNREADABLE_MAX = 200
local replies, claims, unreadable = {}, tonumber(ARGV[2]), 0
local function takeFrom(list, most)
  local used = 0
  while used < most and budget > 0 and unreadable < UNREADABLE_MAX do
    local d = redis.call('LPOP', K .. list)
    if not d then return end
    local s = load(d)
    s.ready = false
    if s.newer then
      leaveToNewer(s)
      unreadable = unreadable + 1
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
`,
  'unqueued': `if redis.call('EXISTS', ARGV[1]) == 0 or redis.call('HSETNX', ARGV[1], 'unqueued' .. ARGV[2], '1') == 0 then return end
local max = tonumber(redis.call('GET', P .. 'waiting-max') or math.huge)
for i = 3, #ARGV, 3 do
  local account, n = ARGV[i], tonumber(ARGV[i + 1])
  local events = redis.call('HINCRBY', P .. 'queued-events', account, -n)
  if events <= 0 then redis.call('HDEL', P .. 'queued-events', account) end
  addToSum('queued', account, -tonumber(ARGV[i + 2]))
  local undelivered = tonumber(redis.call('HGET', P .. 'undelivered', account) or 0)
  if events + n > max / 8 and math.max(0, events) + undelivered <= max then
    redis.call('SREM', P .. 'overfull', account)
  end
end
`,
  'wake': `return wake(ARGV[1], ARGV[2])
`,
} as const;

export const COMMANDS = {
  mailhookAbandon: { flags: 'allow-oom', parts: ['includes/base', 'includes/format', 'includes/mailbox', 'includes/clock', 'includes/forget', 'includes/ownership', 'includes/ready', 'abandon'] },
  mailhookAddCounts: { flags: '', parts: ['add-counts'] },
  mailhookAddRows: { flags: '', parts: ['add-rows'] },
  mailhookAppend: { flags: '', parts: ['includes/base', 'includes/contents', 'includes/account-sums', 'includes/accounts', 'includes/clock', 'includes/format', 'includes/mailbox', 'includes/entries', 'includes/resend-batch', 'includes/freeze', 'includes/newer', 'includes/forget', 'includes/ownership', 'includes/ready', 'includes/window', 'includes/finish', 'includes/reopen', 'append'] },
  mailhookClaimIds: { flags: '', parts: ['includes/base', 'claim-ids'] },
  mailhookDiscard: { flags: '', parts: ['includes/base', 'includes/account-sums', 'includes/format', 'discard'] },
  mailhookDrop: { flags: 'allow-oom', parts: ['includes/base', 'includes/contents', 'includes/clock', 'includes/format', 'includes/mailbox', 'includes/ready', 'includes/operator', 'give-up'] },
  mailhookBeat: { flags: 'allow-oom', parts: ['includes/base', 'includes/account-sums', 'includes/accounts', 'includes/newer', 'includes/format', 'includes/mailbox', 'includes/clock', 'includes/forget', 'includes/ownership', 'includes/contents', 'includes/ready', 'includes/wake', 'heartbeat'] },
  mailhookNext: { flags: 'allow-oom', parts: ['includes/base', 'includes/contents', 'includes/account-sums', 'includes/accounts', 'includes/clock', 'includes/format', 'includes/mailbox', 'includes/entries', 'includes/resend-batch', 'includes/freeze', 'includes/newer', 'includes/forget', 'includes/ownership', 'includes/ready', 'includes/window', 'includes/finish', 'includes/reopen', 'includes/dead-letters', 'includes/resends', 'includes/settle', 'next'] },
  mailhookNow: { flags: 'allow-oom', parts: ['includes/base', 'includes/clock', 'now'] },
  mailhookPause: { flags: 'allow-oom', parts: ['includes/base', 'includes/clock', 'includes/format', 'includes/mailbox', 'includes/ready', 'includes/operator', 'pause'] },
  mailhookProbe: { flags: 'allow-oom', parts: ['includes/base', 'includes/contents', 'includes/clock', 'includes/format', 'includes/mailbox', 'includes/ready', 'includes/operator', 'probe'] },
  mailhookPurge: { flags: 'allow-oom', parts: ['includes/base', 'includes/clock', 'includes/format', 'includes/account-sums', 'includes/accounts', 'includes/dead-letters', 'includes/entries', 'includes/forget', 'includes/mailbox', 'includes/resends', 'includes/window', 'purge'] },
  mailhookQueued: { flags: '', parts: ['includes/base', 'includes/account-sums', 'queued'] },
  mailhookRaiseFormat: { flags: '', parts: ['raise-format'] },
  mailhookRecountQueued: { flags: 'allow-oom', parts: ['includes/base', 'recount-queued'] },
  mailhookRedrive: { flags: '', parts: ['includes/base', 'includes/account-sums', 'includes/accounts', 'includes/clock', 'includes/format', 'includes/mailbox', 'includes/ready', 'redrive'] },
  mailhookRemove: { flags: 'allow-oom', parts: ['includes/base', 'includes/contents', 'includes/format', 'includes/mailbox', 'includes/ready', 'remove-destination'] },
  mailhookResume: { flags: 'allow-oom', parts: ['includes/base', 'includes/forget', 'includes/clock', 'includes/format', 'includes/mailbox', 'includes/ready', 'includes/operator', 'resume'] },
  mailhookSave: { flags: 'allow-oom', parts: ['includes/base', 'includes/clock', 'includes/contents', 'includes/format', 'includes/mailbox', 'includes/ready', 'save-destination'] },
  mailhookSetClock: { flags: 'allow-oom', parts: ['includes/base', 'includes/clock', 'set-clock'] },
  mailhookTake: { flags: 'allow-oom', parts: ['includes/base', 'includes/contents', 'includes/account-sums', 'includes/accounts', 'includes/clock', 'includes/format', 'includes/mailbox', 'includes/entries', 'includes/resend-batch', 'includes/freeze', 'includes/newer', 'includes/forget', 'includes/ownership', 'includes/ready', 'includes/window', 'includes/finish', 'includes/reopen', 'includes/unfreeze', 'take'] },
  mailhookUnqueued: { flags: 'allow-oom', parts: ['includes/base', 'includes/account-sums', 'unqueued'] },
  mailhookWake: { flags: 'allow-oom', parts: ['includes/base', 'includes/clock', 'includes/contents', 'includes/format', 'includes/mailbox', 'includes/ready', 'includes/wake', 'wake'] },
} as const satisfies Readonly<
  Record<string, { readonly flags: string; readonly parts: readonly (keyof typeof PARTS)[] }>
>;
