-- Puts destinations on the ready lists, where workers take them.
--- @include base
-- Destinations with a successful last attempt have a separate list, so that receivers that hang do not delay them.
local function pushReady(s)
  local isFirst = redis.call('RPUSH', K .. (s.proven and 'proven' or 'ready'), s.d) == 1
  if isFirst then redis.call('PUBLISH', K .. 'ready', '1') end
end

local function queueReady(s)
  if s.ready or s.owner ~= '' then return end
  s.ready = true
  pushReady(s)
end
