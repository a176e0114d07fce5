-- Adds counts to packed values in hashes that expire (`record/history-keys.ts`).
-- ARGV: per hash: its key, seconds to live, number of fields; per field: its name, number of counts; per count: its
-- number and what is added. Lua's arithmetic takes their texts as numbers.
local unpackCounts, packCounts, at, last = cmsgpack.unpack, cmsgpack.pack, 1, #ARGV
while at < last do
  local key, lifetime, fields, starts = ARGV[at], ARGV[at + 1], {}, {}
  local size = tonumber(ARGV[at + 2])
  at = at + 3
  for i = 1, size do
    fields[i], starts[i] = ARGV[at], at + 2
    at = at + 2 + 2 * ARGV[at + 1]
  end
  starts[size + 1] = at + 2
  local stored, values, isNew = call('HMGET', key, unpack(fields)), {}, false
  for i = 1, size do
    local packed, counts = stored[i], {}
    if packed then counts = unpackCounts(packed) else isNew = true end
    for from = starts[i], starts[i + 1] - 4, 2 do
      local number = ARGV[from] + 0
      counts[number] = (counts[number] or 0) + ARGV[from + 1]
    end
    values[2 * i - 1], values[2 * i] = fields[i], packCounts(counts)
  end
  call('HSET', key, unpack(values))
  -- A new field may be in a new hash.
  if isNew then call('EXPIRE', key, lifetime) end
end
