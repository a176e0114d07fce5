-- Reads entries of a lane. Lua hashes every string byte by byte, so commands read an entry once and return it
-- unchanged.
--- @include base
--- @constants BATCH_BYTES_MAX
-- What one call may still return, in bytes.
local budget
onCall(function() budget = BATCH_BYTES_MAX end)

local function eventsOf(entry) return tonumber(string.sub(entry, 9, 12)) end

local function read(s, lane, from, n)
  local entries = redis.call('LRANGE', K .. lane .. ':' .. s.d, from, from + n - 1)
  for _, entry in ipairs(entries) do budget = budget - #entry end
  return entries
end
