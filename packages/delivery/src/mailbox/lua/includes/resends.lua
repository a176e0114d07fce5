-- Resends: failed batches, each frozen in a hash `K x:<id>`. `s.resends` counts them, and `s.dueResends` those that are
-- due, in the list `K q:<destination>`.
--- @include lanes
local RESENDS_A_PAGE, PAGES_MAX = 100, 10

local function queueDue(id)
  call('RPUSH', K .. 'q:' .. s.destination, id)
  s.dueResends = s.dueResends + 1
end

local function addResend(id)
  s.resends = s.resends + call('SADD', K .. 'xs:' .. s.destination, id)
end

local function removeResend(id)
  call('DEL', K .. 'x:' .. id)
  s.resends = s.resends - call('SREM', K .. 'xs:' .. s.destination, id)
  call('ZREM', K .. 'due', id)
end

-- Makes one resend due, as a probe of the receiver.
local function makeOneResendDue()
  local id = call('SRANDMEMBER', K .. 'xs:' .. s.destination)
  if id and call('ZREM', K .. 'due', id) == 1 then queueDue(id) end
end

-- Goes on with what "send now" began: one pass over the resends from the position `s.sendNow`. The next page becomes
-- due when the receiver has taken the last one, so that a receiver that fails costs few resends an attempt. Returns
-- whether the pass must go on although nothing is due.
local function continueSendNow()
  if s.sendNow == '' or s.failures > 0 or s.dueResends > 0 then return false end
  if s.record ~= ACTIVE or s.pausedUntilMs > NOW then return false end
  for _ = 1, PAGES_MAX do
    local position = s.sendNow == 'start' and '0' or s.sendNow
    local reply = call('SSCAN', K .. 'xs:' .. s.destination, position, 'COUNT', RESENDS_A_PAGE)
    for _, id in ipairs(reply[2]) do
      if call('ZREM', K .. 'due', id) == 1 then queueDue(id) end
    end
    s.sendNow = reply[1] == '0' and '' or reply[1]
    if s.sendNow == '' or s.dueResends > 0 then return false end
  end
  return true
end
