-- Puts rows at the heads of their lists, trims the lists and renews their lifetimes.
-- ARGV: most rows and bytes of a list, seconds to live; then per list: its key, number of rows, rows (oldest first).
local kept, keptBytes, ttl, at = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), 4
while ARGV[at] do
  local key, last, length = ARGV[at], at + 1 + tonumber(ARGV[at + 1]), 0
  for from = at + 2, last, 1000 do
    length = call('LPUSH', key, unpack(ARGV, from, min(last, from + 999)))
  end
  -- Some rows late, so that not every call trims. A day late, so that not every call renews.
  if length > kept + 500 then call('LTRIM', key, 0, kept - 1) end
  -- The size is an estimate from a few nodes of the list. Trimming a tenth more saves the next calls the work.
  local bytes = call('MEMORY', 'USAGE', key, 'SAMPLES', 5) or 0
  if bytes > keptBytes then
    call('LTRIM', key, 0, math.floor(call('LLEN', key) * 0.9 * keptBytes / bytes))
  end
  if call('TTL', key) < ttl - 86400 then call('EXPIRE', key, ttl) end
  at = last + 1
end
