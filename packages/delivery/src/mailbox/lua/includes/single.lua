-- The short path of the most common case: a mailbox holds a single entry, which is sent and delivered before there are
-- several. Only the fields that matter are read and written. A destination with anything unusual takes the long path of
-- mailbox.lua, freeze.lua and finish.lua. The result is the same on both paths.
--- @include base
--- @include clock
--- @include entries
--- @include freeze
--- @include ownership
-- The fields up to `turn` must have their default value.
local SINGLE_FIELDS = {
  'owner', 'win', 'bf', 'bu', 'paused', 'drop', 'size', 'sendnow', 'eu', 'turn',
  'ready', 'active', 'ef', 'lane', 'address', 'version', 'secrets', 'proven', 'account',
}
local DEFAULTS, READY, ACTIVE, EF, LAST_LANE, ADDRESS, VERSION, SECRETS, PROVEN, ACCOUNT =
  10, 11, 12, 13, 14, 15, 16, 17, 18, 19
-- The id of a claim's only batch is the claim's token and this suffix. See `enter` in freeze.lua.
local SINGLE_BATCH = '_0_1'

local function isDefault(value) return not value or value == '' or value == '0' end

-- The fields of a destination with an active record that nobody owns, parks, pauses or gives up. Else nil.
local function readUsual(d)
  local v = redis.call('HMGET', K .. 'd:' .. d, unpack(SINGLE_FIELDS))
  for i = 1, DEFAULTS do
    if not isDefault(v[i]) then return nil end
  end
  return v[ACTIVE] == '1' and v or nil
end

-- Whether the entry can leave now, as one batch of at most `max` events.
local function isBatch(entry, max)
  local events = eventsOf(entry)
  return events <= max and #entry + 5 * events <= BATCH_BYTES_MAX and not isExpired(entry)
end

-- The window with an entry as its only batch.
local function singleWindow(id, lane, entry)
  return '[["' .. id .. '","' .. lane .. '",1,' .. eventsOf(entry) .. ',1,0,' .. #entry .. ']]'
end

-- Freezes an entry, the only one of the lane, for a new owner. `addClaims` must follow in the same command.
local function freezeSingle(d, v, lane, entry, token)
  local changed = { 'owner', token, 'win', singleWindow(token .. SINGLE_BATCH, lane, entry) }
  if v[READY] == '1' then changed[5], changed[6] = 'ready', '' end
  if lane == 'f' and not isDefault(v[EF]) then
    changed[#changed + 1] = 'ef'
    changed[#changed + 1] = '0'
  end
  if (v[LAST_LANE] or 'f') ~= lane then
    changed[#changed + 1] = 'lane'
    changed[#changed + 1] = lane
  end
  redis.call('HSET', K .. 'd:' .. d, unpack(changed))
end

-- Calls `work`, and then `last` even if `work` fails: Redis keeps the writes of a command that fails, and without the
-- sets nobody would find the destinations that it has claimed.
local function finally(work, last)
  local isDone, failure = pcall(work)
  last()
  if not isDone then error(failure, 0) end
end

local function addBusy(destinations)
  if #destinations == 0 then return end
  local members = {}
  for i, d in ipairs(destinations) do
    members[2 * i - 1], members[2 * i] = NOW, d
  end
  redis.call('ZADD', K .. 'busy', 'NX', unpack(members))
end

-- Adds destinations that a command has claimed on the short path to those of their owner.
local function addClaims(w, destinations)
  if #destinations == 0 then return end
  lendLease(w)
  redis.call('SADD', K .. 'owned:' .. w, unpack(destinations))
end
