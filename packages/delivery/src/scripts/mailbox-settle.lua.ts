/** What becomes of an answered batch: confirmed, kept as a resend, or a dead letter. Follows `mailbox-state.lua.ts`. */
export const SETTLE_LUA = `
local KEPT_MS = 604800000

local function keepDeadLetter(s, id, address, events, attempts, why, extra)
  local key = K .. 'dl:' .. id
  redis.call('HSET', key, 'account', s.account, 'dest', s.d, 'address', address, 'events', events, 'attempts', attempts, 'error', why, 'time', NOW, unpack(extra))
  redis.call('PEXPIRE', key, KEPT_MS)
  local member = (CAMPAIGN and 'c' or 't') .. id
  for _, list in ipairs({ P .. 'dls', P .. 'dls:' .. s.account }) do
    redis.call('ZADD', list, NOW, member)
    -- A few at a time: a million of them may expire on one day.
    local expired = redis.call('ZRANGEBYSCORE', list, '-inf', NOW - KEPT_MS, 'LIMIT', 0, 20)
    if #expired > 0 then redis.call('ZREM', list, unpack(expired)) end
    redis.call('PEXPIRE', list, KEPT_MS)
  end
  count(s.account, -events)
end

local function dropResend(s, id)
  redis.call('DEL', K .. 'x:' .. id)
  redis.call('SREM', K .. 'xs:' .. s.d, id)
  redis.call('ZREM', K .. 'due', id)
end

-- Batches whose address was judged (a 410, a blocked address) after their destination had got another record: their ids.
local follows = {}

-- A settle: {id, delivered, {follow-up...}, attempt, tried where something is given up}: a resend keeps its id, so a settle that comes twice must
-- not match its next freezing. A follow-up: {type x|q|d, id, wid, step, refused, split, events, attempt, error, wait, body argument, at, search, trace
-- contexts where it has some}. Tried: {address, version, 1 when the failure judges nothing but the address}.
local function settle(s, o, opened)
  local e = opened[o[1]]
  if not e or e[5] ~= o[4] or e[6] == 1 then return end
  e[6] = 1
  s.changed = true
  s.settled = (s.settled or 0) + o[2]
  local tried = o[5]
  local isJudged = tried and tried[3] == 1 and tried[2] ~= s.version and s.active
  if isJudged then follows[#follows + 1] = o[1] end
  local same = false
  for _, f in ipairs(o[3]) do
    if f[1] == 'd' and not isJudged then
      keepDeadLetter(s, f[2], tried[1], f[7], f[8], f[9], { 'type', 'batch', 'wid', f[3], 'body', ARGV[f[11]], 'at', f[12] })
      if f[14] then redis.call('HSET', K .. 'dl:' .. f[2], 'traces', f[14]) end
    else
      if f[2] == o[1] and e[2] == 'x' then
        same = true
        redis.call('HSET', K .. 'x:' .. f[2], 'step', f[4], 'refused', f[5], 'split', f[6], 'search', f[13], 'error', f[9])
      else
        redis.call('HSET', K .. 'x:' .. f[2], 'dest', s.d, 'wid', f[3], 'step', f[4], 'refused', f[5], 'split', f[6], 'search', f[13], 'events', f[7], 'attempt', f[8],
          'error', f[9], 'body', ARGV[f[11]], 'at', f[12])
        if f[14] then redis.call('HSET', K .. 'x:' .. f[2], 'traces', f[14]) end
        redis.call('SADD', K .. 'xs:' .. s.d, f[2])
      end
      if f[1] ~= 'x' then queueDue(s, f[2]) else redis.call('ZADD', K .. 'due', NOW + f[10], f[2]) end
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
`;
