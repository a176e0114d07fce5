-- Finds writes that Redis has lost: by a failover, a restore, a crash between two syncs, or an empty start. Redis
-- numbers the heartbeats, and a worker knows the number of its last one. If Redis gives that number again, it has
-- forgotten heartbeats, and with them all other writes of that time.
--- @include clock
--- @constants LOST_WRITES_SHOWN_S
-- The time of the first heartbeat since Redis has loaded the functions. It loads them anew with its data: at a restart,
-- a failover or a full resynchronization. So each worker notices that, even if no heartbeat is lost.
local loadedAt
local function dataLoadedAt()
  loadedAt = loadedAt or NOW
  return loadedAt
end

-- `known`, `knownAt`: number and time of the worker's last heartbeat. Returns the number of this one and, to the first
-- worker that finds lost writes, their first and last time. The first is 0 if Redis has lost all.
local function numberHeartbeat(known, knownAt)
  local number = call('INCR', K .. 'beats')
  if number > known then return number end
  call('SET', K .. 'beats', known + 1)
  local last = tonumber(call('GET', K .. 'beat') or 0)
  if last >= knownAt then return known + 1 end
  call('SET', K .. 'lost-writes', last .. ' ' .. knownAt, 'EX', LOST_WRITES_SHOWN_S)
  return known + 1, last, knownAt
end
