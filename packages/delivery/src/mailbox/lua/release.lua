--- @flags allow-oom
-- Settles the only batch of many destinations, which was delivered, and releases each destination that holds nothing
-- else. The short path of next.lua: a destination with anything unusual is left to that command.
--
-- ARGV: worker; per destination: destination, its account, token, id and attempt of the batch.
-- Reply: per destination 2 (settled and released), 1 (settled; the owner must continue with next.lua) or 0 (nothing
-- happened; next.lua must settle).
-- Guarantees: a call with another owner's token changes nothing. A repeated call settles the batch once.
--- @include accounts
--- @include single
local SINGLE_WINDOW = '^%[%["([^"]+)","([fu])",(%d+),(%d+),(%d+),0,(%d+)%]%]$'
local replies, released, delivered, freed = {}, {}, {}, {}

-- Whether the destination may be released on the short path, when it is empty.
local function isUsual(active, paused, drop, sendnow)
  return active == '1' and isDefault(paused) and isDefault(drop) and isDefault(sendnow)
end

-- Whether new events or resends wait.
local function holdsMore(d)
  local f, q = K .. 'f:' .. d, K .. 'q:' .. d
  return (CAMPAIGN and redis.call('EXISTS', f, q, K .. 'u:' .. d) or redis.call('EXISTS', f, q)) > 0
end

local function settleSingle(d, account, token, id, attempt)
  local key = K .. 'd:' .. d
  local owner, win, proven, active, paused, drop, sendnow =
    unpack(redis.call('HMGET', key, 'owner', 'win', 'proven', 'active', 'paused', 'drop', 'sendnow'))
  local frozen, lane, entries, events, tries, bytes = string.match(win or '', SINGLE_WINDOW)
  if owner ~= token or frozen ~= id or tries ~= attempt then return 0 end
  if not isUsual(active, paused, drop, sendnow) then return 0 end
  redis.call('LTRIM', K .. lane .. ':' .. d, entries, -1)
  delivered[account] = (delivered[account] or 0) - events
  freed[account] = (freed[account] or 0) - bytes
  local isOver = not holdsMore(d)
  local changed = { 'win', '' }
  if isOver then changed[3], changed[4] = 'owner', '' end
  if proven ~= '1' then
    changed[#changed + 1] = 'proven'
    changed[#changed + 1] = '1'
  end
  redis.call('HSET', key, unpack(changed))
  if isOver then released[#released + 1] = d end
  return isOver and 2 or 1
end

for at = 2, #ARGV, 5 do
  replies[#replies + 1] = settleSingle(ARGV[at], ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4])
end
if #released > 0 then
  redis.call('SREM', K .. 'owned:' .. ARGV[1], unpack(released))
  redis.call('ZREM', K .. 'busy', unpack(released))
end
addAccountsBytes(freed)
addAccountsEvents(delivered)
return replies
