-- Whether a mailbox holds new events or due resends.
--- @include base
-- Only campaigns have unsubscribes.
local function holdsNewEvents(s)
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
