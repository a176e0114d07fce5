-- Counts the events of a chunk for their accounts while its job is added. If the process dies in between, the counts
-- stay until the queues of chunks are empty.
-- ARGV: per account its name, events, bytes.
--- @include sums
for i = 1, #ARGV, 3 do countQueued(ARGV[i], ARGV[i + 1], ARGV[i + 2]) end
writeSums()
