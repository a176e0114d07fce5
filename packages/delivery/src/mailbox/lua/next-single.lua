--- @flags allow-oom
-- One step of many drains on the short path (includes/single.lua): settles the only batch, which was delivered, and
-- freezes the next entry or releases the destination. A destination with anything unusual is left to next.lua.
--
-- ARGV: number of the call, batch max, longest wait of an event in ms; per destination: destination, its account,
-- token, id and attempt of the batch, version and secrets of the record that the attempt used.
-- Reply: per destination the next entry, or 2 (settled and released), 1 (settled; the owner must continue with
-- next.lua) or 0 (nothing happened; next.lua must settle). The batch of the next entry has the id <token>_<call>_1.
-- Guarantees: a call with another owner's token changes nothing. A repeated call settles the batch once.
--- @include accounts
--- @include single
local SINGLE_WINDOW = '^%[%["([^"]+)","([fu])",(%d+),(%d+),(%d+),0,(%d+)%]%]$'
local STEP_FIELDS = {
  'active', 'version', 'owner', 'win', 'proven', 'ef', 'lane', 'paused', 'drop', 'size', 'sendnow', 'eu', 'secrets',
}
local FIRST, STEP = 4, 7
local max = tonumber(ARGV[2])
CALL, MAX_AGE = ARGV[1], tonumber(ARGV[3])
local replies, released, delivered, freed = {}, {}, {}, {}

-- The next entry, if nothing else waits. Else the reply 1, or 2 if nothing waits at all.
local function nextEntry(d, ef, isSame)
  local f, q = K .. 'f:' .. d, K .. 'q:' .. d
  local lists = CAMPAIGN and redis.call('EXISTS', f, q, K .. 'u:' .. d) or redis.call('EXISTS', f, q)
  if lists == 0 then return 2 end
  if lists > 1 or not isSame or isDefault(ef) or tonumber(ef) > max or budget <= 0 then return 1 end
  local entry = redis.call('LINDEX', f, 0)
  if not entry or eventsOf(entry) ~= tonumber(ef) or not isBatch(entry, max) then return 1 end
  budget = budget - #entry
  return entry
end

local function step(d, account, token, id, attempt, known, knownSecrets)
  local key = K .. 'd:' .. d
  local active, version, owner, win, proven, ef, lastLane, paused, drop, size, sendnow, eu, secrets =
    unpack(redis.call('HMGET', key, unpack(STEP_FIELDS)))
  local frozen, lane, entries, events, tries, bytes = string.match(win or '', SINGLE_WINDOW)
  if owner ~= token or frozen ~= id or tries ~= attempt then return 0 end
  if active ~= '1' or not (isDefault(paused) and isDefault(drop) and isDefault(sendnow)) then return 0 end
  redis.call('LTRIM', K .. lane .. ':' .. d, entries, -1)
  delivered[account] = (delivered[account] or 0) - events
  freed[account] = (freed[account] or 0) - bytes
  local isSame = version == known and (secrets or '') == knownSecrets
  local reply = nextEntry(d, ef, isSame and isDefault(size) and isDefault(eu))
  local changed = { 'win', '' }
  if reply == 2 then
    released[#released + 1] = d
    changed[3], changed[4] = 'owner', ''
    -- After lost writes the counters may differ from the lists.
    if not (isDefault(ef) and isDefault(eu)) then
      changed[5], changed[6], changed[7], changed[8] = 'ef', '0', 'eu', '0'
    end
  elseif reply ~= 1 then
    changed[2] = singleWindow(token .. '_' .. CALL .. '_1', 'f', reply)
    changed[3], changed[4] = 'ef', '0'
    if (lastLane or 'f') ~= 'f' then changed[5], changed[6] = 'lane', 'f' end
  end
  if proven ~= '1' then
    changed[#changed + 1] = 'proven'
    changed[#changed + 1] = '1'
  end
  redis.call('HSET', key, unpack(changed))
  return reply
end

finally(function()
  for at = FIRST, #ARGV, STEP do
    replies[#replies + 1] = step(unpack(ARGV, at, at + STEP - 1))
  end
end, function()
  if #released > 0 then
    -- All tokens of a call have the same worker.
    redis.call('SREM', K .. 'owned:' .. worker(ARGV[FIRST + 2]), unpack(released))
    redis.call('ZREM', K .. 'busy', unpack(released))
  end
  addAccountsBytes(freed)
  addAccountsEvents(delivered)
end)
return replies
