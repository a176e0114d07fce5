-- Puts rows at the heads of their lists, trims the lists and renews their lifetimes.
-- ARGV: per list: its key, most rows and bytes, seconds to live, the account if its rows become blocks ('' if not),
-- number of rows, rows (oldest first).
-- Reply: of each list that has the rows of a block: its account, the version of its rows, and the oldest of them
-- (newest first), for `pack-rows`.
--- @include blocks
--- @constants BLOCK_CHARS_MAX, ROWS_PER_BLOCK
local at, ripe = 1, {}

-- The oldest rows of a list, about as many as a block has.
local function ripeRows(account, key)
  local rows, size, first = call('LRANGE', key, -ROWS_PER_BLOCK, -1), 0, 1
  for i = #rows, 1, -1 do
    size = size + #rows[i]
    if size > BLOCK_CHARS_MAX and i < #rows then
      first = i + 1
      break
    end
  end
  return { account, rowsVersion(account), unpack(rows, first) }
end

while ARGV[at] do
  local key, kept, keptBytes, ttl = ARGV[at], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local account = ARGV[at + 4]
  local last, length = at + 5 + tonumber(ARGV[at + 5]), 0
  for from = at + 6, last, 1000 do
    length = call('LPUSH', key, unpack(ARGV, from, min(last, from + 999)))
  end
  -- Some rows late, so that not every call trims. A day late, so that not every call renews.
  if length > kept + 500 then call('LTRIM', key, 0, kept - 1) end
  -- The size is an estimate from a few nodes of the list. Trimming a tenth more saves the next calls the work.
  local bytes = call('MEMORY', 'USAGE', key, 'SAMPLES', 5) or 0
  if account ~= '' and (length >= ROWS_PER_BLOCK or bytes > BLOCK_CHARS_MAX) then
    ripe[#ripe + 1] = ripeRows(account, key)
  end
  if bytes > keptBytes then
    call('LTRIM', key, 0, math.floor(call('LLEN', key) * 0.9 * keptBytes / bytes))
  end
  local left = call('TTL', key)
  if left < 0 or left < ttl - 86400 then call('EXPIRE', key, ttl) end
  at = last + 1
end
return ripe
