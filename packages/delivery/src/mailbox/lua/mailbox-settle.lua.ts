/** Settles an attempt: its events are acknowledged, become resends, or become dead letters. Follows `mailbox-state.lua.ts`. */
export const SETTLE_LUA = `
local KEPT_MS = 604800000
-- A dead letter's record lives longer than its places in the lists, because their removal needs its bytes. Redis's own expiry follows every step of its clock,
-- so it only removes what no heartbeat has removed for a month.
local RECORD_KEPT_MS = KEPT_MS + 2592000000

-- Removes up to n expired dead letters of both mechanisms. A million may expire on one day.
local function expireDeadLetters(n)
  local expired = redis.call('ZRANGEBYSCORE', P .. 'dls', '-inf', NOW - KEPT_MS, 'LIMIT', 0, n)
  for _, member in ipairs(expired) do
    local base, id = P .. string.sub(member, 1, 1) .. ':', string.sub(member, 2)
    local account, bytes, v = unpack(redis.call('HMGET', base .. 'dl:' .. id, 'account', 'bytes', 'v'))
    -- A newer version removes its own.
    if not isNewer(v) then
      if account then
        hold(account, -tonumber(bytes or 0))
        redis.call('ZREM', P .. 'dls:' .. account, member)
      end
      redis.call('UNLINK', base .. 'dl:' .. id, base .. 'dlm:' .. id)
      redis.call('ZREM', P .. 'dls', member)
    end
  end
  return #expired
end

local function keepDeadLetter(s, id, address, events, bytes, attempts, why, extra)
  local key = K .. 'dl:' .. id
  redis.call('HSET', key, 'account', s.account, 'dest', s.d, 'address', address, 'events', events, 'bytes', bytes, 'attempts', attempts, 'error', why, 'time', NOW, 'v', FORMAT,
    unpack(extra))
  redis.call('PEXPIRE', key, RECORD_KEPT_MS)
  local member = (CAMPAIGN and 'c' or 't') .. id
  for _, list in ipairs({ P .. 'dls', P .. 'dls:' .. s.account }) do
    redis.call('ZADD', list, NOW, member)
    redis.call('PEXPIRE', list, RECORD_KEPT_MS)
  end
  count(s.account, -events)
end

local function dropResend(s, id)
  redis.call('DEL', K .. 'x:' .. id)
  redis.call('SREM', K .. 'xs:' .. s.d, id)
  redis.call('ZREM', K .. 'due', id)
end

-- Ids of batches that failed because of an address that their destination no longer has.
local follows = {}

-- A settle: {id, delivered, {follow-up...}, attempt, tried if events are given up}. It names the attempt, because a resend keeps its id and a repeated
-- settle must not match the next freezing.
-- A follow-up: {type x|q|d, id, wid, step, refused, split, events, attempt, error, wait, body argument, at, search, trace contexts if it has some}.
-- Tried: {address, version, 1 if only the address caused the failure}.
local function settle(s, o, opened)
  local e = opened[o[1]]
  if not e or e[5] ~= o[4] or e[6] == 1 then return end
  e[6] = 1
  s.changed = true
  s.settled = (s.settled or 0) + o[2]
  -- The change of the account's bytes: the batch's are freed, those of its follow-ups are kept.
  local bytes = -(e[7] or 0)
  local tried = o[5]
  local isJudged = tried and tried[3] == 1 and tried[2] ~= s.version and s.active
  if isJudged then follows[#follows + 1] = o[1] end
  local same = false
  for _, f in ipairs(o[3]) do
    if f[1] == 'd' and not isJudged then
      local body = ARGV[f[11]]
      bytes = bytes + #body
      keepDeadLetter(s, f[2], tried[1], f[7], #body, f[8], f[9], { 'type', 'batch', 'wid', f[3], 'body', body, 'at', f[12] })
      if f[14] then redis.call('HSET', K .. 'dl:' .. f[2], 'traces', f[14]) end
    else
      if f[2] == o[1] and e[2] == 'x' then
        same = true
        bytes = bytes + (e[7] or 0)
        redis.call('HSET', K .. 'x:' .. f[2], 'step', f[4], 'refused', f[5], 'split', f[6], 'search', f[13], 'error', f[9], 'v', FORMAT)
      else
        bytes = bytes + #ARGV[f[11]]
        redis.call('HSET', K .. 'x:' .. f[2], 'dest', s.d, 'wid', f[3], 'step', f[4], 'refused', f[5], 'split', f[6], 'search', f[13], 'events', f[7], 'attempt', f[8],
          'error', f[9], 'body', ARGV[f[11]], 'at', f[12], 'v', FORMAT)
        if f[14] then redis.call('HSET', K .. 'x:' .. f[2], 'traces', f[14]) end
        redis.call('SADD', K .. 'xs:' .. s.d, f[2])
      end
      if f[1] ~= 'x' then queueDue(s, f[2]) else redis.call('ZADD', K .. 'due', NOW + f[10], f[2]) end
    end
  end
  if e[2] == 'x' and not same then dropResend(s, o[1]) end
  s.freed = (s.freed or 0) + bytes
end

local function settleAll(s, settles)
  if #settles == 0 then return end
  local opened = {}
  for _, e in ipairs(s.win) do if e[6] == 0 then opened[e[1]] = e end end
  for _, o in ipairs(settles) do settle(s, o, opened) end
  trim(s)
end
`;
