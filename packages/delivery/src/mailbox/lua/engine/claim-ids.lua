-- Claims producers' ids for a chunk. A second event with the same account, module, type and id within 24 h is a
-- duplicate. A claim by an earlier run of the same chunk job is not.
-- ARGV: chunk, then a digest per id (`producerIdDigest`). Reply: positions (from 0) of duplicates.
--- @include base
--- @constants PRODUCER_IDS_KEPT_S
local duplicates = {}
for i = 2, #ARGV do
  local key = P .. 'id:' .. ARGV[i]
  if not call('SET', key, ARGV[1], 'NX', 'EX', PRODUCER_IDS_KEPT_S) and call('GET', key) ~= ARGV[1] then
    duplicates[#duplicates + 1] = i - 2
  end
end
return duplicates
