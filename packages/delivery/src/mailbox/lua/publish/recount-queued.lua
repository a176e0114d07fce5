--- @flags allow-oom
-- Removes the counts of queued events from a page of accounts, if the queues of chunks are empty: they are left of
-- processes that ended between the count and the job.
-- ARGV: cursor of the page, key prefixes of both queues. Reply: {cursor of the next page, accounts that had a count}.
--- @include sums
--- @constants LONG_FIELD
for i = 2, #ARGV do
  for _, list in ipairs({ 'wait', 'active', 'paused' }) do
    if call('LLEN', ARGV[i] .. list) > 0 then return { '0', 0 } end
  end
  for _, set in ipairs({ 'delayed', 'prioritized' }) do
    if call('ZCARD', ARGV[i] .. set) > 0 then return { '0', 0 } end
  end
end
local counted, page = 0, call('HSCAN', P .. 'sums', ARGV[1], 'COUNT', 1000)
for i = 1, #page[2], 2 do
  local account, text = page[2][i], page[2][i + 1]
  if account ~= LONG_FIELD then
    --- @parse SUMS sums text
    if sums.queuedEvents + sums.queuedBytes > 0 then
      countQueued(account, -sums.queuedEvents, -sums.queuedBytes)
      counted = counted + 1
    end
  end
end
writeSums()
return { page[1], counted }
