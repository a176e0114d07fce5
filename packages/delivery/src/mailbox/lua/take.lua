--- @flags allow-oom
-- Takes destinations that wait for a worker, and freezes their first batches.
--
-- ARGV: worker, first claim number, most proven destinations, most others, 1 to begin with the others, batch max, most
-- batches in flight, longest wait of an event in ms.
-- Reply: {proven destinations that still wait, others that do, replies (includes/finish.lua), claims on the short path
-- (includes/single.lua)}. A claim on the short path is eight values: destination, number of the claim, address,
-- version, secrets, proven, account, entry.
--- @include finish
--- @include single
--- @include resend-in-flight
--- @include in-flight-to-resends
MAX_AGE = tonumber(ARGV[8])
local w, claims, max = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[6])
local replies, singles, claimed = {}, {}, {}

-- Claims a destination with a single entry. Returns false if it must take the long path.
local function takeSingle(d)
  local v = readUsual(d)
  if not v or isDefault(v[EF]) or tonumber(v[EF]) > max then return false end
  local entry = redis.call('LINDEX', K .. 'f:' .. d, 0)
  if not entry or eventsOf(entry) ~= tonumber(v[EF]) or not isBatch(entry, max) then return false end
  if redis.call('EXISTS', K .. 'q:' .. d) == 1 then return false end
  budget = budget - #entry
  freezeSingle(d, v, 'f', entry, w .. '_' .. claims)
  claimed[#claimed + 1] = d
  local at = #singles
  singles[at + 1], singles[at + 2], singles[at + 3], singles[at + 4] = d, claims, v[ADDRESS] or '', v[VERSION]
  singles[at + 5], singles[at + 6] = v[SECRETS] or '', v[PROVEN] or ''
  singles[at + 7], singles[at + 8] = v[ACCOUNT] or '', entry
  return true
end

local function takeFrom(list, most)
  local used = 0
  while used < most and budget > 0 do
    local d = redis.call('LPOP', K .. list)
    if not d then return end
    if takeSingle(d) then
      claims, used = claims + 1, used + 1
    else
      local s = load(d)
      s.ready = false
      if s.owner == '' then
        claim(s, w, claims)
        claims, used = claims + 1, used + 1
        local out = {}
        if s.known and (not s.active or s.drop > 0) then inFlightToResends(s) else resendInFlight(s, out, {}) end
        replies[#replies + 1] = serve(s, 1, tonumber(ARGV[7]), max, out, false)
      else
        redis.call('HSET', K .. 'd:' .. d, 'ready', '')
      end
    end
  end
end

finally(function()
  if ARGV[5] == '1' then takeFrom('ready', tonumber(ARGV[4])) end
  takeFrom('proven', tonumber(ARGV[3]))
  if ARGV[5] ~= '1' then takeFrom('ready', tonumber(ARGV[4])) end
end, function()
  addClaims(w, claimed)
  addBusy(claimed)
end)
return { redis.call('LLEN', K .. 'proven'), redis.call('LLEN', K .. 'ready'), replies, singles }
