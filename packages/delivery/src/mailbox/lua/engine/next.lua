--- @flags allow-oom
-- One step of many drains: settles attempts, freezes the next batches, releases empty mailboxes.
--
-- ARGV: number of the call, batch max, most batches in flight, longest wait of an event in ms, number of drains; then
-- per drain: destination, account, token, version and revision of the record that the worker knows, window (0: freeze
-- nothing), 1 to release, number of batches in flight, number of settles, settles (batch, attempt, delivered,
-- sent)...; then JSON of what is rare ('' for nothing), then the bodies that it names.
-- Rare, by number of the drain: {breaker {failures, parkMs, leftMs or -1, error}, gone (the reason), size, known (the
-- ids of the batches in flight, after a lost reply), settles by number (includes/settle.lua)}.
-- Reply: {NOW, a reply per drain (includes/finish.lua), numbers of the drains with another record, their targets, ids
-- of batches that are resent to a new address}. The status is 'refused' for another owner's token, and 'lost' if Redis
-- has more frozen batches than the caller knows. The caller then calls again with the ids.
-- Guarantees: a call with another owner's token changes nothing. A repeated call settles each attempt once.
--- @include run
--- @include finish
--- @include records
--- @include settle
local batchMax, most, drains = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[5])
callNumber = ARGV[1]
setMaxAge(tonumber(ARGV[4]))
local destinations, starts, at = {}, {}, 6
for i = 1, drains do
  destinations[i], starts[i] = ARGV[at], at
  at = at + 9 + 4 * ARGV[at + 8]
end
local isAnyRare = ARGV[at] ~= ''
local rare = isAnyRare and cjson.decode(ARGV[at])
local states, renewed, targets = call('HMGET', K .. 'live', unpack(destinations)), {}, {}
-- The most that a state can hold.
local FAILURES_MAX = 65535
local NOTHING_RARE = {}

-- Results for another version of the record do not count: a new version starts with a new breaker.
local function applyResults(more, version)
  if version ~= s.version then more = NOTHING_RARE end
  local breaker = more.breaker
  if breaker then
    s.failures, s.parkMs = min(breaker.failures, FAILURES_MAX), breaker.parkMs
    s.error = breaker.failures > 0 and breaker.error or ''
    s.parkedUntilMs = breaker.leftMs < 0 and 0 or NOW + breaker.leftMs
  end
  s.size = more.size or s.size
  if s.failures > 0 then setProven(false) elseif s.settled > 0 then setProven(true) end
  if more.gone and s.record == ACTIVE then deactivate(more.gone) end
end

local function step(i)
  local place, more = starts[i], isAnyRare and rare[tostring(i)] or NOTHING_RARE
  local account, token, version = ARGV[place + 1], ARGV[place + 2], tonumber(ARGV[place + 3])
  local window, isReleasing, settles = tonumber(ARGV[place + 5]), ARGV[place + 6] == '1', tonumber(ARGV[place + 8])
  local text = pending[destinations[i]]
  if text == nil then text = states[i] end
  load(destinations[i], text or nil)
  if s.owner ~= token then return reply('refused', '') end
  for k = 1, settles do
    local from = place + 5 + 4 * k
    settle(account, ARGV[from], tonumber(ARGV[from + 1]), tonumber(ARGV[from + 2]), ARGV[from + 3],
      more.settles and more.settles[tostring(k)])
  end
  if settles > 0 then trim() end
  batchesBefore = s.batches
  applyResults(more, version)
  if version ~= s.version or tonumber(ARGV[place + 4]) ~= s.revision then
    renewed[#renewed + 1] = i
    targets[#targets + 1] = call('HGET', K .. 'targets', s.destination)
  end
  if more.known then
    local known = {}
    for _, id in ipairs(more.known) do known[id] = true end
    resendInFlight(known)
  end
  if not more.known and countInFlight() > tonumber(ARGV[place + 7]) then
    reply('lost', save())
  elseif window > 0 and budget > 0 then
    serve(window, most, batchMax, isReleasing)
  else
    finish(isReleasing)
  end
  count(account, s.found - s.settled, s.freed)
end

run(function() for i = 1, drains do step(i) end end)
return { NOW, replies, renewed, targets, resentElsewhere }
