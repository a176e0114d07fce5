-- Settles attempts: the events of each are acknowledged, become resends, or become dead letters.
--- @include dead-letters
--- @include log
--- @include redriven
--- @include resends
-- Ids of batches that failed because of an address that their destination no longer has. They are sent to the new one.
local resentElsewhere
onCall(function() resentElsewhere = {} end)

-- Removes settled batches. Of each lane, only the longest settled prefix can go, because the lane is a list.
local function trim()
  local gone, blocked, n = { f = 0, u = 0, r = 0 }, {}, 0
  for i = 1, s.batches do
    local b = s.window[i]
    if b.isSettled and not blocked[b.lane] then
      if b.lane ~= 'x' then gone[b.lane] = gone[b.lane] + b.entries end
    else
      n = n + 1
      s.window[n], s.window[i] = b, s.window[n]
      if b.lane ~= 'x' then blocked[b.lane] = true end
    end
  end
  s.batches = n
  removeFirst('f', gone.f)
  removeFirst('u', gone.u)
  removeFirst('r', gone.r)
end

local function findInFlight(id)
  for i = 1, s.batches do
    if s.window[i].id == id and not s.window[i].isSettled then return s.window[i] end
  end
end

-- Writes a follow-up as a resend. The record of a resend that fails again has its body already.
local function keepResend(followUp, isSame, isRedriven, shape)
  local key = K .. 'x:' .. followUp.id
  if isSame then
    call('HSET', key, 'step', followUp.step, 'search', followUp.search, 'error', followUp.error)
  else
    call('HSET', key, 'destination', s.destination, 'webhookId', followUp.webhookId, 'step', followUp.step,
      'search', followUp.search, 'events', followUp.events, 'attempt', followUp.attempt, 'error', followUp.error,
      'body', ARGV[followUp.body], 'acceptedAt', followUp.acceptedAt, 'shape', shape)
    if followUp.traces then call('HSET', key, 'traces', followUp.traces) end
    if isRedriven then call('HSET', key, 'redriven', 1) end
    addResend(followUp.id)
  end
  if followUp.type == 'resend' then
    call('ZADD', K .. 'due', NOW + followUp.waitMs, followUp.id)
  else
    queueDue(followUp.id)
  end
end

local function keepDead(account, address, followUp, shape)
  local body = ARGV[followUp.body]
  keepDeadLetter(followUp.id, account, address, followUp.events, #body, followUp.attempt, followUp.error,
    { 'type', 'batch', 'webhookId', followUp.webhookId, 'body', body, 'acceptedAt', followUp.acceptedAt,
      'shape', shape })
  if followUp.traces then call('HSET', K .. 'dl:' .. followUp.id, 'traces', followUp.traces) end
end

-- Settles an attempt. Its number counts, because a resend keeps its id, and a repeated settle must not match the next
-- freezing. `sent`: what the event log keeps of the delivered events (log.lua), '' if it is off. `more`: nil if all
-- events were delivered, else the follow-ups and, if events are given up, `tried`: address and version of the
-- attempt, and whether only the address caused the failure.
local function settle(account, id, attempt, delivered, sent, more)
  local b = findInFlight(id)
  if not b or b.attempt ~= attempt then return end
  b.isSettled = true
  s.settled, s.freed = s.settled + delivered, s.freed - b.bytes
  if sent ~= '' then noteOutcome('delivered', account, attempt, sent) end
  local isRedriven = b.lane == 'x' and call('HEXISTS', K .. 'x:' .. id, 'redriven') == 1
  if isRedriven then countRedriven(account, 'delivered', delivered) end
  local tried = more and more.tried
  local isJudged = tried and tried.isOnlyAddressAtFault and tried.version ~= s.version and s.record == ACTIVE
  if isJudged then resentElsewhere[#resentElsewhere + 1] = id end
  local keepsRecord = false
  for _, followUp in ipairs(more and more.followUps or {}) do
    if followUp.type == 'dead' and not isJudged then
      s.freed = s.freed + #ARGV[followUp.body]
      keepDead(account, tried.address, followUp, b.shape)
      if followUp.sent then noteOutcome('dead', account, attempt, followUp.sent) end
      if isRedriven then countRedriven(account, 'failed', followUp.events) end
    else
      local isSame = followUp.id == id and b.lane == 'x'
      keepsRecord = keepsRecord or isSame
      s.freed = s.freed + (isSame and b.bytes or #ARGV[followUp.body])
      keepResend(followUp, isSame, isRedriven, b.shape)
    end
  end
  if b.lane == 'x' and not keepsRecord then removeResend(id) end
end
