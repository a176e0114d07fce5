-- Puts back the mailboxes of a worker whose lease has ended. It looks through all live mailboxes, a page per call, and
-- finds every one that the worker owns, because a worker without a lease claims nothing (owner.lua).
--- @include owner
--- @constants LOST_WORKERS_KEPT_MS, LOST_WORKERS_MAX
local PAGE = 400

-- Forgets a worker that owns nothing any more. One that stopped gave its lease the end 0. Operators look for the
-- others.
local function forgetWorker(dead)
  local till = tonumber(call('ZSCORE', K .. 'workers', dead))
  call('ZREM', K .. 'workers', dead)
  call('HDEL', K .. 'searched', dead)
  if till > 0 then call('ZADD', K .. 'lost', till, dead) else call('HDEL', K .. 'hosts', dead) end
end

-- Returns the number of mailboxes that were put back, and whether no dead worker is left. To be called in `run`.
local function takeOver()
  local dead = call('ZRANGEBYSCORE', K .. 'workers', '-inf', NOW, 'LIMIT', 0, 1)[1]
  if not dead then return 0, true end
  local moved, prefix = 0, dead .. '_'
  local cursor = call('HGET', K .. 'searched', dead) or '0'
  local page = call('HSCAN', K .. 'live', cursor, 'COUNT', PAGE)
  for i = 1, #page[2], 2 do
    local d, text = page[2][i], page[2][i + 1]
    if pending[d] ~= nil then text = pending[d] end
    if text and find(text, prefix, OWNER_AT, true) == OWNER_AT then
      load(d, text)
      queueReady()
      save()
      moved = moved + 1
    end
  end
  if page[1] == '0' then forgetWorker(dead) else call('HSET', K .. 'searched', dead, page[1]) end
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
