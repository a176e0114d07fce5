-- Claims producers' ids for a chunk. A second event with the same account, module, type and id is a duplicate, for the
-- time that ids are promised (EVENT_ID_WINDOW) and up to a third longer. A repeated run of a job gets the reply of the
-- first one.
--
-- The reply is noted in the job, in the same step as the claims. So a worker that dies before it appends leaves no
-- claim behind that would make its own event a duplicate. If the job lies in another shard, the note is a key, which
-- the worker deletes after its last append.
--
-- ARGV: job key ('' when it lies in another shard), chunk, part of the chunk's ids (from 1), EVENT_ID_WINDOW in ms,
-- digests of ID_BYTES bytes each, as one text.
-- Reply: positions (from 0) of duplicates, with spaces between.
--- @include ids
--- @constants ID_BYTES
local job, windowMs, digests = ARGV[1], tonumber(ARGV[4]), ARGV[5]
local isNear, field = job ~= '', (CAMPAIGN and 'claimedC' or 'claimedT') .. ARGV[3]
local notes = isNear and job or K .. 'claimed:' .. ARGV[2]
local noted = call('HMGET', notes, 'name', field)
-- Without its job, the append that follows does nothing.
if isNear and not noted[1] then return '' end
if noted[2] then return noted[2] end

openIds(windowMs, #digests / ID_BYTES)
local claimed, duplicates = {}, {}
local isDone, result = pcall(function()
  for at = 1, #digests, ID_BYTES do
    local digest = sub(digests, at, at + ID_BYTES - 1)
    local bucket = claimId(digest)
    if bucket then
      claimed[#claimed + 1], claimed[#claimed + 2] = bucket, digest
    else
      duplicates[#duplicates + 1] = (at - 1) / ID_BYTES
    end
  end
  writeIds()
  local positions = table.concat(duplicates, ' ')
  call('HSET', notes, field, positions)
  -- As long as the ids are known.
  if not isNear then call('PEXPIRE', notes, 2 * windowMs) end
  return positions
end)
if not isDone then
  -- Redis keeps the writes of a call that breaks off. Without the note they would make the chunk's events duplicates.
  for i = 1, #claimed, 2 do call('HDEL', claimed[i], claimed[i + 1]) end
  error(result, 0)
end
return result
