--- @flags allow-oom
-- One step of many drains: settles attempts, freezes the next batches, releases empty destinations.
--
-- ARGV: number of the call, batch max, most batches in flight, longest wait of an event in ms, JSON list of requests;
-- then the bodies that follow-ups name.
-- A request: {destination, token, settles, window (0: freeze nothing), 1 to release, breaker {failures, park, ms left
-- or -1, version, error of the last failure} or null, gone {version, reason} or null, number of batches in flight
-- (after a lost reply their ids), size limit {version, text} or null}. includes/settle.lua describes a settle.
-- Reply: {one reply per request (includes/finish.lua), ids of batches that are resent to a new address}. A reply's
-- status is 'refused' for another owner's token, and 'lost' if Redis has more frozen batches than the caller knows. The
-- caller then calls again with the ids.
-- Guarantees: a call with another owner's token changes nothing. A repeated call settles each attempt once.
--- @include finish
--- @include resend-in-flight
--- @include settle
local max, most = tonumber(ARGV[2]), tonumber(ARGV[3])
CALL, MAX_AGE = ARGV[1], tonumber(ARGV[4])
local replies, delivered, freed = {}, {}, {}

-- A new version of the record starts with a new breaker. Results of an older version do not count.
local function applyResults(s, r)
  if type(r[6]) == 'table' and r[6][4] == s.version then
    s.bf, s.bp, s.bu = r[6][1], r[6][2], r[6][3] < 0 and 0 or NOW + r[6][3]
    if s.bf > 0 then
      redis.call('HSET', K .. 'd:' .. s.d, 'error', r[6][5])
    else
      redis.call('HDEL', K .. 'd:' .. s.d, 'error')
    end
  end
  if type(r[9]) == 'table' and r[9][1] == s.version then s.size = r[9][2] end
  if s.bf > 0 then s.proven = false elseif (s.settled or 0) > 0 then s.proven = true end
  if type(r[7]) == 'table' and s.version == r[7][1] and s.active then
    s.active, s.reason = false, r[7][2]
    redis.call('HSET', K .. 'd:' .. s.d, 'active', '0', 'reason', s.reason, 'gone', s.version)
    redis.call('SADD', K .. 'gone', s.d)
  end
end

for i, r in ipairs(cjson.decode(ARGV[5])) do
  local s = load(r[1])
  if s.owner ~= r[2] then
    replies[i] = { r[1], 'refused', r[2] }
  else
    settleAll(s, r[3])
    delivered[s.account] = (delivered[s.account] or 0) - (s.settled or 0)
    freed[s.account] = (freed[s.account] or 0) + (s.freed or 0)
    applyResults(s, r)
    local out = {}
    if type(r[8]) == 'table' then
      local known = {}
      for _, id in ipairs(r[8]) do known[id] = true end
      resendInFlight(s, out, known)
    end
    if type(r[8]) == 'number' and countInFlight(s) > r[8] then
      save(s)
      replies[i] = { r[1], 'lost', r[2], s.bf, s.bp, remaining(s.bu) }
    elseif r[4] > 0 and budget > 0 then
      replies[i] = serve(s, r[4], most, max, out, r[5] == 1)
    else
      replies[i] = finish(s, r[5] == 1, out)
    end
  end
end
addAccountsBytes(freed)
addAccountsEvents(delivered)
return { replies, resentElsewhere }
