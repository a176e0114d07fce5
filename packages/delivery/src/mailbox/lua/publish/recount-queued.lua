--- @flags allow-oom
-- Removes the counts of queued events from a page of accounts, if the queues of chunks are empty: they are left of
-- processes that ended between the count and the job.
-- ARGV: cursor of the page, keys of the lists and sets of both queues.
-- Reply: cursor of the next page.
--- @include sums
--- @constants LONG_FIELD
if call('EXISTS', unpack(ARGV, 2)) > 0 then return '0' end
local page = call('HSCAN', P .. 'sums', ARGV[1], 'COUNT', 1000)
for i = 1, #page[2], 2 do
  local account, text = page[2][i], page[2][i + 1]
  if account ~= LONG_FIELD then
    local sums = {}
    --- @parse SUMS sums text
    if sums.queuedEvents + sums.queuedBytes > 0 then
      countQueued(account, -sums.queuedEvents, -sums.queuedBytes)
    end
  end
end
writeSums()
return page[1]
