--- @flags allow-oom
-- Removes chunks, outcomes and gaps from the event log's buffer, because a segment has them. Of two apis that have read
-- the same ones, only the first removes them.
-- ARGV: how many chunks had been taken from the buffer before they were read, number of chunks, the same for outcomes,
-- their bytes, the ids of these chunks as one text, the last outcome ('' without), number of accounts, per account its
-- name and its part of the bytes, then per gap its account and text.
-- Reply: 1, or 0 if the buffer begins with others: another api was faster, or Redis has lost its last writes.
--- @include base
local TAKEN = { 'takenChunks', 'takenOutcomes' }
local taken = call('HMGET', P .. 'log:state', unpack(TAKEN))
for i = 1, 2 do
  if tonumber(taken[i] or 0) ~= tonumber(ARGV[2 * i - 1]) then return 0 end
end
local chunks, outcomes = tonumber(ARGV[2]), tonumber(ARGV[4])
if chunks > 0 and table.concat(call('LRANGE', P .. 'log:chunks', 0, chunks - 1)) ~= ARGV[6] then return 0 end
-- Outcomes that Redis has kept differ in the last one if they differ at all.
if outcomes > 0 and call('LINDEX', P .. 'log:outcomes', outcomes - 1) ~= ARGV[7] then return 0 end
if chunks > 0 then
  for _, id in ipairs(call('LPOP', P .. 'log:chunks', chunks) or {}) do call('UNLINK', P .. 'log:chunk:' .. id) end
end
if outcomes > 0 then call('LTRIM', P .. 'log:outcomes', outcomes, -1) end
for i = 1, 2 do call('HINCRBY', P .. 'log:state', TAKEN[i], ARGV[2 * i]) end
-- While the buffer is empty, its bytes are known. So a difference never lasts.
local isEmpty = call('EXISTS', P .. 'log:chunks', P .. 'log:outcomes') == 0
local gapsAt = 9 + 2 * ARGV[8]
if isEmpty then
  call('HSET', P .. 'log:state', 'bytes', 0)
  call('UNLINK', P .. 'log:shares')
else
  call('HINCRBY', P .. 'log:state', 'bytes', -tonumber(ARGV[5]))
  if call('EXISTS', P .. 'log:shares') == 1 then
    for i = 9, gapsAt - 1, 2 do
      local share = call('HINCRBY', P .. 'log:shares', ARGV[i], -ARGV[i + 1])
      if share <= 0 then call('HDEL', P .. 'log:shares', ARGV[i]) end
    end
  end
end
for i = gapsAt, #ARGV, 2 do
  if call('HGET', P .. 'log:closed-gaps', ARGV[i]) == ARGV[i + 1] then call('HDEL', P .. 'log:closed-gaps', ARGV[i]) end
end
return 1
