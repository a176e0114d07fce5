--- @flags allow-oom
-- Takes destinations that wait for a worker, and freezes their first batches.
--
-- ARGV: worker, first claim number, most proven destinations, most others, 1 to begin with the others, batch max, most
-- batches in flight, longest wait of an event in ms.
-- Reply: {proven destinations that still wait, others that do, replies (includes/finish.lua)}.
--- @include finish
--- @include resend-in-flight
--- @include in-flight-to-resends
MAX_AGE = tonumber(ARGV[8])
local UNREADABLE_MAX = 200
local replies, claims, unreadable = {}, tonumber(ARGV[2]), 0

local function takeFrom(list, most)
  local used = 0
  while used < most and budget > 0 and unreadable < UNREADABLE_MAX do
    local d = redis.call('LPOP', K .. list)
    if not d then return end
    local s = load(d)
    s.ready = false
    if s.newer then
      leaveToNewer(s)
      unreadable = unreadable + 1
    elseif s.owner == '' then
      claim(s, ARGV[1], claims)
      claims, used = claims + 1, used + 1
      local out = {}
      if s.known and (not s.active or s.drop > 0) then inFlightToResends(s) else resendInFlight(s, out, {}) end
      replies[#replies + 1] = serve(s, 1, tonumber(ARGV[7]), tonumber(ARGV[6]), out, false)
    else
      redis.call('HSET', K .. 'd:' .. d, 'ready', '')
    end
  end
end

if ARGV[5] == '1' then takeFrom('ready', tonumber(ARGV[4])) end
takeFrom('proven', tonumber(ARGV[3]))
if ARGV[5] ~= '1' then takeFrom('ready', tonumber(ARGV[4])) end
return { redis.call('LLEN', K .. 'proven'), redis.call('LLEN', K .. 'ready'), replies }
