-- Finds writes that Redis has lost: by a failover, a restore, a crash between two syncs, or an empty start. Redis
-- numbers the heartbeats of each worker, and a worker knows the number of its last one. If Redis has a smaller one, it
-- has forgotten heartbeats, and with them all other writes of that time. One number for all workers would not do: the
-- first heartbeats afterwards, of workers that have lost none, would make it grow again.
--- @include clock
--- @constants LOST_WRITES_SHOWN_S
-- The time of the first heartbeat since Redis has loaded the functions. It loads them anew with its data: at a restart,
-- a failover or a full resynchronization. So each worker notices that, even if no heartbeat is lost.
local loadedAt
local function dataLoadedAt()
  loadedAt = loadedAt or NOW
  return loadedAt
end

-- The workers find the same loss one after the other. It began after the latest of its first times, and it ended with
-- the latest of its last times. Returns nothing if it is known.
local function noteLostWrites(from, to)
  local knownFrom, knownTo = string.match(call('GET', K .. 'lost-writes') or '', '(%d+) (%d+)')
  if knownFrom and from <= tonumber(knownTo) and tonumber(knownFrom) <= to then
    if to <= tonumber(knownTo) then return end
    from = max(from, tonumber(knownFrom))
  end
  call('SET', K .. 'lost-writes', from .. ' ' .. to, 'EX', LOST_WRITES_SHOWN_S)
  return from, to
end

-- `known`, `knownAt`: number and time of the worker's last heartbeat, `beatMs`: the time between two. Returns the
-- number of this one and, to the first worker that finds lost writes, their first and last time. The first is 0 if
-- Redis has lost all.
local function numberHeartbeat(w, known, knownAt, beatMs)
  local number, at = string.match(call('HGET', K .. 'beats', w) or '', '(%d+) (%d+)')
  local new = max(tonumber(number or 0), known) + 1
  call('HSET', K .. 'beats', w, new .. ' ' .. NOW)
  if new == tonumber(number or 0) + 1 then return new end
  -- The last heartbeat that Redis had, of any worker, if none has come since.
  local last = tonumber(call('GET', K .. 'beat') or 0)
  if last >= knownAt then last = min(tonumber(at or knownAt), knownAt - beatMs) end
  return new, noteLostWrites(last, knownAt)
end
