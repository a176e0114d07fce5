-- Removes counts of queued events of processes that ended between the count and the job, if the queues of chunks are
-- empty. Only counts that are unchanged since the last call, because a new one may belong to a job that is being added.
-- ARGV: number of keys, keys of the lists and sets of both queues, then the reply of the last call, at first '0'.
-- Reply: cursor of the next page, then name, events and bytes per account of this page with a count.
--- @include sums
--- @constants LONG_FIELD
local last = 2 + ARGV[1]
if call('EXISTS', unpack(ARGV, 2, last - 1)) > 0 then return { '0' } end

local function queuedIn(text)
  local sums = {}
  --- @parse SUMS sums text
  return sums.queuedEvents, sums.queuedBytes
end

for i = last + 1, #ARGV, 3 do
  local text = call('HGET', P .. 'sums', ARGV[i])
  if text then
    local events, bytes = queuedIn(text)
    if events == tonumber(ARGV[i + 1]) and bytes == tonumber(ARGV[i + 2]) then
      countQueued(ARGV[i], -events, -bytes)
    end
  end
end
writeSums()
local page = call('HSCAN', P .. 'sums', ARGV[last], 'COUNT', 1000)
local seen = { page[1] }
for i = 1, #page[2], 2 do
  local account, text = page[2][i], page[2][i + 1]
  if account ~= LONG_FIELD then
    local events, bytes = queuedIn(text)
    if events + bytes > 0 then
      for _, value in ipairs({ account, events, bytes }) do seen[#seen + 1] = value end
    end
  end
end
return seen
