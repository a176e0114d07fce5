-- Settles attempts: the events of each are acknowledged, become resends, or become dead letters.
--- @include contents
--- @include dead-letters
--- @include redriven
--- @include resends
--- @include window
-- Ids of batches that failed because of an address that their destination no longer has. They are sent to the new one.
local resentElsewhere
onCall(function() resentElsewhere = {} end)

-- A settle: {id, delivered, {follow-up...}, attempt, tried if events are given up}. The attempt is part of it, because
-- a resend keeps its id, and a repeated settle must not match the next freezing.
-- A follow-up: {type x|q|d, id, wid, step, events, attempt, error, wait, body argument, at, search, trace contexts if
-- it has some}. x is a resend after `wait` ms, q a resend that is due now, d a dead letter.
-- Tried: {address, version, 1 if only the address caused the failure}.
local function settle(s, o, inFlightById)
  local id, delivered, followUps, attempt, tried = unpack(o)
  local batch = inFlightById[id]
  if not batch or batch[ATTEMPT] ~= attempt or batch[SETTLED] == 1 then return end
  batch[SETTLED] = 1
  s.changed = true
  s.settled = (s.settled or 0) + delivered
  -- The change of the account's bytes: the batch's are freed, those of its follow-ups are kept.
  local bytes = -batch[BYTES]
  local isRedriven = batch[LANE] == 'x' and redis.call('HEXISTS', K .. 'x:' .. id, 'redriven') == 1
  if isRedriven then countRedriven(s.account, 'delivered', delivered) end
  local isJudged = tried and tried[3] == 1 and tried[2] ~= s.version and s.active
  if isJudged then resentElsewhere[#resentElsewhere + 1] = id end
  local keepsRecord = false
  for _, followUp in ipairs(followUps) do
    local kind, newId, wid, step, events, attempts, why, wait, bodyArgument, at, search, traces = unpack(followUp)
    if kind == 'd' and not isJudged then
      local body = ARGV[bodyArgument]
      bytes = bytes + #body
      keepDeadLetter(s, newId, tried[1], events, #body, attempts, why,
        { 'type', 'batch', 'wid', wid, 'body', body, 'at', at })
      if traces then redis.call('HSET', K .. 'dl:' .. newId, 'traces', traces) end
      if isRedriven then countRedriven(s.account, 'failed', events) end
    else
      local key = K .. 'x:' .. newId
      if newId == id and batch[LANE] == 'x' then
        keepsRecord = true
        bytes = bytes + batch[BYTES]
        redis.call('HSET', key, 'step', step, 'search', search, 'error', why)
      else
        local body = ARGV[bodyArgument]
        bytes = bytes + #body
        redis.call('HSET', key, 'dest', s.d, 'wid', wid, 'step', step, 'search', search, 'events', events,
          'attempt', attempts, 'error', why, 'body', body, 'at', at)
        if traces then redis.call('HSET', key, 'traces', traces) end
        if isRedriven then redis.call('HSET', key, 'redriven', 1) end
        redis.call('SADD', K .. 'xs:' .. s.d, newId)
      end
      if kind ~= 'x' then queueDue(s, newId) else redis.call('ZADD', K .. 'due', NOW + wait, newId) end
    end
  end
  if batch[LANE] == 'x' and not keepsRecord then removeResend(s, id) end
  s.freed = (s.freed or 0) + bytes
end

local function settleAll(s, settles)
  if #settles == 0 then return end
  local inFlightById = {}
  for _, batch in ipairs(s.win) do if batch[SETTLED] == 0 then inFlightById[batch[ID]] = batch end end
  for _, o in ipairs(settles) do settle(s, o, inFlightById) end
  trim(s)
end
