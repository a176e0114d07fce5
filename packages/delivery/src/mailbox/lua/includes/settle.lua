-- Settles attempts: the events of each are acknowledged, become resends, or become dead letters.
--- @include contents
--- @include dead-letters
--- @include resends
--- @include window
-- Ids of batches that failed because of an address that their destination no longer has. They are sent to the new one.
local resentElsewhere = {}

-- A settle: {id, delivered, {follow-up...}, attempt, tried if events are given up}. The attempt is part of it, because
-- a resend keeps its id, and a repeated settle must not match the next freezing.
-- A follow-up: {type x|q|d, id, wid, step, refused, split, events, attempt, error, wait, body argument, at, search,
-- trace contexts if it has some}. x is a resend after `wait` ms, q a resend that is due now, d a dead letter.
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
