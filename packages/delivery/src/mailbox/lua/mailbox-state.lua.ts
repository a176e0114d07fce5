import { CLOCK_LUA } from './clock.lua.ts';
import { FORMAT_LUA } from './format.lua.ts';
import { SUMS_LUA } from './sums.lua.ts';

/** How long a worker keeps its destinations without a heartbeat. */
export const LEASE_MS = 2500;

/** Reading, changing and writing a mailbox's state, and its places in the shard's lists. See `mailbox.lua.ts` for the keys. */
export const STATE_LUA = `
${FORMAT_LUA}
local K, P = KEYS[1], KEYS[2]
local CAMPAIGN = string.sub(K, -2) == 'c:'
local WINDOW_MAX = 32
local BODY_MAX = 1048576
local budget = 1048576
local leased = false
-- Set by the scripts that freeze: the number of the worker's call, and the longest wait of an event in ms.
local CALL, MAX_AGE = '0', math.huge
${CLOCK_LUA}

-- A step writes only the fields that it changes, because each costs as much as a small command.
local FIELDS = { 'owner', 'win', 'ef', 'eu', 'bf', 'bp', 'bu', 'lane', 'turn', 'ready', 'active', 'address', 'version', 'secrets', 'account', 'paused', 'drop', 'size', 'proven', 'v' }

local function load(d)
  local key = K .. 'd:' .. d
  local v = redis.call('HMGET', key, unpack(FIELDS))
  local s = { d = d, was = v, owner = v[1] or '', win = (v[2] and v[2] ~= '') and cjson.decode(v[2]) or {}, ef = tonumber(v[3] or 0), eu = tonumber(v[4] or 0),
    bf = tonumber(v[5] or 0), bp = tonumber(v[6] or 0), bu = tonumber(v[7] or 0), lane = v[8] or 'f', turn = v[9] or '',
    ready = v[10] == '1', active = v[11] == '1', address = v[12] or '', known = v[13] and true or false, version = v[13] or '0', secrets = v[14] or '',
    account = v[15] or '', paused = tonumber(v[16] or 0), drop = tonumber(v[17] or 0), size = v[18] or '', proven = v[19] == '1', v = v[20], newer = isNewer(v[20]), deleted = false, reason = '', frozen = 0 }
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

-- Times cross to workers as remaining milliseconds, because their clocks differ. -1 for none.
local function remaining(till) return till > 0 and math.max(0, till - NOW) or -1 end

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

-- Destinations with a successful last attempt have their own list, so that receivers that hang do not delay them.
local function pushReady(s)
  if redis.call('RPUSH', K .. (s.proven and 'proven' or 'ready'), s.d) == 1 then redis.call('PUBLISH', K .. 'ready', '1') end
end

local function queueReady(s)
  if s.ready or s.owner ~= '' then return end
  s.ready = true
  pushReady(s)
end

-- Ends an operator's pause or give-up.
local function forget(s, field)
  s[field] = 0
  redis.call('HDEL', K .. 'd:' .. s.d, field)
  if field ~= 'paused' then return end
  redis.call('ZREM', K .. 'paused', s.d)
  redis.call('ZREM', K .. 'parked', s.d)
end

-- Leaves a mailbox of a newer format to a worker that can read it, with the owner that gave it up. That worker's heartbeat finds it here.
local function setAside(s) redis.call('ZADD', K .. 'newer', s.v, s.owner .. ' ' .. s.d) end

local function worker(token) return string.match(token, '^[^.]+') end

local function claim(s, w, n, isBusy)
  s.owner = w .. '.' .. n
  -- Only the owner raises the format. A worker of an older version that owns the mailbox can thus still settle its batches.
  if tonumber(s.v or 1) < FORMAT then s.v = tostring(FORMAT) end
  -- The worker may have lost its lease or sent no heartbeat yet. Without a lease, nobody would notice its death.
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
  if #kept < #s.win then s.win, s.changed = kept, true end
  for lane, n in pairs(cut) do if n > 0 then redis.call('LTRIM', K .. lane .. ':' .. s.d, n, -1) end end
end

${SUMS_LUA}
-- Counts an account's bytes in waiting events, resends and dead letters.
local function hold(account, bytes) addToSum('held', account, bytes) end

local waitingMax
-- Counts an account's undelivered events, and notes when they cross the limit that the publishers refuse at.
local function count(account, events)
  if events == 0 or account == '' then return end
  waitingMax = waitingMax or tonumber(redis.call('GET', P .. 'waiting-max') or math.huge)
  local now = redis.call('HINCRBY', P .. 'undelivered', account, events)
  local before = now - events
  if now <= 0 then
    redis.call('HDEL', P .. 'undelivered', account)
    -- Without events and dead letters, a remaining sum of bytes is wrong. Older versions do not count bytes.
    local bytes = tonumber(redis.call('HGET', P .. 'held', account) or 0)
    if bytes ~= 0 and redis.call('EXISTS', P .. 'dls:' .. account) == 0 then hold(account, -bytes) end
  end
  if before <= waitingMax and now > waitingMax then redis.call('SADD', P .. 'overfull', account) end
  if before > waitingMax and now <= waitingMax then
    local queued = tonumber(redis.call('HGET', P .. 'queued-events', account) or 0)
    if now + queued <= waitingMax then redis.call('SREM', P .. 'overfull', account) end
  end
end
`;
