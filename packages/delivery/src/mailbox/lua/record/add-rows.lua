-- Puts rows at the heads of their lists, trims the lists and renews their lifetimes.
-- ARGV: per list: its key, most rows and bytes, seconds to live, number of rows, rows (oldest first).
local at = 1
while ARGV[at] do
  local key, kept, keptBytes, ttl = ARGV[at], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local last, length = at + 4 + tonumber(ARGV[at + 4]), 0
  for from = at + 5, last, 1000 do
    length = call('LPUSH', key, unpack(ARGV, from, min(last, from + 999)))
  end
  -- Some rows late, so that not every call trims. A day late, so that not every call renews.
  if length > kept + 500 then call('LTRIM', key, 0, kept - 1) end
  -- The size is an estimate from a few nodes of the list. Trimming a tenth more saves the next calls the work.
  local bytes = call('MEMORY', 'USAGE', key, 'SAMPLES', 5) or 0
  if bytes > keptBytes then
    call('LTRIM', key, 0, math.floor(call('LLEN', key) * 0.9 * keptBytes / bytes))
  end
  local left = call('TTL', key)
  if left < 0 or left < ttl - 86400 then call('EXPIRE', key, ttl) end
  at = last + 1
end
