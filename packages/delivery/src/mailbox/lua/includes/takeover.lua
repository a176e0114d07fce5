-- Puts back the mailboxes of a worker whose lease has ended. It looks through all live mailboxes, a page per call, and
-- finds every one that the worker owns, because a worker without a lease claims nothing (owner.lua).
--- @include owner
--- @constants LOST_WORKERS_KEPT_MS, LOST_WORKERS_MAX
local PAGE = 200
-- By K: the worker whose mailboxes are searched, the end of its lease, and the cursor of the next page. It is in memory
-- only, because a cursor has no meaning after Redis has loaded its data, from a file or from another master: it then
-- loads the functions anew too. If the worker has had another lease, it may have claimed mailboxes behind the cursor,
-- and the search begins anew.
local searches = {}

-- Forgets a worker that owns nothing any more. One that stopped gave its lease an end below 0. Operators look for the
-- others.
local function forgetWorker(dead, till)
  call('ZREM', K .. 'workers', dead)
  if tonumber(till) > 0 then return call('ZADD', K .. 'lost', till, dead) end
  call('HDEL', K .. 'hosts', dead)
end

-- Returns the number of mailboxes that were put back, and whether no dead worker is left. To be called in `run`.
local function takeOver()
  local dead, till = unpack(call('ZRANGEBYSCORE', K .. 'workers', '-inf', NOW, 'WITHSCORES', 'LIMIT', 0, 1))
  if not dead then return 0, true end
  local moved, search = 0, searches[K]
  if not search or search.dead ~= dead or search.till ~= till then
    search = { dead = dead, till = till, cursor = '0' }
    searches[K] = search
  end
  search.cursor = visitOwned(dead, search.cursor, PAGE, function()
    queueReady()
    save()
    moved = moved + 1
  end)
  if search.cursor == '0' then forgetWorker(dead, till) end
  return moved, call('ZCOUNT', K .. 'workers', '-inf', NOW) == 0
end

-- Operators see lost workers for a time.
local function forgetLostWorkers()
  local lost = K .. 'lost'
  local n = max(call('ZCOUNT', lost, '-inf', NOW - LOST_WORKERS_KEPT_MS),
    call('ZCARD', lost) - LOST_WORKERS_MAX)
  for _, old in ipairs(n > 0 and call('ZRANGE', lost, 0, n - 1) or {}) do
    call('ZREM', lost, old)
    call('HDEL', K .. 'hosts', old)
  end
end
