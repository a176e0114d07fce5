-- Appends the groups of a slice of a chunk to their mailboxes, once. Claims idle mailboxes while the worker has room;
-- the others wait on a ready list. A mailbox that is owned, ready or waiting needs nothing more.
--
-- The job notes which slices are appended, so that the note lives as long as the job. If the job lies in another shard,
-- or its producer may add it again after it is done, the note is a key of one hour instead, of a replay as long as its
-- counts. The last slice can end the job.
--
-- ARGV: worker, first claim number, job key ('' when it lies in another shard), chunk of the key with its progress (''
-- if the job notes it), slices appended after this call, id of the job if this slice ends it (else ''), what the event
-- log keeps of it (includes/end-job.lua), batch max, most batches in flight, longest wait of an event in ms, room for
-- proven destinations, room for others, number of accounts for which the job counts, per account its name, events,
-- bytes; then per group: destination, account, lane, events, number of entries, entries...
-- Reply: 'gone' (the job no longer exists, so its worker was replaced), 'again' (appended before), or {NOW, claims,
-- targets of the claimed, groups of mailboxes that this worker owns already, events of deleted destinations}. A claim:
-- number of its group, then as includes/finish.lua says.
--- @include finish
--- @include run
--- @include end-job
--- @constants PROGRESS_KEPT_S, REPLAYS_KEPT_S
--- @constants FRESH_AT, UNSUBSCRIBES_AT, HOLDS_EVENTS_SINCE_AT, OWNER_AT
local SHARES_AT = 14
local w, claims, slice, ended = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[5]), ARGV[6]
local batchMax, most = tonumber(ARGV[8]), tonumber(ARGV[9])
local isInJob, field, key = ARGV[4] == '', CAMPAIGN and 'appendedC' or 'appendedT', K .. 'progress:' .. ARGV[4]
local done, groupsAt = 0, SHARES_AT + 3 * ARGV[SHARES_AT - 1]
if ARGV[3] ~= '' then
  local job = call('HMGET', ARGV[3], 'name', field)
  if not job[1] then return 'gone' end
  done = tonumber(job[2] or 0)
end
if not isInJob then done = tonumber(call('GET', key) or 0) end

-- Notes how much is appended. A second run renews the key.
local function noteProgress()
  if not isInJob then
    local keptS = ARGV[groupsAt + 2] == 'r' and REPLAYS_KEPT_S or PROGRESS_KEPT_S
    call('SET', key, max(done, slice), 'EX', keptS)
  end
  if ended ~= '' and endJob(ARGV[3], ended, ARGV[7], SHARES_AT, groupsAt - 1) then return end
  if isInJob and done < slice then call('HSET', ARGV[3], field, slice) end
end

if done >= slice then
  noteProgress()
  writeSums()
  return 'again'
end

local destinations, starts, at = {}, {}, groupsAt
while ARGV[at] do
  destinations[#destinations + 1], starts[#starts + 1] = ARGV[at], at
  at = at + 5 + ARGV[at + 4]
end
local states = call('HMGET', K .. 'live', unpack(destinations))
-- A mailbox without a state has that of its record.
local stored, absent = {}, {}
for i, destination in ipairs(destinations) do
  if not states[i] then absent[#absent + 1] = destination end
end
if #absent > 0 then
  for i, record in ipairs(call('HMGET', K .. 'records', unpack(absent))) do stored[absent[i]] = record end
end
local prefix = w .. '_'
-- By whether the destination is proven.
local room = { [true] = tonumber(ARGV[11]), [false] = tonumber(ARGV[12]) }
local mayStart, claimed, mine, dropped = room[true] + room[false] > 0 and mayClaim(w), {}, {}, 0
setMaxAge(tonumber(ARGV[10]))

-- Appends to a mailbox that holds events and has an owner or is on a ready list. Of its state only the number of events
-- changes.
local function appendToBusy(text, lane, from, to, moreEvents)
  for first = from, to, 1000 do
    call('RPUSH', laneKey(lane), unpack(ARGV, first, min(to, first + 999)))
  end
  local place = lane == 'f' and FRESH_AT or UNSUBSCRIBES_AT
  local number = pack('>I4', parse('>I4', text, place) + moreEvents)
  note(sub(text, 1, place - 1) .. number .. sub(text, place + 4))
end

local function appendGroup(i)
  local start = starts[i]
  local destination, account, lane = ARGV[start], ARGV[start + 1], ARGV[start + 2]
  local moreEvents = tonumber(ARGV[start + 3])
  local from, to, size = start + 5, start + 4 + ARGV[start + 4], 0
  for k = from, to do size = size + #ARGV[k] end
  -- An earlier group of this call may have changed the mailbox.
  local text = pending[destination]
  if text == nil then text = states[i] end
  local status, record, isMine = IDLE, DELETED, false
  if text then
    status, record = string.byte(text, 1, 2)
    isMine = find(text, prefix, OWNER_AT, true) == OWNER_AT
  end
  if isMine and record ~= DELETED then mine[#mine + 1] = i end
  local isBusy = (status == READY or status == OWNED) and record ~= DELETED
  -- The events of lane r are counted in a part of the state that most mailboxes lack.
  if isBusy and lane ~= 'r' and parse('>I6', text, HOLDS_EVENTS_SINCE_AT) > 0 then
    s.destination = destination
    appendToBusy(text, lane, from, to, moreEvents)
    return count(account, moreEvents, size)
  end
  load(destination, text or nil, stored[destination] or nil)
  if s.record == DELETED then
    dropped = dropped + moreEvents
    if roomInLog() then noteOutcome('discarded', account, 0, sentOfEntries({ unpack(ARGV, from, to) })) end
    return
  end
  push(lane, from, to, moreEvents)
  local isIdle = s.status == IDLE and s.record ~= UNKNOWN and s.parkedUntilMs <= NOW and s.pausedUntilMs <= NOW
  if isIdle and mayStart and room[s.isProven] > 0 then
    room[s.isProven] = room[s.isProven] - 1
    replies[#replies + 1], claimed[#claimed + 1] = i, destination
    claimAndServe(prefix .. (claims + #claimed - 1), most, batchMax)
  else
    if isIdle then queueReady() end
    save()
  end
  count(account, moreEvents + s.found, size + s.freed)
end

run(function()
  for i = 1, #destinations do appendGroup(i) end
  -- Only now, so that the groups after one that fails are not lost: the next run appends all of them.
  noteProgress()
end)
local texts = #claimed > 0 and call('HMGET', K .. 'targets', unpack(claimed)) or {}
return { NOW, replies, texts, mine, dropped }
