-- Makes resends due before their time.
--- @include clock
--- @include contents
local RESENDS_A_PAGE, PAGES_MAX = 100, 10

-- One resend, as a probe of the receiver.
local function makeOneResendDue(s)
  local id = redis.call('SRANDMEMBER', K .. 'xs:' .. s.d)
  if id and redis.call('ZREM', K .. 'due', id) == 1 then queueDue(s, id) end
end

-- Goes on with what 'send now' began: one pass over the resends, whose position is the field `sendnow`. The next page
-- becomes due when the receiver has taken the last one, so that a receiver that fails costs few resends an attempt.
-- Returns whether the pass must go on although nothing is due.
local function continueSendNow(s)
  if s.sendnow == '' or s.bf > 0 or not s.active or s.paused > NOW or holdsDue(s) then return false end
  for _ = 1, PAGES_MAX do
    local position = s.sendnow == 'start' and '0' or s.sendnow
    local reply = redis.call('SSCAN', K .. 'xs:' .. s.d, position, 'COUNT', RESENDS_A_PAGE)
    for _, id in ipairs(reply[2]) do
      if redis.call('ZREM', K .. 'due', id) == 1 then queueDue(s, id) end
    end
    s.sendnow = reply[1] == '0' and '' or reply[1]
    if s.sendnow == '' or holdsDue(s) then return false end
  end
  return true
end
