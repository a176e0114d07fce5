-- Finds writes that Redis has lost: by a failover, a restore, a crash between two syncs, or an empty start. Redis
-- numbers the heartbeats of each process, and a process knows the number of its last one. If Redis has a smaller one,
-- it has forgotten heartbeats, and with them all other writes of that time. One number for all would not do: the first
-- heartbeats afterwards, of processes that have lost none, would make it grow again.
--- @include clock
--- @constants HEARTBEATS_KEPT_MS, LOST_WRITES_SHOWN_S
-- The time of the first heartbeat since Redis has loaded the functions. It loads them anew with its data: at a restart,
-- a failover or a full resynchronization. So each worker notices that, even if no heartbeat is lost.
local loadedAt
local function dataLoadedAt()
  loadedAt = loadedAt or NOW
  return loadedAt
end

-- Several processes find the same loss one after the other. It began after the latest of its first times, unless Redis
-- lost all, and it ended with the latest of its last times. Returns nothing if it is known.
local function noteLostWrites(from, to)
  local knownFrom, knownTo = string.match(call('GET', K .. 'lost-writes') or '', '(%d+) (%d+)')
  if knownFrom and from <= tonumber(knownTo) and tonumber(knownFrom) <= to then
    if to <= tonumber(knownTo) then return end
    from = knownFrom == '0' and 0 or max(from, tonumber(knownFrom))
  end
  call('SET', K .. 'lost-writes', from .. ' ' .. to, 'EX', LOST_WRITES_SHOWN_S)
  return from, to
end

-- The number and the time of a heartbeat.
local function numberAndTime(text)
  local number, at = string.match(text, '(%d+) (%d+)')
  return tonumber(number), tonumber(at)
end

-- A process that starts forgets those that ended long ago.
local function forgetHeartbeats()
  local beats = call('HGETALL', K .. 'beats')
  for i = 1, #beats, 2 do
    local _, at = numberAndTime(beats[i + 1])
    if at < NOW - HEARTBEATS_KEPT_MS then call('HDEL', K .. 'beats', beats[i]) end
  end
end

-- The time of the last heartbeat that Redis has of the time before. Without one, as all processes have sent others
-- since, that before the last lost one; 0 if Redis knows no process.
local function lastBefore(knownAt, beatMs)
  local last, beats = 0, call('HGETALL', K .. 'beats')
  for i = 2, #beats, 2 do
    local _, at = numberAndTime(beats[i])
    -- A span of no time would count as none.
    if at <= knownAt then last = max(last, min(at, knownAt - 1)) end
  end
  return last == 0 and #beats > 0 and knownAt - beatMs or last
end

-- `known`, `knownAt`: number and time of the last heartbeat of process `w`, 0 for none; `beatMs`: the time between two.
-- Returns {number and time of this one, time of the first one since Redis has loaded its data}, and {first and last
-- time of lost writes} for the first process that finds them. The first is 0 if Redis has lost all.
local function numberHeartbeat(w, known, knownAt, beatMs)
  if known == 0 then forgetHeartbeats() end
  local number = numberAndTime(call('HGET', K .. 'beats', w) or '0 0')
  local new, lost = max(number, known) + 1, {}
  if number < known then lost = { noteLostWrites(lastBefore(knownAt, beatMs), knownAt) } end
  call('HSET', K .. 'beats', w, new .. ' ' .. NOW)
  return { new, NOW, dataLoadedAt() }, lost
end
